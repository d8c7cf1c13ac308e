"""``python -m bench games``: what the rules cost, game by game, and what a thousand live matches take.

Everything runs in one process on one core, and time is the process's own. A state is one position with its legal moves,
one of them applied and all that follows from it; a play through the match adds the command, the events and their fold.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import time
import tracemalloc
from collections.abc import Callable

from circolo_cardgames.conformance.deals import any_move, opened
from circolo_cardgames.conformance.matches import at_random, sat_down
from circolo_cardgames.cpu.search import Budget, search
from circolo_cardgames.games import GAMES
from circolo_cardgames.games.deal import NOBODY
from circolo_cardgames.state import MatchState
from circolo_contracts.cardgames import CardPlayed
from circolo_contracts.games import CATALOGUE, SettingValue, complete_settings

from .machine import described
from .processes import load_average

LIVE = 1_000
PLAYS_IN_THOUGHT = 4_000


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure")
    parser.add_argument("--repeats", type=int, default=3)


def run(options: argparse.Namespace) -> int:
    print(described())
    print("| game | seats | states/s | plays/s through the match | playouts/s of HARD |\n|---|---|---|---|---|")
    for kind in GAMES:
        for settings in _tables(kind):
            figures = [
                statistics.median(measure(kind, settings, options.seconds) for _ in range(options.repeats))
                for measure in (states, plays, playouts)
            ]
            seats = CATALOGUE[kind].seat_count(settings)
            print(f"| {kind.lower()} | {seats} | " + " | ".join(f"{figure:,.0f}" for figure in figures) + " |")
    print(f"\n| game | seats | KB for each of {LIVE:,} live matches |\n|---|---|---|")
    for kind in GAMES:
        for settings in _tables(kind):
            print(f"| {kind.lower()} | {CATALOGUE[kind].seat_count(settings)} | {live(kind, settings):.1f} |")
    print(f"load average at the end {load_average():.1f}")
    return 0


def _tables(kind: str) -> list[dict[str, SettingValue]]:
    """The defaults at each number of seats."""
    game = CATALOGUE[kind]
    found = []
    for seats in game.seats:
        settings = complete_settings(game, {"players": seats} if game.setting("players") is not None else {})
        assert isinstance(settings, dict)
        found.append(settings)
    return found


def _rate(seconds: float, some: Callable[[int], int]) -> float:
    """How many a second; ``some`` does a number of them for a seed and says how many."""
    done, seed = 0, 0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        done += some(seed)
        seed += 1
    return done / spent


def states(kind: str, settings: dict[str, SettingValue], seconds: float) -> float:
    rules, seats = GAMES[kind].rules(settings), CATALOGUE[kind].seat_count(settings)

    def deal(seed: int) -> int:
        chance = random.Random(seed)
        position, count = opened(rules, seats, chance), 0
        while position.turn != NOBODY:
            position = rules.evolve(position, rules.played(position, any_move(rules, position, chance), 0))
            while (following := rules.follows(position)) is not None:
                position = rules.evolve(position, following)
            count += 1
        return count

    return _rate(seconds, deal)


def plays(kind: str, settings: dict[str, SettingValue], seconds: float) -> float:
    def match(seed: int) -> int:
        table = sat_down(kind, settings, str(seed))
        before = len(table.events)
        table.play_on(at_random(random.Random(seed)), plays=40)
        return sum(isinstance(event, CardPlayed) for event in table.events[before:])

    return _rate(seconds, match)


def playouts(kind: str, settings: dict[str, SettingValue], seconds: float) -> float:
    """In searches a quarter into a deal."""

    def decision(seed: int) -> int:
        table = sat_down(kind, settings, f"search {seed}")
        table.play_on(at_random(random.Random(seed)), plays=8)
        return search(table.sight(table.state.turn), str(seed), Budget(PLAYS_IN_THOUGHT)).playouts

    return _rate(seconds, decision)


def live(kind: str, settings: dict[str, SettingValue]) -> float:
    """KB of the state alone, as the runtime keeps it, half a deal old; a match's log is in the database."""
    tracemalloc.start()
    kept = [_half_played(kind, settings, number) for number in range(LIVE)]
    gc.collect()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken / len(kept) / 1024


def _half_played(kind: str, settings: dict[str, SettingValue], number: int) -> MatchState:
    table = sat_down(kind, settings, f"live {number}")
    table.play_on(at_random(random.Random(number)), plays=18)
    return table.state
