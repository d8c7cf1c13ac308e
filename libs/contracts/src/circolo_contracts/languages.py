"""The languages in which the house speaks to people."""

from __future__ import annotations

from typing import Literal

Language = Literal["IT", "EN"]
LANGUAGES: tuple[Language, ...] = ("IT", "EN")
