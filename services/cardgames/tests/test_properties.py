"""Whatever is played: it ends, 40 cards are there, 120 points are made, and the stored events replay to the same."""

from __future__ import annotations

import random

from circolo_cardgames.conformance.matches import at_random
from circolo_cardgames.match import Match
from circolo_cardgames.registry import REGISTRY
from circolo_cardgames.rehearsal import SERVICE, Rehearsal
from circolo_cardgames.state import MatchState
from circolo_contracts.cardgames import (
    AbandonGame,
    CardPlayed,
    DealEnded,
    IdleTimeout,
    PlayCard,
    StartMatch,
    StopMatch,
    TurnTimeout,
)
from circolo_contracts.cards import DECK, Card
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.wire import Actor
from circolo_events import canonical
from circolo_events.decider import PUBLIC, Rejection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

MATCH = Match()
QUICK = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def tables(draw: st.DrawFn) -> Rehearsal:
    players = draw(st.sampled_from([2, 4]))
    cpus = draw(st.lists(st.booleans(), min_size=players, max_size=players))
    seats = [SeatOccupant(cpu="EASY") if cpu else SeatOccupant(player=f"{n + 1:032x}") for n, cpu in enumerate(cpus)]
    options = {
        "players": players,
        "bestOf": draw(st.sampled_from([1, 3, 5])),
        "clockSeconds": draw(st.sampled_from([0, 30])),
    }
    return Rehearsal("BRISCOLA", seats, options, seed=draw(st.binary(min_size=32, max_size=32)))


@QUICK
@given(tables(), st.randoms(use_true_random=False))
def test_any_legal_play_ends_with_all_cards_and_points_there(table: Rehearsal, chance: random.Random) -> None:
    choose = at_random(chance)
    while table.state.is_running:
        assert sorted(table.state.on_turn().cards()) == sorted(DECK)
        table.play_on(choose, plays=1)
    assert sorted(table.state.on_turn().cards()) == sorted(DECK)
    assert all(sum(event.points) == 120 for event in table.events if isinstance(event, DealEnded))
    assert sum(isinstance(event, CardPlayed) for event in table.events) == 40 * len(table.state.deals)
    assert table.state.result is not None
    assert table.state.result.outcome in ("WON", "TIED")


@QUICK
@given(tables(), st.randoms(use_true_random=False), st.integers(0, 60))
def test_what_was_stored_replays_to_the_same_match_to_the_byte(
    table: Rehearsal, chance: random.Random, plays: int
) -> None:
    table.play_on(at_random(chance), plays=plays)
    state: MatchState = MATCH.initial
    for event in table.events:
        again = REGISTRY.decode(*REGISTRY.encode(event))
        assert REGISTRY.encode(again) == REGISTRY.encode(event)
        state = MATCH.evolve(state, again)  # type: ignore[arg-type]
    assert state == table.state
    assert canonical.encode(MATCH.view(state, PUBLIC)) == canonical.encode(MATCH.view(table.state, PUBLIC))
    assert MATCH.deadlines(state) == MATCH.deadlines(table.state)


ACTORS = st.one_of(
    st.integers(0, 4).map(lambda n: Actor("player", f"{n + 1:032x}")),
    st.integers(-1, 5).map(lambda n: Actor("cpu", str(n))),
    st.just(Actor("service", "cardgames")),
    st.just(Actor("player", "")),
)
COMMANDS = st.one_of(
    st.builds(PlayCard, st.one_of(st.sampled_from(DECK), st.text(max_size=3).map(Card))),
    st.builds(PlayCard, st.sampled_from(DECK), st.lists(st.sampled_from(DECK), max_size=2)),
    st.just(StartMatch("BRISCOLA", 1, "b" * 32, [], {})),
    st.builds(TurnTimeout, st.integers(-1, 80)),
    st.builds(IdleTimeout, st.integers(-1, 80)),
)


@QUICK
@given(
    tables(), st.randoms(use_true_random=False), st.integers(0, 45),
    st.lists(st.tuples(COMMANDS, ACTORS, st.integers(0, 90)), max_size=25),
)  # fmt: skip
def test_a_command_is_a_legal_card_or_leaves_no_event(
    table: Rehearsal, chance: random.Random, plays: int, tried: list[tuple[object, Actor, int]]
) -> None:
    table.play_on(at_random(chance), plays=plays)
    for command, actor, expected in tried:
        before, stored = table.state, len(table.events)
        decided = table.do(command, actor, expected=expected)  # type: ignore[arg-type]
        if isinstance(decided, Rejection) or not decided:
            assert table.state is before
            assert len(table.events) == stored
        elif isinstance(command, PlayCard):
            assert actor == Rehearsal.actor(table_at(before), before.turn)
            assert command.card in before.on_turn().hands[before.turn]
            assert expected >= before.turn_version
        assert sorted(table.state.on_turn().cards()) == sorted(DECK)


def table_at(state: MatchState) -> Rehearsal:
    table = Rehearsal.__new__(Rehearsal)
    table.state = state
    return table


@QUICK
@given(tables(), st.randoms(use_true_random=False), st.integers(0, 50), st.sampled_from(["leave", "stop", "idle"]))
def test_a_match_may_end_at_any_moment_and_then_nothing_follows(
    table: Rehearsal, chance: random.Random, plays: int, how: str
) -> None:
    table.play_on(at_random(chance), plays=plays)
    person = next((seat for seat, who in enumerate(table.state.seats) if who.player), None)
    if how == "leave" and person is not None:
        table.do(AbandonGame(), table.actor(person))
    elif how == "idle":
        table.now += 25 * 3_600_000 + 60_000
        table.do(IdleTimeout(table.state.idle_version), SERVICE)
    else:
        table.do(StopMatch(), SERVICE)
    assert not table.state.is_running
    assert table.state.revealed
    assert MATCH.deadlines(table.state) == {}
    assert table.do(StopMatch(), SERVICE) == []
