"""``python -m circolo_cardgames.verify <game>``: prove that a finished match or solitario was dealt and counted fairly.

Reads the match from the store (CIRCOLO_POSTGRES_URL) or, with ``--file``, from a file that ``--export`` wrote; then
it needs no server. It follows the seed through every shuffle and the rules through every card. What it proves:
nothing was changed after the commitment was published. What it cannot prove: that the seed was drawn blindly.
Exit 0: everything holds; 1: the first check that does not; 2: the match cannot be read or is not over.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import asyncpg
from circolo_contracts.cardgames import MatchEvent
from circolo_contracts.ids import id_of, is_hex_id, is_stream, kind_of, parse_global_id, stream_of
from circolo_contracts.solitaire import SolitaireEvent, SolitaireStarted
from circolo_events.store import Store
from msgspec import Struct

from .checks import Check, check
from .export import ExportedMatch, Unreadable, events_of, exported, from_bytes, to_bytes
from .reactions import MATCH, SOLITAIRE
from .solitaire.checks import check as check_solitaire

HOLDS, FALSE, UNREADABLE = 0, 1, 2
KINDS = (MATCH, SOLITAIRE)


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
    return id_of(stream) if is_stream(stream) and kind_of(stream) in KINDS else None


def checks_of(match: ExportedMatch, game_id: str) -> Iterator[Check]:
    """One after another, up to the first that is false. Raises Unreadable."""
    if match.game_id != game_id:
        raise Unreadable(f"this is the match {match.game_id}")
    events = events_of(match)
    if isinstance(events[0], SolitaireStarted):
        yield from check_solitaire(game_id, cast("list[SolitaireEvent]", events))
    else:
        yield from check(game_id, cast("list[MatchEvent]", events))


async def from_store(url: str, game_id: str) -> ExportedMatch:
    """Of whichever kind the game is: an id is one game's only."""
    connection = await asyncpg.create_pool(url, min_size=1, max_size=1)
    try:
        store = Store(connection, schema="cardgames")
        rows = [row for kind in KINDS for row in await store.read_stream(stream_of(kind, game_id))]
    finally:
        await connection.close()
    return exported(game_id, rows)


def _read(request: Request) -> ExportedMatch:
    return stored_match(request.game_id) if request.file is None else from_bytes(request.file.read_bytes())


def stored_match(game_id: str) -> ExportedMatch:
    """From the store that the environment names. Raises Unreadable, or what asyncpg raises."""
    url = os.environ.get("CIRCOLO_POSTGRES_URL_CARDGAMES") or os.environ.get("CIRCOLO_POSTGRES_URL")
    if not url:
        raise Unreadable("set CIRCOLO_POSTGRES_URL, or name an exported match with --file")
    match = asyncio.run(from_store(url, game_id))
    if not match.events:
        raise Unreadable("there is no such match")
    return match


def _run(request: Request) -> int:
    match = _read(request)
    for step in checks_of(match, request.game_id):
        sys.stdout.write(f"{'ok   ' if step.holds else 'FALSE'}  {step.text}\n")
        if not step.holds:
            return FALSE
    if request.export is not None:
        request.export.write_bytes(to_bytes(match))
        sys.stdout.write(f"written to {request.export}\n")
    return HOLDS


def _parse(arguments: list[str] | None) -> Request:
    parser = argparse.ArgumentParser(prog="circolo verify", description="Prove that a finished match was fair.")
    parser.add_argument("game", help="the game's id, as the API gives it, or 32 hex digits")
    parser.add_argument("--file", type=Path, help="read an exported match instead of the store")
    parser.add_argument("--export", type=Path, help="write the match to this file when everything holds")
    options = parser.parse_args(arguments)
    game_id = game_id_of(options.game)
    if game_id is None:
        parser.error("that is no id of a card game")
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
