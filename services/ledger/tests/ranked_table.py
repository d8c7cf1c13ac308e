"""Matches as their events tell them, and what the ledger's pure parts make of them: no server, no clock."""

from __future__ import annotations

import random
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence

from circolo_contracts.cardgames import DealEnded, MatchEnded, MatchStarted
from circolo_contracts.games import CATALOGUE, complete_settings
from circolo_contracts.ledger import Entry, Paid, payout_stream
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.wire import Actor
from circolo_events.canonical import reaction_command_id
from circolo_events.decider import Rejection
from circolo_events.testing.scenario import Scenario, given
from circolo_ledger.oracle import MatchOracle
from circolo_ledger.payouts import Payouts
from circolo_ledger.results import sends, table_of
from circolo_ledger.schedules import load
from msgspec import UNSET

PRIZES = load()
PAYOUTS = Payouts(PRIZES)
LEDGER = Actor("service", "ledger")
RANKED = [(game.kind, seats) for game in CATALOGUE.values() if game.ranked for seats in game.seats]
Event = MatchStarted | DealEnded | MatchEnded


def some_id(source: random.Random | None = None) -> str:
    return uuid.uuid4().hex if source is None else f"{source.getrandbits(128):032x}"


class Match:
    """A match at a table, event by event. ``events`` are (id, event)."""

    def __init__(
        self, game: str = "SCOPONE_NOVE", players: Sequence[str] = (), *, seats: int = 4, ranked: bool = True,
        source: random.Random | None = None,
    ) -> None:  # fmt: skip
        self.source = source
        self.id = some_id(source)
        self.players = list(players) or [some_id(source) for _ in range(seats)]
        descriptor = CATALOGUE[game]
        given_settings = {"players": len(self.players)} if descriptor.setting("players") else {}
        settings = complete_settings(descriptor, given_settings)
        assert isinstance(settings, dict)
        self.sides = descriptor.team_count(settings)
        self.deals: list[DealEnded] = []
        started = MatchStarted(
            at=1, commitment="c" * 64, dealer=0, game=game, game_id=self.id, game_no=1, room="f" * 32,
            seats=[SeatOccupant(player=player) for player in self.players], seed="0" * 64, settings=settings,
            ranked=True if ranked else UNSET,
        )  # fmt: skip
        self.started = started
        self.events: list[tuple[str, Event]] = [(some_id(source), started)]

    @property
    def stream(self) -> str:
        return f"match-{self.id}"

    @property
    def totals(self) -> list[int]:
        return [sum(deal.points[side] for deal in self.deals) for side in range(self.sides)]

    def deal(self, *points: int) -> Match:
        won = [mine + now for mine, now in zip(self.totals, points, strict=True)]
        event = DealEnded(len(self.deals) + 1, list(points), won)
        self.deals.append(event)
        return self._add(event)

    def played(self, *deals: tuple[int, ...]) -> Match:
        for points in deals:
            self.deal(*points)
        return self

    def won_by(self, side: int) -> Match:
        return self.end("WON", winner=side)

    def abandoned_by(self, seat: int, reason: str = "LEFT") -> Match:
        winner = 1 - seat % 2 if self.sides == 2 else None
        return self.end("ABANDONED", abandoned_by=seat, reason=reason, winner=winner)

    def end(
        self, outcome: str, *, winner: int | None = None, abandoned_by: int | None = None, reason: str | None = None
    ) -> Match:
        return self._add(
            MatchEnded(
                at=9, last_dealer=0, outcome=outcome, room="f" * 32,  # type: ignore[arg-type]
                abandoned_by=UNSET if abandoned_by is None else abandoned_by,
                reason=UNSET if reason is None else reason,  # type: ignore[arg-type]
                winner=UNSET if winner is None else winner,
            )
        )  # fmt: skip

    def _add(self, event: Event) -> Match:
        self.events.append((some_id(self.source), event))
        return self


def payments_of(match: Match) -> list[Paid]:
    """By the reaction's rules and the decider, as the service does it."""
    paid: list[Paid] = []
    table = table_of(match.started)
    if table is None:
        return paid
    deals: list[DealEnded] = []
    streams: dict[str, Scenario] = {}
    for cause, event in match.events:
        if isinstance(event, MatchStarted):
            continue
        for send in sends(PRIZES, table, cause, event, deals):
            assert send.stream == payout_stream(cause)
            scenario = streams.setdefault(send.stream, given(PAYOUTS, stream=send.stream))
            command_id = reaction_command_id(cause, send.rule)
            decided = scenario.when(send.data, actor=LEDGER, command_id=command_id).decided
            assert decided is not None
            assert not isinstance(decided, Rejection)
            paid += decided
            scenario.go_on()
        if isinstance(event, DealEnded):
            deals.append(event)
    return paid


def balances(payments: Iterable[Paid]) -> Counter[str]:
    return sums(entry for payment in payments for entry in payment.entries)


def sums(entries: Iterable[Entry]) -> Counter[str]:
    found: Counter[str] = Counter()
    for entry in entries:
        found[entry.account] += entry.amount
    return found


def of_players(match: Match) -> list[int]:
    """What each seat has after this match alone."""
    after = balances(payments_of(match))
    return [after[f"player-{player}"] for player in match.players]


def by_the_oracle(match: Match) -> dict[tuple[str, str], dict[str, int]]:
    if match.started.ranked is not True:
        return {}
    oracle = MatchOracle(match.started)
    return {
        reason: owed
        for cause, event in match.events
        if not isinstance(event, MatchStarted)
        for reason, owed in oracle.owed(cause, event)
    }


# ---------------------------------------------------------------- matches by chance


def random_match(source: random.Random, people: Sequence[str]) -> Match:
    """Any ranked game at any size, won, tied, stopped, forgotten, or left by somebody, at any point of it."""
    game, seats = source.choice(RANKED)
    match = Match(game, source.sample(people, seats), ranked=source.random() > 0.1, source=source)
    for _ in range(source.choice((0, 1, 1, 2, 3, 3, 4, 5, 6, 8))):
        match.deal(*_points(source, game, match.sides))
    how = source.choices(("WON", "ABANDONED", "STOPPED", "IDLE", "RUNNING"), (50, 40, 3, 3, 4))[0]
    if how == "ABANDONED":
        match.abandoned_by(source.randrange(seats), source.choice(("LEFT", "TIMEOUT", "EXPELLED")))
    elif how in ("STOPPED", "IDLE"):
        match.end(how)
    elif how == "WON":
        _won(source, match)
    return match


def _points(source: random.Random, game: str, sides: int) -> list[int]:
    if game == "BRISCOLA":
        mine = source.randrange(121)
        return [mine, 120 - mine]
    if game == "VINCIPERDI":
        return [source.randrange(6) for _ in range(sides)]
    return [source.choice((0, 0, 1, 2, 3, 4, 5, 6, 7)) for _ in range(sides)]


def _won(source: random.Random, match: Match) -> None:
    game = match.started.game
    if not match.deals:
        match.deal(*_points(source, game, match.sides))
    if game == "BRISCOLA" and source.random() < 0.3:
        match.end("TIED")
        return
    totals = match.totals
    best = min(totals) if game == "VINCIPERDI" else max(totals)
    while totals.count(best) > 1 and game != "BRISCOLA":
        match.deal(*_points(source, game, match.sides))
        totals = match.totals
        best = min(totals) if game == "VINCIPERDI" else max(totals)
    match.won_by(totals.index(best))
