"""CPU players. They are handed a seat's sight and choose one of its legal moves: they cannot see more than a person."""

from __future__ import annotations

from .choice import choose, declarations
from .thinking import Thinker

__all__ = ["Thinker", "choose", "declarations"]
