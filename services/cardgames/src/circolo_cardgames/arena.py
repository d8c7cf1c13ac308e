"""``python -m circolo_cardgames.arena``: two levels of CPU play mirrored deals against each other, in memory.

Each shuffled deck is played once with A on one side of the table and once on the other, so that the cards of a deal
are nobody's luck; figures are of such pairs, with intervals of 95 %. Progress goes to standard error, and Ctrl-C ends
the run with the figures of what has been played. Exit 0: played, 2: the question makes no sense, 130: interrupted.
"""

from __future__ import annotations

import argparse
import hashlib
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import get_args

import msgspec
from circolo_contracts.cardgames import Declare, PlayCard
from circolo_contracts.games import CATALOGUE, SettingProblem, SettingValue, complete_settings
from circolo_contracts.rooms import CpuLevel, SeatOccupant
from msgspec import UNSET, Struct

from .cpu import choose, declarations
from .cpu.search import Budget, search
from .games import GAMES
from .rehearsal import Rehearsal
from .sight import Sight
from .tally import Deals, Tally, table

PLAYED, INTERRUPTED = 0, 130
SAY_SECONDS = 2.0


class Bout(Struct, frozen=True):
    """What is to be played."""

    game: str
    a: CpuLevel
    b: CpuLevel
    deals: int
    settings: dict[str, SettingValue]
    budget: Budget
    seed: str = "arena"

    @property
    def seats(self) -> int:
        return CATALOGUE[self.game].seat_count(self.settings)


def sides(bout: Bout) -> Iterator[list[bool]]:
    """The seats of A in each game of one deck: every way to share the table fairly."""
    seats = bout.seats
    if seats % 2 == 0:
        yield [seat % 2 == 0 for seat in range(seats)]
        yield [seat % 2 == 1 for seat in range(seats)]
        return
    for alone in range(seats):  # an odd one plays for himself, so each level is alone once on each seat
        yield [seat == alone for seat in range(seats)]
        yield [seat != alone for seat in range(seats)]


def mirrored(bout: Bout, number: int) -> Deals:
    """One deck, played once for each way to sit."""
    seed = hashlib.sha256(f"{bout.seed} {number}".encode()).digest()
    played = Deals()
    for seats_of_a in sides(bout):
        _play(bout, seed, number % bout.seats, seats_of_a, played)
    return played


def _play(bout: Bout, seed: bytes, dealer: int, seats_of_a: Sequence[bool], played: Deals) -> None:
    chairs = [SeatOccupant(cpu=bout.a if is_a else bout.b) for is_a in seats_of_a]
    table = Rehearsal(bout.game, chairs, bout.settings, seed=seed, dealer=dealer)
    while not table.state.deals and table.state.is_running:
        seat = table.state.turn
        is_a = seats_of_a[seat]
        level, seconds = (bout.a, played.thought_a) if is_a else (bout.b, played.thought_b)
        table.play_on(_Chooser(bout, level, seconds), plays=1)
    deal = table.state.deals[0]
    teams = table.state.teams
    ours = {team for team, is_a in zip(teams, seats_of_a, strict=True) if is_a}
    mine = [deal.points[team] for team in ours]
    theirs = [points for team, points in enumerate(deal.points) if team not in ours]
    ahead = sum(mine) / len(mine) - sum(theirs) / len(theirs)
    won = 0.5 if deal.winner is UNSET else float(deal.winner in ours)
    played.games.append((won, -ahead if GAMES[bout.game].fewest_win else ahead))


class _Chooser:
    """A level at one table, and how long it takes."""

    def __init__(self, bout: Bout, level: CpuLevel, seconds: list[float]) -> None:
        self._bout = bout
        self._level = level
        self._seconds = seconds

    def __call__(self, sight: Sight) -> PlayCard | Declare:
        announced = declarations(sight)
        if announced:
            return announced[0]
        seed = f"{self._bout.seed} {sight.view.version}"
        started = time.perf_counter()
        if self._level == "HARD":
            move: PlayCard | None = search(sight, seed, self._bout.budget).move
        else:
            move = choose(sight, self._level, seed)
        self._seconds.append(time.perf_counter() - started)
        assert move is not None
        return move


def play(bout: Bout, jobs: int, say: Callable[[str], None]) -> tuple[Tally, bool]:
    """Every deal of the bout, and whether all were played: Ctrl-C ends it early."""
    tally, started, said_at = Tally(), time.perf_counter(), 0.0
    try:
        for number, deals in enumerate(_results(bout, jobs), 1):
            tally.add(deals)
            spent = time.perf_counter() - started
            if spent - said_at > SAY_SECONDS:
                said_at = spent
                say(f"{number} of {bout.deals} decks, {spent:.0f} s: {bout.a} wins {tally.wins}\n")
    except KeyboardInterrupt:
        return tally, False
    finally:
        tally.seconds = time.perf_counter() - started
    return tally, True


def _results(bout: Bout, jobs: int) -> Iterator[Deals]:
    if jobs == 1:
        for number in range(bout.deals):
            yield mirrored(bout, number)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        waiting: set[Future[Deals]] = {pool.submit(mirrored, bout, number) for number in range(bout.deals)}
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:
            pool.shutdown(cancel_futures=True)


def _budget(text: str) -> Budget:
    for unit, factor in (("ms", 0.001), ("s", 1.0)):
        number = text.removesuffix(unit)
        if number != text and number.replace(".", "", 1).isdigit() and float(number) > 0:
            return Budget(plays=10**12, seconds=float(number) * factor)
    if text.isdigit() and int(text) > 0:
        return Budget(plays=int(text), seconds=3600.0)
    raise argparse.ArgumentTypeError("a time like 50ms or 1s, or a number of cards to play in thought")


def _level(text: str) -> CpuLevel:
    for level in get_args(CpuLevel):
        if text.upper() == level:
            return level  # type: ignore[no-any-return]
    raise argparse.ArgumentTypeError("easy, medium or hard")


def _setting(game: str, text: str) -> tuple[str, SettingValue]:
    name, _, value = text.partition("=")
    setting = CATALOGUE[game].setting(name)
    if setting is not None and setting.kind == "bool":
        return name, value.lower() == "true"
    return name, int(value) if value.isdigit() else value


def _parse(arguments: Sequence[str] | None) -> tuple[Bout, argparse.Namespace]:
    parser = argparse.ArgumentParser(prog="circolo arena", description="Let two levels of CPU play mirrored deals.")
    parser.add_argument("--game", required=True, type=str.upper, choices=sorted(GAMES), metavar="GAME")
    parser.add_argument("--a", default="HARD", type=_level, help="easy, medium or hard (default)")
    parser.add_argument("--b", default="MEDIUM", type=_level, help="easy, medium (default) or hard")
    parser.add_argument("--deals", default=200, type=int, help="decks, each played once on each side (default 200)")
    parser.add_argument(
        "--budget", default="50ms", type=_budget, help="of hard for a move: 50ms (default), 1s, or cards"
    )
    parser.add_argument("--players", type=int, help="seats, where the game has a choice")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="any other of the game's")
    parser.add_argument("--seed", default="arena", help="the same decks and whims for the same word")
    parser.add_argument("--jobs", default=1, type=int, help="processes")
    parser.add_argument("--json", type=Path, help="the figures also into this file")
    options = parser.parse_args(arguments)
    given: Mapping[str, SettingValue] = dict(_setting(options.game, text) for text in options.setting)
    if options.players is not None:
        given = {**given, "players": options.players}
    settings = complete_settings(CATALOGUE[options.game], given)
    if isinstance(settings, SettingProblem):
        parser.error(f"{options.game} has no setting {settings.name} with that value")
    if options.deals < 1 or options.jobs < 1:
        parser.error("at least one deal and one process")
    bout = Bout(options.game, options.a, options.b, options.deals, settings, options.budget, options.seed)
    return bout, options


def main(arguments: Sequence[str] | None = None) -> int:
    bout, options = _parse(arguments)

    def say(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    tally, complete = play(bout, options.jobs, say)
    if tally.decks:
        sys.stdout.write(table(bout.game, bout.a, bout.b, bout.seats, tally))
        if options.json is not None:
            options.json.write_bytes(msgspec.json.format(msgspec.json.encode({"bout": bout, **tally.figures()})))
    return PLAYED if complete else INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
