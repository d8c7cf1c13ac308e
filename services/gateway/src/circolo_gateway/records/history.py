"""Finished matches with their score sheets, the newest first.

Everybody may see a ranked match and one that was played in a public room; a friendly match of a private room is seen
by who sat in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import asyncpg
import msgspec
from circolo_contracts.cardgames import DealScore
from circolo_contracts.games import SettingValue
from circolo_contracts.rooms import SeatOccupant
from msgspec import Struct

from .pages import SECONDS, Page, page_of

_seats = msgspec.json.Decoder(list[SeatOccupant]).decode
_settings = msgspec.json.Decoder(dict[str, SettingValue]).decode
_deals = msgspec.json.Decoder(list[DealScore]).decode
_score = msgspec.json.Decoder(list[int]).decode

_COLUMNS = ", ".join(
    f"m.{name}"
    for name in (
        "match", "game", "ranked", "room", "game_no", "seats_json", "settings_json", "deals_json", "score_json",
        "outcome", "reason", "winner", "abandoned_by", "started_at", "ended_at",
    )
)  # fmt: skip
_VISIBLE = """
(m.ranked OR $1::text = ANY (m.players)
 OR EXISTS (SELECT FROM projector.room r WHERE r.room = m.room AND r.visibility = 'PUBLIC'))
"""


class FinishedMatch(Struct, frozen=True):
    match: str
    game: str
    ranked: bool
    room: str
    game_no: int
    """From 1 within the room."""
    seats: list[SeatOccupant]
    settings: dict[str, SettingValue]
    deals: list[DealScore]
    """The score sheets."""
    score: list[int]
    """By team; empty when no deal was finished."""
    outcome: str
    reason: str | None
    """Of an abandonment: LEFT, TIMEOUT, EXPELLED."""
    winner: int | None
    """The team."""
    abandoned_by: int | None
    """The seat."""
    started_at: int
    ended_at: int


def key_of(match: FinishedMatch) -> tuple[int, str]:
    """What a cursor names: the time of the end, and the match."""
    return match.ended_at, match.match


async def history(
    pool: asyncpg.Pool, viewer: str | None, *, player: str | None = None, game: str | None = None, first: int,
    after: tuple[int, str] | None = None,
) -> Page[FinishedMatch]:  # fmt: skip
    """What ``viewer`` (None: anybody) may see of everybody's matches, or of one player's, of all games or of one."""
    arguments = [value for value in (player, game) if value is not None]
    records = await pool.fetch(
        _list(player is not None, game is not None, after is not None), viewer, first + 1, *arguments, *(after or ()),
        timeout=SECONDS,
    )  # fmt: skip
    return page_of(records, first, _finished)


async def finished_matches(
    pool: asyncpg.Pool, viewer: str | None, matches: Sequence[str]
) -> Mapping[str, FinishedMatch]:
    """By match; without those that have not ended, or that the viewer may not see."""
    records = await pool.fetch(
        f"SELECT {_COLUMNS} FROM projector.match_history m WHERE {_VISIBLE} AND m.match = ANY ($2::text[])",
        viewer, matches, timeout=SECONDS,
    )  # fmt: skip
    return {record["match"]: _finished(record) for record in records}


@cache
def _list(of_player: bool, of_game: bool, goes_on: bool) -> str:
    """Each kind of page is a statement of its own, so that each has a plan that goes straight to its rows."""
    key = "p" if of_player else "m"
    source = "projector.match_history m"
    if of_player:
        source = "projector.match_player p JOIN projector.match_history m ON m.match = p.match"
    number = 3
    wanted = [_VISIBLE]
    for asked, column in ((of_player, "player"), (of_game, "game")):
        if asked:
            wanted.append(f"{key}.{column} = ${number}")
            number += 1
    if goes_on:
        wanted.append(f"({key}.ended_at, {key}.match) < (${number}::int8, ${number + 1}::text)")
    return (
        f"SELECT {_COLUMNS} FROM {source} WHERE {' AND '.join(wanted)} "
        f"ORDER BY {key}.ended_at DESC, {key}.match DESC LIMIT $2"
    )


def _finished(record: Any) -> FinishedMatch:
    return FinishedMatch(
        match=record["match"], game=record["game"], ranked=record["ranked"], room=record["room"],
        game_no=record["game_no"], seats=_seats(record["seats_json"]), settings=_settings(record["settings_json"]),
        deals=_deals(record["deals_json"]), score=_score(record["score_json"]), outcome=record["outcome"],
        reason=record["reason"], winner=record["winner"], abandoned_by=record["abandoned_by"],
        started_at=record["started_at"], ended_at=record["ended_at"],
    )  # fmt: skip
