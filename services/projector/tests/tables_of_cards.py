"""Matches as cardgames commits them, and payouts as the ledger does, drawn at random: every game, people and CPU
players, leavers, tables that break up, matches that are still being played."""

from __future__ import annotations

import random
import uuid

from circolo_contracts import cardgames
from circolo_contracts.cardgames import MatchEvent
from circolo_contracts.games import CATALOGUE
from circolo_contracts.ledger import Entry, Paid, PayoutEvent, Reversed
from circolo_contracts.rooms import SeatOccupant
from msgspec import UNSET, Struct, UnsetType

NEW_YEAR_2026 = 1_767_225_600_000
YEAR_MS = 365 * 86_400_000
GAMES = [kind for kind, game in CATALOGUE.items() if game.stream_kind == "match"]


def people(count: int) -> list[str]:
    return [f"{number:032x}" for number in range(1, count + 1)]


class Table(Struct, frozen=True):
    """Where a match is played, by whom and for what."""

    match: str
    game: str
    seats: list[SeatOccupant]
    ranked: bool = True
    room: str = "1" * 32
    at: int = NEW_YEAR_2026

    def started(self) -> cardgames.MatchStarted:
        settings = CATALOGUE[self.game].defaults()
        if "players" in settings:
            settings["players"] = len(self.seats)
        return cardgames.MatchStarted(
            at=self.at, commitment="c", dealer=0, game=self.game, game_id=self.match, game_no=1, room=self.room,
            seats=self.seats, seed="5" * 64, settings=settings, ranked=True if self.ranked else UNSET,
        )  # fmt: skip

    def ended(
        self, outcome: cardgames.Outcome, *, winner: int | UnsetType = UNSET, abandoned_by: int | UnsetType = UNSET
    ) -> cardgames.MatchEnded:
        reason = UNSET if abandoned_by is UNSET else "LEFT"
        return cardgames.MatchEnded(
            at=self.at + 600_000, last_dealer=0, outcome=outcome, room=self.room, abandoned_by=abandoned_by,
            reason=reason, winner=winner,
        )  # fmt: skip


def four(*players: str, game: str = "SCOPONE_NOVE", match: str = "e" * 32) -> Table:
    return Table(match, game, [SeatOccupant(player=player) for player in players])


def deal(number: int, sides: int, chance: random.Random) -> list[MatchEvent]:
    """What the figures read of a deal, with some of what they do not."""
    points = [chance.randrange(8) for _ in range(sides)]
    return [
        cardgames.DealStarted(deal_no=number, dealer=0, deck=[], leader=1, shuffle_no=number),
        *(cardgames.CardPlayed(at=NEW_YEAR_2026, card="7D", seat=0) for _ in range(chance.randrange(3))),
        cardgames.DealEnded(
            deal_no=number, points=points, won=[number * p for p in points],
            sheet=chance.choice([UNSET, [cardgames.Category("SWEEPS", points)]]),
            winner=chance.choice([UNSET, chance.randrange(sides)]),
        ),
    ]  # fmt: skip


def at_random(chance: random.Random, club: list[str]) -> tuple[Table, list[MatchEvent]]:
    """One match, of any game, that has been finished, given up, stopped or not ended yet."""
    game = chance.choice(GAMES)
    count = chance.choice(CATALOGUE[game].seats)
    ranked = chance.random() < 0.75
    seats = [SeatOccupant(player=player) for player in chance.sample(club, count)]
    if not ranked and chance.random() < 0.5:
        seats[-1] = SeatOccupant(cpu="EASY")
    table = Table(
        uuid.UUID(int=chance.getrandbits(128)).hex, game, seats, ranked, uuid.UUID(int=chance.getrandbits(128)).hex,
        NEW_YEAR_2026 + chance.randrange(2 * YEAR_MS),
    )  # fmt: skip
    started = table.started()
    if not ranked and chance.random() < 0.1:
        return table, [cardgames.GameCancelled(table.at, game, table.match, "NOT_ALLOWED", table.room)]
    sides = CATALOGUE[game].team_count(started.settings)
    events: list[MatchEvent] = [started]
    for number in range(1, chance.randrange(1, 6)):
        events += deal(number, sides, chance)
    if chance.random() < 0.1:
        return table, events
    return table, [*events, end(chance, table, sides), cardgames.SeedRevealed("5" * 64)]


def end(chance: random.Random, table: Table, sides: int) -> cardgames.MatchEnded:
    how = chance.random()
    if how < 0.6:
        return table.ended("WON", winner=chance.randrange(sides))
    if how < 0.9:
        seat = chance.randrange(len(table.seats))
        other = 1 - seat % 2 if sides == 2 else UNSET
        return table.ended("ABANDONED", abandoned_by=seat, winner=other)
    if table.game == "BRISCOLA":
        return table.ended("TIED")
    return table.ended("IDLE" if table.ranked else "STOPPED")


def payouts(chance: random.Random, table: Table, club: list[str]) -> dict[str, list[PayoutEvent]]:
    """By stream, what some deals of a match paid; now and then it is taken back, a season later."""
    made: dict[str, list[PayoutEvent]] = {}
    for number in range(chance.randrange(4)):
        cause = uuid.UUID(int=chance.getrandbits(128)).hex
        at = table.at + number * YEAR_MS // 10
        stream = f"payout-{uuid.UUID(int=chance.getrandbits(128)).hex}"
        events: list[PayoutEvent] = [
            Paid(at, cause, balanced(chance, club), table.game, table.match, chance.choice(["DEAL", "MATCH"]))
            for _ in range(chance.choice([1, 1, 2]))
        ]
        if chance.random() < 0.2:
            entries = [Entry(e.account, -e.amount) for event in events for e in event.entries]
            events.append(Reversed(at + YEAR_MS // 3, club[0], cause, entries, "FAULT"))
        made[stream] = events
    return made


def balanced(chance: random.Random, club: list[str]) -> list[Entry]:
    got = [Entry(f"player-{player}", chance.randrange(-70, 80) or 1) for player in chance.sample(club, 4)]
    total = sum(entry.amount for entry in got)
    return [*got, Entry("pot", -total)] if total else got
