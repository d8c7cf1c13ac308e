"""Which text may be said: one line, everything in it shows, and none of it is dropped in silence."""

from __future__ import annotations

import unicodedata

from circolo_contracts.refusals import RefusalCode
from circolo_events.decider import Rejection

from ..names import HIDDEN_CATEGORIES, is_visible

RAW_FACTOR = 4
"""Longer input than so many times the limit is refused unread."""


def wording(text: str, most: int, field: str) -> str | Rejection:
    """The text as it will be shown (NFC, ends trimmed, at most ``most`` code points), or INVALID_TEXT for the field.

    Unlike a name it keeps its widths, fractions and inner spaces. Line breaks and tabs are control characters: refused.
    """
    refused = Rejection(RefusalCode.INVALID_TEXT, field)
    if len(text) > RAW_FACTOR * most or any(unicodedata.category(c) in HIDDEN_CATEGORIES - {"Cf"} for c in text):
        return refused
    normal = unicodedata.normalize("NFC", text)
    shown = "".join(" " if unicodedata.category(c) == "Zs" else c for c in normal).strip(" ")
    return shown if 1 <= len(shown) <= most and is_visible(shown) else refused
