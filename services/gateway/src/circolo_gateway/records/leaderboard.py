"""Standings by wins and by brilli, of one game or all, of one season or all time. Who is level shares the rank."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import asyncpg
from msgspec import Struct

from .pages import EVERY, SECONDS, Page

Measure = Literal["WINS", "BRILLI"]

_VIEWS = {"WINS": ("win_standing", "won"), "BRILLI": ("brilli_standing", "brilli")}
_SEASON = re.compile(r"[0-9]{4}-Q[1-4]")


class Place(Struct, frozen=True):
    rank: int
    """One more than there are people with a greater score: 1, 1, 3."""
    player: str
    score: int
    """Wins or brilli."""


def is_season(text: str) -> bool:
    """``2026-Q4``, a calendar quarter by UTC."""
    return _SEASON.fullmatch(text) is not None


def key_of(place: Place) -> tuple[int, str]:
    """What a cursor names: score and player. Ranks are of the moment, and no cursor has them."""
    return place.score, place.player


async def leaderboard(
    pool: asyncpg.Pool, measure: Measure, *, game: str | None = None, season: str | None = None, first: int,
    after: tuple[int, str] | None = None,
) -> Page[Place]:  # fmt: skip
    """The greatest score first. None: all games, all time.

    Whoever's score does not change while somebody turns the pages is on exactly one of them.
    """
    of = (game or EVERY, season or EVERY)
    if after is None:
        records = await pool.fetch(_first(measure), *of, first + 1, timeout=SECONDS)
        return Page(_ranked(records[:first], 0, None, 0), len(records) > first)
    records = await pool.fetch(_next(measure), *of, first + 1, *after, timeout=SECONDS)
    if not records:
        return Page([], False)
    above, passed = records[0]["above"], records[0]["passed"]
    return Page(_ranked(records[:first], passed, after[0], above), len(records) > first)


async def place_of(
    pool: asyncpg.Pool, measure: Measure, player: str, *, game: str | None = None, season: str | None = None
) -> Place | None:
    """One player's; None when he is not in that list."""
    record = await pool.fetchrow(_own(measure), game or EVERY, season or EVERY, player, timeout=SECONDS)
    return None if record is None else Place(record["above"] + 1, player, record["score"])


def _ranked(records: Sequence[Any], passed: int, level: int | None, above: int) -> list[Place]:
    """``passed`` people come before these rows; the last of them has the score ``level``, ``above`` have a greater."""
    places = []
    rank = above + 1
    for index, record in enumerate(records):
        if record["score"] != level:
            level, rank = record["score"], passed + index + 1
        places.append(Place(rank, record["player"], record["score"]))
    return places


@cache
def _first(measure: Measure) -> str:
    view, score = _VIEWS[measure]
    return (
        f"SELECT {score} AS score, player FROM projector.{view} WHERE game = $1 AND season = $2 "
        f"ORDER BY {score} DESC, player DESC LIMIT $3"
    )


@cache
def _next(measure: Measure) -> str:
    """The counts and the page are of one moment."""
    view, score = _VIEWS[measure]
    of = f"FROM projector.{view} WHERE game = $1 AND season = $2"
    return (
        f"SELECT {score} AS score, player, (SELECT count(*) {of} AND {score} > $4::int8) AS above, "
        f"(SELECT count(*) {of} AND ({score}, player) >= ($4::int8, $5::text)) AS passed "
        f"{of} AND ({score}, player) < ($4::int8, $5::text) ORDER BY {score} DESC, player DESC LIMIT $3"
    )


@cache
def _own(measure: Measure) -> str:
    view, score = _VIEWS[measure]
    return (
        f"SELECT own.{score} AS score, (SELECT count(*) FROM projector.{view} AS other WHERE other.game = $1 "
        f"AND other.season = $2 AND other.{score} > own.{score}) AS above "
        f"FROM projector.{view} AS own WHERE own.player = $3 AND own.game = $1 AND own.season = $2"
    )
