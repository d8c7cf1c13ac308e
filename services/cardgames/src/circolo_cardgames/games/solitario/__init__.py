"""Solitario: the two patiences of the house. It is played alone, so it is no ``GAME`` of the card table's match."""

from __future__ import annotations

from circolo_cardgames.games.rules import Settings

from .anonimo import Anonimo
from .piramide import Piramide
from .position import PatienceRules

PATIENCES: dict[str, PatienceRules] = {"PIRAMIDE": Piramide(), "ANONIMO": Anonimo()}
"""By the setting ``game``."""


def rules_of(settings: Settings) -> PatienceRules:
    """The patience under complete, valid settings."""
    return PATIENCES[str(settings["game"])]
