"""The SQL of one generation of rooms: its table, the statement that takes a batch, and the views that others read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from circolo_contracts.rooms import SeatOccupant
from circolo_events.checkpoints import MOVED
from msgspec import Struct

from .room import Member, Room

MODEL_VERSION = 2

_COLUMNS = (
    "room, version, code, created_at, visibility, phase, game, settings_json, host, seats, taken, members, spectators, "
    "game_no, game_id, people, ranked"
)
_TYPES = (
    "text", "int8", "text", "int8", "text", "text", "text", "text", "text", "int4", "int4", "int4", "int4", "int4",
    "text", "text", "bool",
)  # fmt: skip


class People(Struct, frozen=True, array_like=True):
    """What the next event is folded onto, besides the columns."""

    members: tuple[Member, ...]
    seats: tuple[SeatOccupant | None, ...]


_people = msgspec.json.Decoder(People)


def table(generation: int) -> str:
    return f"room_g{generation:d}"


def create(generation: int) -> str:
    name = table(generation)
    return f"""
    CREATE TABLE {name} (
        room text COLLATE "C" PRIMARY KEY,
        version int8 NOT NULL,
        code text COLLATE "C" NOT NULL,
        created_at int8 NOT NULL,
        visibility text COLLATE "C" NOT NULL,
        phase text COLLATE "C" NOT NULL,
        game text COLLATE "C" NOT NULL,
        settings_json text COLLATE "C" NOT NULL,
        host text COLLATE "C" NOT NULL,
        seats int4 NOT NULL,
        taken int4 NOT NULL,
        members int4 NOT NULL,
        spectators int4 NOT NULL,
        game_no int4 NOT NULL,
        game_id text COLLATE "C" NOT NULL,
        people text COLLATE "C" NOT NULL,
        ranked bool NOT NULL
    ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
    CREATE INDEX {name}_lobby ON {name} (created_at DESC, room)
        WHERE visibility = 'PUBLIC' AND phase IN ('LOBBY', 'PLAYING');
    """


def drop(generation: int) -> str:
    return f"DROP TABLE IF EXISTS {table(generation)}"


def turn_views(generation: int) -> str:
    """Grants stay with the views."""
    name = table(generation)
    return f"""
    CREATE OR REPLACE VIEW lobby AS
        SELECT room, code, game, host, seats, taken, phase, settings_json, created_at, version, ranked FROM {name}
        WHERE visibility = 'PUBLIC' AND phase IN ('LOBBY', 'PLAYING');
    CREATE OR REPLACE VIEW room AS
        SELECT room, code, visibility, phase, game, host, seats, taken, members, spectators, game_no, game_id,
               settings_json, created_at, version, ranked FROM {name};
    """


def load(generation: int) -> str:
    return (
        "SELECT room, version, code, created_at, visibility, phase, game, settings_json, host, game_no, game_id, "
        f"people, ranked FROM {table(generation)} WHERE room = ANY ($1::text[])"
    )


def upsert(generation: int, first: int = 1) -> str:
    """Takes ``arguments`` from placeholder ``first`` on; above 1 with the move. A row never goes back to an earlier
    version."""
    places = ", ".join(f"${first + n}::{kind}[]" for n, kind in enumerate(_TYPES))
    changed = ", ".join(f"{column} = excluded.{column}" for column in _COLUMNS.split(", ")[1:])
    with_move, moved = (f"WITH {MOVED} ", " CROSS JOIN moved") if first > 1 else ("", "")
    return (
        f"{with_move}INSERT INTO {table(generation)} AS old ({_COLUMNS}) SELECT u.* FROM unnest({places}) AS u{moved} "
        f"ON CONFLICT (room) DO UPDATE SET {changed} WHERE old.version < excluded.version"
    )


def arguments(rows: Iterable[Room]) -> tuple[list[object], ...]:
    columns: tuple[list[object], ...] = tuple([] for _ in _TYPES)
    for row in rows:
        watching = sum(member.spectator for member in row.members)
        people = msgspec.json.encode(People(row.members, row.seats)).decode()
        values = (
            row.room, row.version, row.code, row.created_at, row.visibility, row.phase, row.game, row.settings_json,
            row.host, len(row.seats), row.taken, len(row.members), watching, row.game_no, row.game_id, people,
            row.ranked,
        )  # fmt: skip
        for column, value in zip(columns, values, strict=True):
            column.append(value)
    return columns


def room_of(record: Any) -> Room:
    """A row of ``load``."""
    people = _people.decode(record["people"])
    return Room(
        room=record["room"], version=record["version"], code=record["code"], created_at=record["created_at"],
        visibility=record["visibility"], phase=record["phase"], game=record["game"],
        settings_json=record["settings_json"], host=record["host"], members=people.members, seats=people.seats,
        game_no=record["game_no"], game_id=record["game_id"], ranked=record["ranked"],
    )  # fmt: skip
