"""The smorfia: what each number of a tombola is called. Decoration for people; sources spell it in many ways."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct


class SmorfiaName(Struct, frozen=True):
    number: int
    neapolitan: str
    italian: str
    english: str
    family: bool = True
    """False: the Neapolitan name is none for children's ears."""
    variant: str = ""
    """Another reading that is as common; empty when there is none."""


@cache
def smorfia(*, family: bool = True) -> tuple[SmorfiaName, ...]:
    """All ninety, from 1 up. In family mode the softer Italian name stands in for a coarse Neapolitan one."""
    text = (files("circolo_contracts") / "smorfia.json").read_text(encoding="utf-8")
    names = msgspec.json.decode(text, type=tuple[SmorfiaName, ...])
    if not family:
        return names
    return tuple(name if name.family else msgspec.structs.replace(name, neapolitan=name.italian) for name in names)
