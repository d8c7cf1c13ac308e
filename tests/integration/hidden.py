"""What a viewer of a game could not know at each version, from its log, and whether anything he was sent shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import asyncpg
import msgspec
from circolo_cardgames.match import Match
from circolo_cardgames.registry import REGISTRY
from circolo_cardgames.solitaire.decider import Solitaire
from circolo_contracts.cardgames import CardPlayed, DealStarted
from circolo_contracts.solitaire import StockTurned
from circolo_devstack.api import Json
from circolo_devstack.stack import Stack

CARD = re.compile(r"(?:10|[1-9])[DCSB]\Z")
FROM_BEFORE = ("lastTrick", "lastPlay")
"""These stay to be looked at while the next deal begins, when their cards are in somebody's hand again."""


@dataclass(frozen=True)
class Told:
    """A game as it is stored: ``events[v - 1]`` is version v, ``states[v - 1]`` what it made."""

    events: list[Any]
    states: list[Any]
    open: list[set[str]]
    """Cards that have been played, or lain on the table, by then."""

    def hidden(self, version: int, seat: int | None) -> set[str]:
        """Cards of the others' hands, of the stock and set aside, of the pyramid's covered places."""
        state = self.states[version - 1]
        if hasattr(state, "position"):
            return self._under(version)
        if state.deal is None:
            return set()
        deal = state.deal
        others = [card for number, hand in enumerate(deal.hands) if number != seat for card in hand]
        return {*others, *deal.stock, *deal.aside} - {deal.trump_card} - {each.card for each in deal.known}

    def _under(self, version: int) -> set[str]:
        lying, rules = self.states[version - 1].position, self.states[version - 1].rules
        turned = {event.card for event in self.events[:version] if isinstance(event, StockTurned)}
        covered = {card for card in lying.pyramid if card is not None} - set(rules.free(lying)) if lying.pyramid else ()
        return ({*lying.stock} - turned) | {*covered}

    def deal_began(self, version: int) -> int:
        """The version of the last deal's first event."""
        return next((v for v in range(version, 0, -1) if isinstance(self.events[v - 1], DealStarted)), 1)


async def told(house: Stack, stream: str) -> Told:
    connection = await asyncpg.connect(house.postgres_url)
    try:
        rows = await connection.fetch(
            "SELECT type, schema_v, data FROM cardgames.event WHERE stream = $1 ORDER BY version", stream
        )
    finally:
        await connection.close()
    decider: Any = Solitaire() if stream.startswith("solitaire-") else Match()
    log, state, seen = Told([], [], []), decider.initial, set[str]()
    for row in rows:
        event = REGISTRY.decode(row["type"], row["schema_v"], row["data"])
        state = decider.evolve(state, event)
        if isinstance(event, CardPlayed):
            seen = seen | {event.card}
        elif isinstance(event, DealStarted):
            seen = seen | {*state.deal.table}
        log.events.append(event)
        log.states.append(state)
        log.open.append(seen)
    return log


def cards_in(value: object) -> set[str]:
    """Every string in it that is a card."""
    if isinstance(value, str):
        return {value} if CARD.match(value) else set()
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*map(cards_in, inner))


def shown_in(value: object) -> Iterator[tuple[Json, list[Json]]]:
    """Every view of a game in a document, with what happened beside it."""
    if isinstance(value, dict):
        game = value.get("game")
        if isinstance(game, dict) and "status" in game:
            yield game, value.get("happened") or []
            return
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from shown_in(inner)


def leaks(frames: list[bytes], log: Told, seat: int | None) -> Iterator[str]:
    """What one viewer was sent and could not know. A seat's own hand has to be what the log says that it holds."""
    for number, frame in enumerate(frames):
        document = msgspec.json.decode(frame)
        views = list(shown_in(document))
        if not views and cards_in(document):
            yield f"frame {number}: cards without a game: {cards_in(document)}"
        for view, happened in views:
            version = view["version"]
            if version == 0:
                continue
            now = [each for each in happened if each["atVersion"] >= log.deal_began(version)]
            shown = cards_in({**view, **dict.fromkeys(FROM_BEFORE)}) | cards_in(now)
            if known := shown & log.hidden(version, seat):
                yield f"frame {number}, version {version}: {known}"
            if unplayed := cards_in([view.get(name) for name in FROM_BEFORE]) - log.open[version - 1]:
                yield f"frame {number}, version {version}: played last and never on the table: {unplayed}"
            if seat is not None and "hand" in view and view["hand"] != list(log.states[version - 1].deal.hands[seat]):
                yield f"frame {number}, version {version}: not the hand of seat {seat}"
            if view["status"] == "RUNNING" and view["seed"] is not None:
                yield f"frame {number}, version {version}: the seed"
