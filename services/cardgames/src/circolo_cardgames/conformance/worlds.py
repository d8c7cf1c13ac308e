"""Two worlds that differ only in what a viewer may not know: he must not be able to tell them apart, by one byte.

The other world has the same public story, with the cards that the viewer has not seen exchanged for one another
wherever they are: in the deck, in hands, in draws to come. Every view and every word told must be the same in both.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from circolo_contracts.cardgames import DealStarted, HandsDealt, MatchEvent, TrickEnded
from circolo_contracts.cards import DECK, Card
from circolo_contracts.games import SettingValue
from circolo_events import canonical
from circolo_events.aggregate import Entry, Step, StreamKind
from circolo_events.decider import PUBLIC, Viewer
from circolo_events.pushing import happened_to, views_of
from msgspec.structs import replace

from circolo_cardgames.games.deal import Deal
from circolo_cardgames.match import Match
from circolo_cardgames.state import MatchState
from circolo_cardgames.view import sight

from .matches import at_random, sat_down, shown

Settings = Mapping[str, SettingValue]
MATCH = Match()


def check_worlds(kind: str, settings: Settings, *, matches: int, seed: int = 1, plays: int = 90) -> int:
    """At every phase, for every viewer. Returns how many of the other worlds really were other ones."""
    different = 0
    for number in range(matches):
        table = sat_down(kind, settings, f"worlds {seed} {number}")
        chance = random.Random(f"worlds {kind} {seed} {number}")
        table.play_on(at_random(chance), plays=plays)
        states = fold(MATCH.initial, table.events)
        began = 1
        for version in range(2, len(table.events) + 1):
            if isinstance(table.events[version - 1], DealStarted):
                began = version - 1
            if states[version].revealed:
                break
            here = _Story(table.events[began:version], states[began : version + 1])
            for viewer in [*MATCH.audiences(here.now), PUBLIC]:
                different += _same_to(viewer, here, here.elsewhere(seen_by(viewer, here.states), chance))
    return different


class _Story:
    """The present deal so far: its events, and the states before the first and after each."""

    def __init__(self, events: Sequence[MatchEvent], states: Sequence[MatchState]) -> None:
        self.events = events
        self.states = states

    @property
    def now(self) -> MatchState:
        return self.states[-1]

    def elsewhere(self, seen: set[Card], chance: random.Random) -> _Story:
        """The same with the unseen cards exchanged for one another, and another seed."""
        hidden = [card for card in DECK if card not in seen]
        mixed = hidden[:]
        chance.shuffle(mixed)
        other = dict(zip(hidden, mixed, strict=True))
        events = [otherwise(event, other) for event in self.events]
        return _Story(events, fold(replace(self.states[0], seed="f" * 64), events))

    def told(self, viewer: Viewer) -> bytes:
        """Of the last event and, because a resume tells them again, of the few before it."""
        return canonical.encode(
            [
                happening
                for step in self.last_steps()
                for happening in MATCH.tell(step.event, step.before, step.after, viewer)
            ]
        )

    def last_steps(self) -> list[Step]:
        return [Step(*step) for step in zip(self.events, self.states, self.states[1:], strict=False)][-6:]


def fold(state: MatchState, events: Sequence[MatchEvent]) -> list[MatchState]:
    """The state before the first event and after each."""
    states = [state]
    for event in events:
        states.append(MATCH.evolve(states[-1], event))
    return states


def seen_by(viewer: Viewer, states: Sequence[MatchState]) -> set[Card]:
    """Every card of the present deal that this viewer has had before his eyes."""
    seen: set[Card] = set()
    for state in states[1:]:
        assert state.deal is not None
        seen.update(_open(state.deal))
        if viewer.seat >= 0:
            seen.update(state.deal.hands[viewer.seat])
    return seen


def _open(deal: Deal) -> Iterator[Card]:
    for pile in deal.piles:
        yield from pile
    yield from deal.table
    yield from (played.card for played in (*deal.trick, *deal.known))
    if deal.trump_card is not None:
        yield deal.trump_card


def otherwise(event: MatchEvent, other: Mapping[Card, Card]) -> MatchEvent:
    """With these cards exchanged wherever an event names hidden ones."""
    if isinstance(event, DealStarted):
        return replace(event, deck=[other.get(card, card) for card in event.deck])
    if isinstance(event, TrickEnded):
        return replace(event, drawn=[other.get(card, card) for card in event.drawn])
    if isinstance(event, HandsDealt):
        return replace(event, cards=[other.get(card, card) for card in event.cards])
    return event


def _pushed(story: _Story, viewer: Viewer) -> tuple[bytes, bytes]:
    """View and happenings, as the kit puts them together."""
    entry = Entry("match", StreamKind("match", MATCH, {}))
    entry.state = story.now
    happened = next(iter(happened_to(entry, story.last_steps(), [viewer])))
    return bytes(views_of(entry, [viewer])[viewer.audience]), happened


def _same_to(viewer: Viewer, here: _Story, there: _Story) -> bool:
    now, then = here.now, there.now
    where = f"{viewer.audience} after {type(here.events[-1]).__name__}"
    assert shown(MATCH, now, viewer) == shown(MATCH, then, viewer), f"the view of {where}"
    pushed, happened = _pushed(here, viewer)
    assert (pushed, happened) == _pushed(there, viewer), f"the push to {where}"
    assert msgspec.json.decode(pushed) == msgspec.json.decode(shown(MATCH, now, viewer)), f"push and view of {where}"
    assert here.told(viewer) == there.told(viewer), f"what is told to {where}"
    assert msgspec.json.decode(happened) == msgspec.json.decode(here.told(viewer)), f"push and resume of {where}"
    assert MATCH.deadlines(now) == MATCH.deadlines(then), f"the deadlines, for {where}"
    if viewer.seat >= 0 and now.is_running and viewer.seat == now.turn:
        ours, theirs = sight(now, viewer.seat), sight(then, viewer.seat)
        assert (ours.deal, ours.view) == (theirs.deal, theirs.view), f"what a CPU is handed at {where}"
    return now.deal != then.deal
