"""``python -m circolo_cardgames.record``: see the package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import asyncpg
from circolo_contracts.cardgames import CardPlayed
from circolo_contracts.solitaire import CardMoved, CardsRemoved, StockTurned, WasteTurned
from circolo_service.export import Unreadable
from circolo_service.proof import FALSE, HOLDS, UNREADABLE

from circolo_cardgames.export import MATCHES
from circolo_cardgames.verify import PROOF

from . import read_record, record_of

MOVES = (CardMoved, CardsRemoved, StockTurned, WasteTurned)


def _parse(arguments: list[str] | None) -> tuple[str | None, Path | None]:
    parser = argparse.ArgumentParser(prog="circolo record", description="The record of a finished match.")
    parser.add_argument("game", nargs="?", help="the game's id, as the API gives it, or 32 hex digits")
    parser.add_argument("--check", type=Path, metavar="FILE", help="play a record through the rules instead")
    options = parser.parse_args(arguments)
    if (options.game is None) == (options.check is None):
        parser.error("name a game, or a file with --check")
    if options.game is not None and PROOF.game_id_of(options.game) is None:
        parser.error("that is no id of a card game")
    return options.game, options.check


def main(arguments: list[str] | None = None) -> int:
    """0: written, or the record holds; 1: the record does not; 2: the match cannot be read."""
    game, file = _parse(arguments)
    try:
        if file is not None:
            events = read_record(file.read_text(encoding="utf-8"))
            moves = sum(isinstance(each, MOVES) for each in events)
            cards = sum(isinstance(each, CardPlayed) for each in events)
            sys.stdout.write(f"every line holds: {f'{cards} cards' if cards else f'{moves} moves'}\n")
        else:
            sys.stdout.write(record_of(MATCHES.events_of(PROOF.stored(PROOF.game_id_of(str(game)) or ""))))
    except (OSError, UnicodeDecodeError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        sys.stderr.write(f"cannot be read: {error}\n")
        return UNREADABLE
    except Unreadable as error:
        sys.stderr.write(f"{error}\n")
        return UNREADABLE if file is None else FALSE
    return HOLDS


if __name__ == "__main__":
    sys.exit(main())
