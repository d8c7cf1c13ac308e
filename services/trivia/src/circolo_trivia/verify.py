"""``python -m circolo_trivia.verify <game>``: prove that a finished night was shuffled, judged and counted fairly.

Reads the night from the store (CIRCOLO_POSTGRES_URL) or, with ``--file``, from a file that ``--export`` wrote; then it
needs no server. It follows the seed to the order of every question's options, and the rules to every point. What it
proves: nothing was changed after the commitment was published. What it cannot prove: that the seed was drawn blindly,
or which questions the bank could have given.
Exit 0: everything holds; 1: the first check that does not; 2: the night cannot be read or is not over.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import asyncpg
from circolo_contracts.games import TRIVIA
from circolo_contracts.ids import id_of, is_hex_id, is_stream, kind_of, parse_global_id, stream_of
from circolo_events.store import Store
from msgspec import Struct

from .checks import check
from .errands import SERVICE
from .export import ExportedNight, Unreadable, events_of, exported, from_bytes, to_bytes

HOLDS, FALSE, UNREADABLE = 0, 1, 2


class Request(Struct, frozen=True):
    game_id: str
    export: Path | None = None
    file: Path | None = None


def game_id_of(text: str) -> str | None:
    """From 32 hex digits, a stream's name or a global id."""
    if is_hex_id(text):
        return text
    parsed = parse_global_id(text)
    stream = parsed[1] if parsed is not None else text
    return id_of(stream) if is_stream(stream) and kind_of(stream) == TRIVIA.stream_kind else None


async def from_store(url: str, game_id: str) -> ExportedNight:
    pool = await asyncpg.create_pool(url, min_size=1, max_size=1)
    try:
        rows = await Store(pool, schema=SERVICE).read_stream(stream_of(TRIVIA.stream_kind, game_id))
    finally:
        await pool.close()
    return exported(game_id, rows)


def _read(request: Request) -> ExportedNight:
    if request.file is not None:
        return from_bytes(request.file.read_bytes())
    url = os.environ.get("CIRCOLO_POSTGRES_URL_TRIVIA") or os.environ.get("CIRCOLO_POSTGRES_URL")
    if not url:
        raise Unreadable("set CIRCOLO_POSTGRES_URL, or name an exported night with --file")
    return asyncio.run(from_store(url, request.game_id))


def _run(request: Request) -> int:
    night = _read(request)
    events = events_of(night)
    if night.game_id != request.game_id:
        raise Unreadable(f"this is the night {night.game_id}")
    for step in check(request.game_id, events):
        sys.stdout.write(f"{'ok   ' if step.holds else 'FALSE'}  {step.text}\n")
        if not step.holds:
            return FALSE
    if request.export is not None:
        request.export.write_bytes(to_bytes(night))
        sys.stdout.write(f"written to {request.export}\n")
    return HOLDS


def _parse(arguments: Sequence[str] | None) -> Request:
    parser = argparse.ArgumentParser(prog="circolo verify", description="Prove that a finished night was fair.")
    parser.add_argument("game", help="the game's id, as the API gives it, or 32 hex digits")
    parser.add_argument("--file", type=Path, help="read an exported night instead of the store")
    parser.add_argument("--export", type=Path, help="write the night to this file when everything holds")
    options = parser.parse_args(arguments)
    game_id = game_id_of(options.game)
    if game_id is None:
        parser.error("that is no id of a trivia night")
    return Request(game_id, options.export, options.file)


def main(arguments: Sequence[str] | None = None) -> int:
    request = _parse(arguments)
    try:
        return _run(request)
    except Unreadable as error:
        reason = str(error)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        reason = f"cannot be read: {error}"
    sys.stderr.write(f"{reason}\n")
    return UNREADABLE


if __name__ == "__main__":
    sys.exit(main())
