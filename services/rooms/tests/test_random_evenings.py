"""Whatever people do in a room, in any order, the room stays whole."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
from circolo_contracts.expulsion import ExpulsionDecided, ExpulsionVoted, VoteToExpel
from circolo_contracts.rematch import (
    AcceptRematch,
    OfferRematch,
    RematchAccepted,
    RematchOffered,
    RematchWithdrawn,
    WithdrawRematch,
)
from circolo_contracts.rooms import (
    AddCpu,
    AssignTeam,
    ChangeSettings,
    EndGame,
    FinishGame,
    GameFinished,
    HandOverHost,
    LeaveRoom,
    MarkConnected,
    MarkDisconnected,
    RemoveCpu,
    StartGame,
    TakeSeat,
)
from circolo_events.decider import Rejection
from circolo_events.registry import EventRegistry
from circolo_events.testing.scenario import NOON
from circolo_rooms.registry import REGISTRY
from circolo_rooms.room import RoomDecider
from circolo_rooms.state import RoomState
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from table_talk import ANNA, BRUNO, CARLA, DARIO, ELENA, ROOMS, came, join, opened, ranked, room

PEOPLE = st.sampled_from([ANNA, BRUNO, CARLA, DARIO, ELENA])
SEATS = st.integers(0, 4)
WISHES = st.one_of(
    st.builds(join, st.booleans()),
    st.builds(join, st.just(False)),
    st.just(LeaveRoom()),
    st.builds(TakeSeat, SEATS),
    st.builds(AssignTeam, PEOPLE, st.integers(0, 2)),
    st.builds(AddCpu, st.sampled_from(["EASY", "HARD"]), SEATS),
    st.builds(RemoveCpu, SEATS),
    st.builds(ChangeSettings, st.just("BRISCOLA"), st.sampled_from([{"players": 2}, {"players": 4}, {"bestOf": 3}])),
    st.builds(HandOverHost, PEOPLE),
    st.just(StartGame()),
    st.just(EndGame()),
    st.builds(VoteToExpel, st.sampled_from([True, True, False]), PEOPLE),
    st.sampled_from([OfferRematch(), AcceptRematch(), AcceptRematch(), WithdrawRematch()]),
)
SERVICE = st.one_of(
    st.builds(MarkConnected, PEOPLE),
    st.builds(MarkDisconnected, PEOPLE),
    st.tuples(st.integers(0, 4), st.sampled_from(["WON", "LEFT", "TIMEOUT", "EXPELLED"])),
)


def check(state: RoomState) -> None:
    decider = RoomDecider()
    here = [m.player for m in state.members]
    sitting = [s.player for s in state.seats if s is not None and s.player is not UNSET]
    assert len(set(here)) == len(here), "nobody is in the room twice"
    assert len(set(sitting)) == len(sitting), "nobody has two seats"
    assert len(state.seats) == state.descriptor.seat_count(state.settings)
    assert all((s.player is UNSET) != (s.cpu is UNSET) for s in state.seats if s is not None)
    if state.phase == "LOBBY":
        assert state.host in here, "the host is a person in the room"
        assert set(sitting) <= set(here), "in the lobby no seat waits for somebody who left"
        assert not state.ballots, "votes are void when the game is over"
    if state.phase == "PLAYING":
        assert state.ranked or None not in state.seats
        assert not state.ranked or set(sitting) <= set(here), "a ranked table keeps no seat"
        assert not state.again
        assert not here or state.host in here
    if state.ranked:
        assert len(sitting) == sum(seat is not None for seat in state.seats), "people only"
    if state.invitation is not None:
        assert state.again, "only a table that may play again has an invitation"
        assert set(state.invitation.accepted) < set(sitting), "with the last yes there is a game"
    assert len(set(state.ballots)) == len(state.ballots), "one vote each"
    assert not any(ballot.target == ballot.voter for ballot in state.ballots)
    assert not any(m.spectator and m.player in sitting for m in state.members)
    assert bool(decider.deadlines(state)) == (state.phase == "LOBBY")
    assert state.next_dealer is None or state.next_dealer < len(state.seats)


def replayed(registry: EventRegistry, events: Sequence[Any]) -> RoomState:
    """Through the bytes of the store and back."""
    state = RoomDecider.initial
    for event in events:
        state = RoomDecider().evolve(state, registry.decode(*registry.encode(event)))
    return state


def over(game_id: str, number: int, how: Any) -> FinishGame:
    """``number``: the next dealer, and who was out."""
    if how == "WON":
        return FinishGame(game_id=game_id, idle=False, outcome="WON", next_dealer=number)
    return FinishGame(
        game_id=game_id, idle=False, outcome="ABANDONED", next_dealer=number, abandoned_by=number, reason=how
    )


def spent(events: list[Any], evening: Iterable[tuple[str, Any]]) -> RoomState:
    """Everything that people and the house try at a table that had these events; those that happen are added."""
    table = room(*events)
    for number, (who, wish) in enumerate(evening):
        actor: Any = who
        command: Any = wish
        if isinstance(wish, tuple):
            command = over(table.state.game_id, *wish)
        if isinstance(command, FinishGame | MarkConnected | MarkDisconnected):
            actor = ROOMS
        decided = table.when(command, actor=actor, now=NOON + number, entropy=number.to_bytes(32, "little")).decided
        before = table.state
        if isinstance(decided, Rejection):
            assert table.state is before
            continue
        events += decided or []
        table.go_on()
        check(table.state)
    return table.state  # type: ignore[no-any-return]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([2, 4]), st.booleans(),
    st.lists(st.tuples(PEOPLE, st.one_of(WISHES, WISHES, SERVICE)), max_size=60),
)  # fmt: skip
def test_any_evening_leaves_the_room_whole(players: int, counts: bool, evening: list[tuple[str, Any]]) -> None:
    events: list[Any] = [ranked(players) if counts else opened(players)]
    assert spent(events, evening) == replayed(REGISTRY, events)


def busy(chance: random.Random) -> Iterator[tuple[str, Any]]:
    """An evening at a full table: votes, invitations and ends of games come often, leaving now and then."""
    people = [ANNA, BRUNO, CARLA, DARIO]
    for _ in range(150):
        who, other = chance.choice(people), chance.choice(people)
        yes, seat = chance.random() < 0.8, chance.randrange(4)
        often: list[Any] = [
            VoteToExpel(yes, other), VoteToExpel(yes, BRUNO), OfferRematch(), AcceptRematch(), AcceptRematch(),
            (seat, chance.choice(["WON", "WON", "LEFT", "TIMEOUT", "EXPELLED"])), StartGame(), join(),
        ]  # fmt: skip
        seldom: list[Any] = [LeaveRoom(), WithdrawRematch(), TakeSeat(seat), HandOverHost(other), MarkConnected(who)]
        yield who, chance.choice(often if chance.random() < 0.9 else seldom)


@pytest.mark.parametrize("counts", [True, False], ids=["ranked", "friendly"])
def test_evenings_of_votes_and_rematches_leave_the_room_whole(counts: bool) -> None:
    seen: set[type] = set()
    for number in range(60):
        events: list[Any] = [ranked(4) if counts else opened(4), came(BRUNO, 1), came(CARLA, 2), came(DARIO, 3)]
        assert spent(events, busy(random.Random(f"{number}"))) == replayed(REGISTRY, events)
        seen |= {type(event) for event in events}
    assert seen >= {ExpulsionVoted, ExpulsionDecided, RematchOffered, RematchAccepted, RematchWithdrawn, GameFinished}
