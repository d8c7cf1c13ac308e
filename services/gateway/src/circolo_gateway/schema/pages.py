"""Pages of lists, in Relay's form: what may be asked for, and what is said of a page."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from collections.abc import Sequence

import strawberry

from ..records.pages import Key, read_cursor
from ..transport.errors import Problem

MOST = 100
"""The cap of ``first``."""


@strawberry.type
class PageInfo:
    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


def wrong_cursor() -> Problem:
    return Problem("BAD_USER_INPUT", "`after` is not a cursor of this list.")


def checked_first(first: int) -> int:
    if not 0 <= first <= MOST:
        raise Problem("BAD_USER_INPUT", f"`first` is 0 to {MOST}.")
    return first


def checked_after(after: str | None, *kinds: type[int | str]) -> Key | None:
    """What the cursor names; raises Problem for what is no cursor of a list with such keys."""
    if after is None:
        return None
    key = read_cursor(after, *kinds)
    if key is None:
        raise wrong_cursor()
    return key


def page_info(cursors: Sequence[str], *, more: bool, after: str | None, end: str | None = None) -> PageInfo:
    """``end``: where the next page begins, when that is not the last one shown."""
    return PageInfo(
        has_next_page=more,
        has_previous_page=after is not None,
        start_cursor=cursors[0] if cursors else None,
        end_cursor=end or (cursors[-1] if cursors else None),
    )
