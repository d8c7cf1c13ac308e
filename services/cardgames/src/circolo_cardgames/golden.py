"""Golden hands: whole matches as files, replayed and compared by the tests of every game.

A case names a seed, the seats and the settings, and lists every card in play order; the rest of the file (tricks,
draws, scores) is what the rules make of it. ``python -m circolo_cardgames.golden`` writes that rest anew; without
``plays`` it lets the rules of thumb play the match first. Look at the difference before you keep it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from circolo_contracts.cardgames import (
    CardPlayed,
    Category,
    DealEnded,
    DealStarted,
    DealVoided,
    Declare,
    Declared,
    HandsDealt,
    MatchEnded,
    MatchEvent,
    PlayCard,
    TableTaken,
    TrickEnded,
)
from circolo_contracts.games import CATALOGUE, SOLITARIO
from circolo_contracts.rooms import SeatOccupant
from msgspec import UNSET

from .cpu import choose, declarations
from .notation import written
from .rehearsal import Rehearsal
from .sight import Sight
from .solitaire.golden import replayed as solitaire_replayed

GAMES_FOLDER = Path(__file__).parent / "games"
LONGEST_LINE = 12
"""Moves: three rounds of four players."""


def case_files() -> list[Path]:
    return sorted(GAMES_FOLDER.glob("*/cases/*.json"))


def replayed(case: dict[str, Any]) -> dict[str, Any]:
    """The case as today's rules tell it. Raises ValueError where they refuse one of its cards."""
    if case["game"] == SOLITARIO.kind:
        return solitaire_replayed(case)
    rehearsal = Rehearsal(
        case["game"], [SeatOccupant(cpu="MEDIUM")] * case["players"],
        _settings(case), seed=bytes.fromhex(case["seed"]), dealer=case["dealer"],
    )  # fmt: skip
    if "plays" in case:
        for move in " ".join(case["plays"]).split():
            rehearsal.play(move)
    else:
        rehearsal.play_on(_sensibly)
    head = {key: case[key] for key in ("title", "game", "players", "settings", "dealer", "seed")}
    return {**head, "plays": _plays(rehearsal.events), "story": _story(rehearsal.events)}


def _settings(case: dict[str, Any]) -> dict[str, Any]:
    """The number of seats is a setting only where there is a choice."""
    chosen = CATALOGUE[case["game"]].setting("players") is not None
    return {**case["settings"], "players": case["players"]} if chosen else dict(case["settings"])


def _sensibly(sight: Sight) -> PlayCard | Declare:
    """Announces whatever it may, then plays by the rules of thumb."""
    announced = declarations(sight)
    if announced:
        return announced[0]
    card = choose(sight, "MEDIUM", "golden")
    assert card is not None
    return card


def _plays(events: Sequence[MatchEvent]) -> list[str]:
    """One line for each trick or hand, several for a long hand."""
    lines: list[list[str]] = [[]]
    for event in events:
        if isinstance(event, (CardPlayed, Declared)):
            lines[-1].append(written(event))
            if len(lines[-1]) == LONGEST_LINE:
                lines.append([])
        elif isinstance(event, (TrickEnded, HandsDealt, DealEnded)):
            lines.append([])
    return [" ".join(line) for line in lines if line]


def _story(events: Sequence[MatchEvent]) -> list[str]:
    return [line for line in map(_line, events) if line]


def _line(event: MatchEvent) -> str:
    if isinstance(event, DealStarted):
        return f"deal {event.deal_no}: seat {event.dealer} deals, seat {event.leader} leads; {' '.join(event.deck)}"
    if isinstance(event, DealVoided):
        return f"deal {event.deal_no} is void: {' '.join(event.opened)} opened"
    if isinstance(event, CardPlayed):
        return _taken(event)
    if isinstance(event, HandsDealt):
        return f"hand {event.hand_no}: {' '.join(event.cards)}"
    if isinstance(event, TableTaken):
        return f"seat {event.seat} takes what is left: {' '.join(event.cards)}"
    return _count(event)


def _taken(event: CardPlayed) -> str:
    """What the move itself does not say."""
    if event.captured == []:
        return f"seat {event.seat} keeps {event.card}"
    return f"scopa: seat {event.seat} with {written(event)}" if event.sweep is True else ""


def _count(event: MatchEvent) -> str:
    if isinstance(event, TrickEnded):
        drawn = f"; drawn {' '.join(event.drawn)}" if event.drawn else ""
        return f"trick {event.trick_no}: seat {event.winner} takes {event.points}{drawn}"
    if isinstance(event, DealEnded):
        winner = "a tie" if event.winner is UNSET else f"team {event.winner} wins it"
        sheet = "" if event.sheet is UNSET else f" ({', '.join(map(_category, event.sheet))})"
        return f"deal {event.deal_no}: {_row(event.points)}{sheet}, {winner}; {_row(event.won)}"
    if isinstance(event, MatchEnded):
        return f"match: {event.outcome}" + ("" if event.winner is UNSET else f" by team {event.winner}")
    return ""


def _row(numbers: Sequence[int]) -> str:
    return "-".join(map(str, numbers))


def _category(category: Category) -> str:
    amounts = "" if category.amounts is UNSET else f" for {_row(category.amounts)}"
    return f"{category.name.lower()} {_row(category.points)}{amounts}"


def as_text(case: dict[str, Any]) -> str:
    return json.dumps(case, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    for path in case_files():
        path.write_text(as_text(replayed(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")
        sys.stdout.write(f"{path.relative_to(GAMES_FOLDER)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
