"""Text out of bytes, as people's programs write it."""

from __future__ import annotations


class Unreadable(ValueError):
    """The file is not of the format that was said."""


def text_of(data: bytes) -> str:
    """UTF-8, with or without a mark at the beginning; else western Europe's Windows page. Line ends are ``\\n``."""
    if b"\0" in data:
        raise Unreadable("no text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")
