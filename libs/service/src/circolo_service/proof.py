"""The command that proves a finished game: its events, from the store or from a file, through the checks of its game.

Exit 0: everything holds; 1: the first check that does not; 2: the game cannot be read or is not over.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Generic, TypeVar

import asyncpg
from circolo_contracts.ids import id_of, is_hex_id, is_stream, kind_of, parse_global_id, stream_of
from circolo_events.store import Store
from msgspec import Struct

from .export import Export, Exported, Unreadable, to_bytes

HOLDS, FALSE, UNREADABLE = 0, 1, 2
E = TypeVar("E")


class Check(Struct, frozen=True):
    holds: bool
    text: str


class Request(Struct, frozen=True):
    game_id: str
    export: Path | None = None
    file: Path | None = None


class Proof(Generic[E]):
    """Of the games of one service."""

    def __init__(
        self, service: str, kinds: Sequence[str], export: Export[E],
        check: Callable[[str, Sequence[E]], Iterator[Check]], *, called: str,
    ) -> None:  # fmt: skip
        self.service = service
        self.kinds = kinds
        """Of the streams. An id is one game's only, of whichever kind."""
        self.export = export
        self.check = check
        """Every check in the order of play, up to the first that is false. Raises Unreadable."""
        self.called = called
        """The game in full, with its article, for who gave something else's id."""

    def main(self, arguments: Sequence[str] | None = None) -> int:
        request = self._parse(arguments)
        try:
            return self._run(request)
        except Unreadable as error:
            reason = str(error)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            reason = f"cannot be read: {error}"
        sys.stderr.write(f"{reason}\n")
        return UNREADABLE

    def game_id_of(self, text: str) -> str | None:
        """From 32 hex digits, a stream's name or a global id."""
        if is_hex_id(text):
            return text
        parsed = parse_global_id(text)
        stream = parsed[1] if parsed is not None else text
        return id_of(stream) if is_stream(stream) and kind_of(stream) in self.kinds else None

    def stored(self, game_id: str) -> Exported:
        """From the store that the environment names. Raises Unreadable, or what asyncpg raises."""
        url = os.environ.get(f"CIRCOLO_POSTGRES_URL_{self.service.upper()}") or os.environ.get("CIRCOLO_POSTGRES_URL")
        if not url:
            raise Unreadable(f"set CIRCOLO_POSTGRES_URL, or name an exported {self.export.noun} with --file")
        return asyncio.run(self._from_store(url, game_id))

    async def _from_store(self, url: str, game_id: str) -> Exported:
        pool = await asyncpg.create_pool(url, min_size=1, max_size=1)
        try:
            store = Store(pool, schema=self.service)
            rows = [row for kind in self.kinds for row in await store.read_stream(stream_of(kind, game_id))]
        finally:
            await pool.close()
        return self.export.of_stream(game_id, rows)

    def _run(self, request: Request) -> int:
        file = request.file
        game = self.stored(request.game_id) if file is None else self.export.from_bytes(file.read_bytes())
        if game.game_id != request.game_id:
            raise Unreadable(f"this is the {self.export.noun} {game.game_id}")
        for step in self.check(request.game_id, self.export.events_of(game)):
            sys.stdout.write(f"{'ok   ' if step.holds else 'FALSE'}  {step.text}\n")
            if not step.holds:
                return FALSE
        if request.export is not None:
            request.export.write_bytes(to_bytes(game))
            sys.stdout.write(f"written to {request.export}\n")
        return HOLDS

    def _parse(self, arguments: Sequence[str] | None) -> Request:
        noun = self.export.noun
        parser = argparse.ArgumentParser(prog="circolo verify", description=f"Prove that a finished {noun} was fair.")
        parser.add_argument("game", help="the game's id, as the API gives it, or 32 hex digits")
        parser.add_argument("--file", type=Path, help=f"read an exported {noun} instead of the store")
        parser.add_argument("--export", type=Path, help=f"write the {noun} to this file when everything holds")
        options = parser.parse_args(arguments)
        game_id = self.game_id_of(options.game)
        if game_id is None:
            parser.error(f"that is no id of {self.called}")
        return Request(game_id, options.export, options.file)
