"""The SQL of one generation of the matches: their rows, everybody's own list, and sums by player, game and season."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from circolo_contracts.cardgames import DealScore
from circolo_contracts.games import SettingValue
from circolo_contracts.rooms import SeatOccupant
from circolo_events import canonical
from circolo_events.checkpoints import MOVED

from circolo_projector.season import EVERY, season_of

from .match import Match
from .results import results

MODEL_VERSION = 1

_COLUMNS = {
    "match": "text", "version": "int8", "game": "text", "ranked": "bool", "room": "text", "game_no": "int4",
    "players": "text", "seats_json": "text", "settings_json": "text", "deals_json": "text", "score_json": "text",
    "outcome": "text", "reason": "text", "winner": "int4", "abandoned_by": "int4", "started_at": "int8",
    "ended_at": "int8",
}  # fmt: skip
_SEATED = {
    "player": "text", "ended_at": "int8", "match": "text", "game": "text", "season": "text", "ranked": "bool",
    "result": "text",
}  # fmt: skip

_seats = msgspec.json.Decoder(tuple[SeatOccupant, ...])
_settings = msgspec.json.Decoder(dict[str, SettingValue])
_deals = msgspec.json.Decoder(tuple[DealScore, ...])
_score = msgspec.json.Decoder(tuple[int, ...])


def create(generation: int) -> str:
    g = f"g{generation:d}"
    return f"""
    CREATE TABLE match_{g} (
        match text COLLATE "C" PRIMARY KEY,
        version int8 NOT NULL,
        game text COLLATE "C" NOT NULL,
        ranked bool NOT NULL,
        room text COLLATE "C" NOT NULL,
        game_no int4 NOT NULL,
        players text[] COLLATE "C" NOT NULL,
        seats_json text COLLATE "C" NOT NULL,
        settings_json text COLLATE "C" NOT NULL,
        deals_json text COLLATE "C" NOT NULL,
        score_json text COLLATE "C" NOT NULL,
        outcome text COLLATE "C",
        reason text COLLATE "C",
        winner int4,
        abandoned_by int4,
        started_at int8 NOT NULL,
        ended_at int8 NOT NULL
    ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
    CREATE INDEX match_{g}_recent ON match_{g} (ended_at, match) WHERE ended_at > 0;
    CREATE INDEX match_{g}_of_game ON match_{g} (game, ended_at, match) WHERE ended_at > 0;
    CREATE TABLE match_player_{g} (
        player text COLLATE "C" NOT NULL,
        ended_at int8 NOT NULL,
        match text COLLATE "C" NOT NULL,
        game text COLLATE "C" NOT NULL,
        season text COLLATE "C" NOT NULL,
        ranked bool NOT NULL,
        result text COLLATE "C" NOT NULL,
        PRIMARY KEY (player, ended_at, match)
    );
    CREATE INDEX match_player_{g}_of_game ON match_player_{g} (player, game, ended_at, match);
    CREATE TABLE standing_{g} (
        player text COLLATE "C" NOT NULL,
        game text COLLATE "C" NOT NULL,
        season text COLLATE "C" NOT NULL,
        played int4 NOT NULL,
        won int4 NOT NULL,
        lost int4 NOT NULL,
        tied int4 NOT NULL,
        abandoned int4 NOT NULL,
        PRIMARY KEY (player, game, season)
    ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
    CREATE INDEX standing_{g}_won ON standing_{g} (game, season, won, player);
    """


def drop(generation: int) -> str:
    g = f"g{generation:d}"
    return f"DROP TABLE IF EXISTS match_{g}, match_player_{g}, standing_{g}"


def turn_views(generation: int) -> str:
    """In the order in which readers name them, so that a reader and the swap never wait for each other."""
    g = f"g{generation:d}"
    return f"""
    CREATE OR REPLACE VIEW match_player AS
        SELECT player, ended_at, match, game, season, ranked, result FROM match_player_{g};
    CREATE OR REPLACE VIEW match_history AS
        SELECT match, game, ranked, room, game_no, players, seats_json, settings_json, deals_json, score_json, outcome,
               reason, winner, abandoned_by, started_at, ended_at, version FROM match_{g} WHERE ended_at > 0;
    CREATE OR REPLACE VIEW player_statistics AS
        SELECT player, game, played, won, lost, tied, abandoned FROM standing_{g} WHERE season = '{EVERY}';
    CREATE OR REPLACE VIEW win_standing AS
        SELECT game, season, won, player, played FROM standing_{g};
    """


def load(generation: int) -> str:
    columns = ", ".join(name for name in _COLUMNS if name != "players")
    return f"SELECT {columns} FROM match_g{generation:d} WHERE match = ANY ($1::text[])"


def upsert(generation: int, first: int = 1) -> str:
    """One statement for a batch: the matches, everybody's own list, and from what is new in these, the sums.

    Takes ``arguments`` from placeholder ``first`` on; above 1 with the move. A match never goes back to an earlier
    version, and nobody has a match twice: an end that comes again adds nothing to a sum.
    """
    g = f"g{generation:d}"
    matches = _places(first, _COLUMNS)
    seated = _places(first + len(_COLUMNS), _SEATED)
    shown = ", ".join("string_to_array(u.players, ' ')" if name == "players" else f"u.{name}" for name in _COLUMNS)
    changed = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS if name != "match")
    with_move, moved = (f"{MOVED}, ", " CROSS JOIN moved") if first > 1 else ("", "")
    return f"""
    WITH {with_move}kept AS (
        INSERT INTO match_{g} AS old ({", ".join(_COLUMNS)})
        SELECT {shown} FROM unnest({matches}) AS u ({", ".join(_COLUMNS)}){moved}
        ON CONFLICT (match) DO UPDATE SET {changed} WHERE old.version < excluded.version
    ), news AS (
        INSERT INTO match_player_{g} ({", ".join(_SEATED)})
        SELECT u.* FROM unnest({seated}) AS u ({", ".join(_SEATED)})
        ON CONFLICT (player, ended_at, match) DO NOTHING RETURNING player, game, season, ranked, result
    )
    INSERT INTO standing_{g} AS old (player, game, season, played, won, lost, tied, abandoned)
    SELECT player, of_game.game, in_season.season, count(*), count(*) FILTER (WHERE result = 'WON'),
           count(*) FILTER (WHERE result IN ('LOST', 'ABANDONED')), count(*) FILTER (WHERE result = 'TIED'),
           count(*) FILTER (WHERE result = 'ABANDONED')
    FROM news
    CROSS JOIN LATERAL (VALUES (news.game), ('{EVERY}')) AS of_game (game)
    CROSS JOIN LATERAL (VALUES (news.season), ('{EVERY}')) AS in_season (season)
    WHERE ranked AND result <> 'UNDECIDED'
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (player, game, season) DO UPDATE SET
        played = old.played + excluded.played, won = old.won + excluded.won, lost = old.lost + excluded.lost,
        tied = old.tied + excluded.tied, abandoned = old.abandoned + excluded.abandoned
    """


def _places(first: int, columns: dict[str, str]) -> str:
    return ", ".join(f"${first + n}::{kind}[]" for n, kind in enumerate(columns.values()))


def arguments(rows: Iterable[Match]) -> tuple[list[object], ...]:
    """Columns of the matches, then those of who sat in the ones that have ended. Raises what ``results`` raises."""
    matches: tuple[list[object], ...] = tuple([] for _ in _COLUMNS)
    seated: tuple[list[object], ...] = tuple([] for _ in _SEATED)
    for row in rows:
        values = (
            row.match, row.version, row.game, row.ranked, row.room, row.game_no, " ".join(row.players),
            _json(row.seats), _json(row.settings), _json(row.deals), _json(row.score), row.outcome, row.reason,
            row.winner, row.abandoned_by, row.started_at, row.ended_at,
        )  # fmt: skip
        _add(matches, values)
        if row.ended_at:
            season = season_of(row.ended_at)
            for player, result in results(row).items():
                _add(seated, (player, row.ended_at, row.match, row.game, season, row.ranked, result))
    return (*matches, *seated)


def _add(columns: tuple[list[object], ...], values: tuple[object, ...]) -> None:
    for column, value in zip(columns, values, strict=True):
        column.append(value)


def _json(value: object) -> str:
    return canonical.encode(value).decode()


def match_of(record: Any) -> Match:
    """A row of ``load``."""
    return Match(
        match=record["match"], version=record["version"], game=record["game"], room=record["room"],
        game_no=record["game_no"], ranked=record["ranked"], seats=_seats.decode(record["seats_json"]),
        settings=_settings.decode(record["settings_json"]), deals=_deals.decode(record["deals_json"]),
        score=_score.decode(record["score_json"]), started_at=record["started_at"], ended_at=record["ended_at"],
        outcome=record["outcome"], reason=record["reason"], winner=record["winner"],
        abandoned_by=record["abandoned_by"],
    )  # fmt: skip
