"""``python -m circolo_tombola.verify <game>``: prove that a finished tombola was dealt, called and judged fairly.

Reads the game from the store (CIRCOLO_POSTGRES_URL) or, with ``--file``, from a file that ``--export`` wrote; then it
needs no server. It follows the seed to every ticket and every call, and the rules to every prize. What it proves:
nothing was changed after the commitment was published. What it cannot prove: that the seed was drawn blindly.
Exit 0: everything holds; 1: the first check that does not; 2: the game cannot be read or is not over.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path

import asyncpg
from circolo_contracts.ids import id_of, is_hex_id, is_stream, kind_of, parse_global_id, stream_of
from circolo_events.store import Store
from msgspec import Struct

from .checks import check
from .export import ExportedGame, Unreadable, events_of, exported, from_bytes, to_bytes
from .reactions import GAME, SERVICE

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
    return id_of(stream) if is_stream(stream) and kind_of(stream) == GAME else None


async def from_store(url: str, game_id: str) -> ExportedGame:
    pool = await asyncpg.create_pool(url, min_size=1, max_size=1)
    try:
        return exported(game_id, await Store(pool, schema=SERVICE).read_stream(stream_of(GAME, game_id)))
    finally:
        await pool.close()


def _read(request: Request) -> ExportedGame:
    if request.file is not None:
        return from_bytes(request.file.read_bytes())
    url = os.environ.get("CIRCOLO_POSTGRES_URL_TOMBOLA") or os.environ.get("CIRCOLO_POSTGRES_URL")
    if not url:
        raise Unreadable("set CIRCOLO_POSTGRES_URL, or name an exported tombola with --file")
    return asyncio.run(from_store(url, request.game_id))


def _run(request: Request) -> int:
    game = _read(request)
    events = events_of(game)
    if game.game_id != request.game_id:
        raise Unreadable(f"this is the tombola {game.game_id}")
    for step in check(request.game_id, events):
        sys.stdout.write(f"{'ok   ' if step.holds else 'FALSE'}  {step.text}\n")
        if not step.holds:
            return FALSE
    if request.export is not None:
        request.export.write_bytes(to_bytes(game))
        sys.stdout.write(f"written to {request.export}\n")
    return HOLDS


def _parse(arguments: list[str] | None) -> Request:
    parser = argparse.ArgumentParser(prog="circolo verify", description="Prove that a finished tombola was fair.")
    parser.add_argument("game", help="the game's id, as the API gives it, or 32 hex digits")
    parser.add_argument("--file", type=Path, help="read an exported tombola instead of the store")
    parser.add_argument("--export", type=Path, help="write the tombola to this file when everything holds")
    options = parser.parse_args(arguments)
    game_id = game_id_of(options.game)
    if game_id is None:
        parser.error("that is no id of a tombola")
    return Request(game_id, options.export, options.file)


def main(arguments: list[str] | None = None) -> int:
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
