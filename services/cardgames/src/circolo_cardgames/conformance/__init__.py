"""What every card game must hold, whoever wrote it: a new game has its tests before its author writes one.

Each check takes a game's kind and settings, plays seeded random legal deals or matches, and raises AssertionError with
what is wrong. ``tests/conformance`` calls them for every game and preset of the catalogue.
"""

from __future__ import annotations

from .deals import check_deals, check_refusals
from .matches import check_foresight, check_matches, check_replay, check_strangers
from .presets import label, presets
from .worlds import check_worlds

__all__ = [
    "check_deals",
    "check_foresight",
    "check_matches",
    "check_refusals",
    "check_replay",
    "check_strangers",
    "check_worlds",
    "label",
    "presets",
]
