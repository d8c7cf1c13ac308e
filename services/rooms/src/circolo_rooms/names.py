"""Display names: what a person may be called at the tables. README.md says why each thing is as it is.

A name is normalised (NFKC, runs of spaces become one, ends are trimmed) and then either stands as it is or is refused;
no character is dropped in silence.
"""

from __future__ import annotations

import unicodedata

from circolo_contracts.refusals import RefusalCode
from circolo_events.decider import Rejection

MAX_LENGTH = 32
"""Code points after normalisation."""
MAX_RAW = 256
"""Longer input is refused unread, so that a megabyte costs nothing."""
MAX_MARKS = 3
"""Combining marks on one letter: enough for every language, too few to paint over the lines above."""

ZWJ = "\u200d"
EMOJI_SELECTOR = "\ufe0f"
SKIN_TONES = range(0x1F3FB, 0x1F400)
# NFKC would make a space and a stray mark of it, and Italian keyboards give it where an apostrophe is meant.
TYPEWRITER_ACUTE = {0x00B4: "'"}

HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
BLANKS = frozenset(
    [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x1D159, *range(0x180B, 0x1810),
     *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]
)  # fmt: skip
"""Letters, marks and symbols that show nothing: fillers, joiners, empty braille, variation selectors."""


def display_name(text: str) -> str | Rejection:
    """The name as it will be shown, or INVALID_TEXT."""
    refused = Rejection(RefusalCode.INVALID_TEXT, "name")
    if len(text) > MAX_RAW or any(unicodedata.category(c) in HIDDEN_CATEGORIES - {"Cf"} for c in text):
        return refused
    normal = unicodedata.normalize("NFKC", text.translate(TYPEWRITER_ACUTE))
    name = " ".join(part for part in _spaces(normal).split(" ") if part)
    return name if 1 <= len(name) <= MAX_LENGTH and is_visible(name) else refused


def _spaces(text: str) -> str:
    return "".join(" " if unicodedata.category(c) == "Zs" else c for c in text)


def is_visible(name: str) -> bool:
    """Every character shows, and every mark stands on something that shows."""
    marks = 0
    for index, char in enumerate(name):
        category = unicodedata.category(char)
        if char in (ZWJ, EMOJI_SELECTOR):
            if not _in_emoji(name, index):
                return False
        elif category in HIDDEN_CATEGORIES or ord(char) in BLANKS:
            return False
        elif category in ("Mn", "Me", "Mc"):
            marks += 1
            if index == 0 or name[index - 1] == " " or marks > MAX_MARKS:
                return False
        else:
            marks = 0
    return True


def _in_emoji(name: str, index: int) -> bool:
    """A joiner between two pictures, or the selector that makes the picture before it a coloured one."""
    before = name[index - 1] if index else ""
    if name[index] == EMOJI_SELECTOR:
        return _is_picture(before) or before in tuple("#*0123456789")
    if before == EMOJI_SELECTOR or (before and ord(before) in SKIN_TONES):
        before = name[index - 2] if index > 1 else ""
    return _is_picture(before) and index + 1 < len(name) and _is_picture(name[index + 1])


def _is_picture(char: str) -> bool:
    return bool(char) and unicodedata.category(char) == "So" and ord(char) not in BLANKS
