"""Two worlds that differ only in what a viewer may not know must look the same to him, to the byte, at every phase.

The second world is the first one with the cards that the viewer has never seen exchanged among themselves (other
hands, the stock's order), another seed and the same commitment; its whole history is told anew.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

import pytest
from circolo_cardgames.conformance.worlds import fold, otherwise
from circolo_cardgames.cpu import choose
from circolo_cardgames.match import Match
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight
from circolo_cardgames.state import MatchState
from circolo_cardgames.view import sight
from circolo_contracts.cardgames import (
    CardPlayed,
    DealStarted,
    MatchEvent,
    MatchStarted,
    PlayCard,
)
from circolo_contracts.cards import DECK, Card
from circolo_events import canonical
from circolo_events.decider import PUBLIC, Viewer
from msgspec import UNSET
from msgspec.structs import replace

Sit = Callable[..., Rehearsal]
MATCH = Match()
CARD = re.compile(r'"((?:10|[1-9])[DCSB])"')

TABLES = [
    pytest.param({"players": 2}, id="two"),
    pytest.param({"players": 2, "cpus": (1,)}, id="two-with-a-cpu"),
    pytest.param({"players": 4, "cpus": (2,), "clockSeconds": 30}, id="four-with-a-cpu-and-a-clock"),
    pytest.param({"players": 2, "bestOf": 3, "seed_no": 2}, id="best-of-three"),
]
NOBODYS = [
    Viewer("public"), Viewer(""), Viewer("spectator"), Viewer("tv"), Viewer("public", seat=0), Viewer("team-0", team=0),
    Viewer("seat-9", seat=9), Viewer("seat-0"), Viewer("seat-1", seat=0), Viewer("seat--1", seat=-1),
]  # fmt: skip


def whim(seen: Sight) -> PlayCard:
    command = choose(seen, "EASY", f"{seen.view.version}")
    assert command is not None
    return command


@pytest.fixture(params=TABLES)
def played(request: pytest.FixtureRequest, sit: Sit) -> Rehearsal:
    table = sit(**request.param)
    table.play_on(whim)
    return table


def viewers(state: MatchState) -> list[Viewer]:
    return [*(Viewer.of_seat(seat, state.teams[seat]) for seat in range(len(state.seats))), PUBLIC]


def seen_by(viewer: Viewer, states: Sequence[MatchState]) -> set[Card]:
    """Every card of the present deal that this viewer has had before his eyes."""
    seen: set[Card] = set()
    for state in states:
        deal = state.deal
        if deal is None or state.deal_no != states[-1].deal_no:
            continue
        seen.update(card for pile in deal.piles for card in pile)
        seen.update(played.card for played in deal.trick)
        assert deal.trump_card is not None
        seen.add(deal.trump_card)
        if viewer.seat >= 0:
            seen.update(deal.hands[viewer.seat])
    return seen


def other_world(events: Sequence[MatchEvent], seen: set[Card], chance: random.Random) -> list[MatchEvent]:
    hidden = [card for card in DECK if card not in seen]
    mixed = hidden[:]
    chance.shuffle(mixed)
    other = dict(zip(hidden, mixed, strict=True))
    last_deal = max(place for place, event in enumerate(events) if isinstance(event, DealStarted))
    elsewhere = [otherwise(event, other if place >= last_deal else {}) for place, event in enumerate(events)]
    return [replace(event, seed="f" * 64) if isinstance(event, MatchStarted) else event for event in elsewhere]


def told(events: Sequence[MatchEvent], states: Sequence[MatchState], viewer: Viewer) -> bytes:
    return canonical.encode(
        [MATCH.tell(event, states[n], states[n + 1], viewer) for n, event in enumerate(events)]
    )  # fmt: skip


def test_backend_S3_two_worlds_look_the_same_at_every_phase_to_every_viewer(played: Rehearsal) -> None:
    chance = random.Random(3)
    different = 0
    states = fold(MATCH.initial, played.events)
    first_end = len(played.events) - 2
    for version in range(2, first_end + 1):
        events, here = played.events[:version], states[: version + 1]
        for viewer in viewers(here[-1]):
            there_events = other_world(events, seen_by(viewer, here), chance)
            there = fold(MATCH.initial, there_events)
            different += there[-1].deal != here[-1].deal
            assert canonical.encode(MATCH.view(here[-1], viewer)) == canonical.encode(MATCH.view(there[-1], viewer))
            assert told(events, here, viewer) == told(there_events, there, viewer)
            assert MATCH.deadlines(here[-1]) == MATCH.deadlines(there[-1])
    assert different > 100, "the other worlds must be other worlds"


def test_backend_S2_nothing_that_is_shown_or_told_names_a_card_that_was_not_seen(played: Rehearsal) -> None:
    states = fold(MATCH.initial, played.events)
    for version in range(2, len(played.events) - 1):
        here = states[: version + 1]
        deal_began = max(n for n in range(version) if isinstance(played.events[n], DealStarted))
        for viewer in viewers(here[-1]):
            seen = seen_by(viewer, here)
            previous = here[-1].deal.last_trick if here[-1].deal else ()
            view = canonical.encode(MATCH.view(here[-1], viewer)).decode()
            assert set(CARD.findall(view)) <= seen | {played.card for played in previous}
            text = told(played.events[deal_began:version], states[deal_began : version + 1], viewer).decode()
            assert set(CARD.findall(text)) <= seen
            assert here[-1].seed not in view
            assert here[-1].seed not in text


def test_backend_S5_whoever_is_no_seat_gets_the_public_view_and_nothing_more(played: Rehearsal) -> None:
    states = fold(MATCH.initial, played.events)
    for version, event in enumerate(played.events[1:], 2):
        before, after = states[version - 1], states[version]
        public = canonical.encode(MATCH.view(after, PUBLIC))
        assert b'"hand":' not in public
        assert b'"legal_moves":' not in public
        for nobody in NOBODYS:
            assert canonical.encode(MATCH.view(after, nobody)) == public, nobody
            assert MATCH.tell(event, before, after, nobody) == MATCH.tell(event, before, after, PUBLIC), nobody


def test_backend_S5_a_player_id_that_does_not_sit_here_is_the_public(sit: Sit) -> None:
    table = sit(2, cpus=(1,))
    for player in ("", "f" * 32, "0", "1", "MEDIUM", "cpu"):
        assert MATCH.viewer(table.state, player) == PUBLIC
    assert MATCH.viewer(table.state, table.actor(0).id) == Viewer.of_seat(0, 0)


def test_a_cpu_chooses_the_same_card_in_both_worlds(sit: Sit) -> None:
    table = sit(4, cpus=(0, 1, 2, 3))
    chance = random.Random(5)
    while table.state.is_running:
        seat = table.state.turn
        viewer = Viewer.of_seat(seat, table.state.teams[seat])
        there = fold(
            MATCH.initial, other_world(table.events, seen_by(viewer, fold(MATCH.initial, table.events)), chance)
        )[-1]
        for level in ("EASY", "MEDIUM", "HARD"):
            here_choice = choose(sight(table.state, seat), level, "1" * 32)  # type: ignore[arg-type]
            assert here_choice == choose(sight(there, seat), level, "1" * 32)  # type: ignore[arg-type]
        assert here_choice is not None
        table.play(here_choice.card)


def test_cards_B18_a_draw_is_hidden_but_its_count_and_the_exposed_trump_are_not(sit: Sit) -> None:
    table = sit(2, seed_no=9)
    exposed = table.state.on_turn().trump_card
    drawn: dict[str, list[object]] = {"seat-0": [], "seat-1": [], "public": []}
    while table.state.is_running:
        before_count = len(table.events)
        states = fold(MATCH.initial, table.events)
        table.play_on(whim, plays=1)
        state = states[-1]
        for event in table.events[before_count:]:
            after = MATCH.evolve(state, event)
            for viewer in (Viewer.of_seat(0, 0), Viewer.of_seat(1, 1), PUBLIC):
                drawn[viewer.audience] += [h for h in MATCH.tell(event, state, after, viewer) if h.kind == "CardDrawn"]
            state = after
    assert [len(told) for told in drawn.values()] == [34, 34, 34]
    for audience, happenings in drawn.items():
        for happening in happenings:
            mine = audience == f"seat-{happening.seat}"  # type: ignore[attr-defined]
            card = happening.card  # type: ignore[attr-defined]
            assert (card is not UNSET) == (mine or happening is happenings[-1])
    assert {told[-1].card for told in drawn.values()} == {exposed}  # type: ignore[attr-defined]


def test_the_seed_and_its_deck_are_secret_until_the_match_is_over(played: Rehearsal) -> None:
    states = fold(MATCH.initial, played.events)
    for state in states[1:-1]:
        for viewer in viewers(state):
            assert MATCH.view(state, viewer).seed is UNSET
            assert MATCH.view(state, viewer).commitment == state.commitment
    for viewer in viewers(states[-1]):
        assert MATCH.view(states[-1], viewer).seed == states[-1].seed


def test_every_card_that_is_played_is_told_to_everybody(played: Rehearsal) -> None:
    states = fold(MATCH.initial, played.events)
    for n, event in enumerate(played.events):
        if isinstance(event, CardPlayed):
            for viewer in (*viewers(states[n + 1]), *NOBODYS):
                (happening,) = MATCH.tell(event, states[n], states[n + 1], viewer)
                assert (happening.card, happening.seat) == (event.card, event.seat)
