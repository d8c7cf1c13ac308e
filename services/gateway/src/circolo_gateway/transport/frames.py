"""Frames of a client's bytes (RFC 6455, 5.2), as far as the ordinary ones need: whole, final, masked texts."""

from __future__ import annotations

from enum import Enum

from websockets.frames import apply_mask  # type: ignore[attr-defined]  # in C where it was built

FINAL_TEXT = 0x81
FINAL_CONTROL = (0x88, 0x89, 0x8A)
"""Close, ping, pong."""
LONGEST_CONTROL = 125


class Unusual(Enum):
    """What is not read here."""

    INCOMPLETE = "the frame goes on in bytes that have not come yet"
    CONTROL = "a whole control frame"
    OTHER = "a fragment, a binary message, a frame that is too long or not as it must be"


def read_frame(data: bytes, begin: int, most: int) -> tuple[int, bytes | Unusual]:
    """The frame that begins at ``begin``: where it ends, and its unmasked payload of at most ``most`` bytes.

    ``INCOMPLETE`` and ``OTHER`` end where they begin.
    """
    left = len(data) - begin
    if left < 2:
        return begin, Unusual.INCOMPLETE
    first, length = data[begin], data[begin + 1] - 0x80
    payload = begin + 6
    if length == 126:
        if left < 4:
            return begin, Unusual.INCOMPLETE
        length = (data[begin + 2] << 8) + data[begin + 3]
        payload = begin + 8
        if length < 126:
            return begin, Unusual.OTHER
    elif length == 127 or length < 0:
        return begin, Unusual.OTHER
    if first == FINAL_TEXT:
        if length > most:
            return begin, Unusual.OTHER
    elif first not in FINAL_CONTROL or length > LONGEST_CONTROL:
        return begin, Unusual.OTHER
    end = payload + length
    if end > len(data):
        return begin, Unusual.INCOMPLETE
    if first != FINAL_TEXT:
        return end, Unusual.CONTROL
    return end, apply_mask(data[payload:end], data[payload - 4 : payload])
