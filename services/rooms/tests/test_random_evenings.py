"""Whatever people do in a room, in any order, the room stays whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from circolo_contracts.rooms import (
    AddCpu,
    AssignTeam,
    ChangeSettings,
    EndGame,
    FinishGame,
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
from table_talk import ANNA, BRUNO, CARLA, DARIO, ELENA, ROOMS, join, opened, room

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
)
SERVICE = st.one_of(
    st.builds(MarkConnected, PEOPLE),
    st.builds(MarkDisconnected, PEOPLE),
    st.builds(lambda next_dealer: ("finish", next_dealer), st.integers(0, 4)),
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
    if state.phase == "PLAYING":
        assert None not in state.seats
        assert not here or state.host in here
    assert not any(m.spectator and m.player in sitting for m in state.members)
    assert bool(decider.deadlines(state)) == (state.phase == "LOBBY")
    assert state.next_dealer is None or state.next_dealer < len(state.seats)


def replayed(registry: EventRegistry, events: Sequence[Any]) -> RoomState:
    """Through the bytes of the store and back."""
    state = RoomDecider.initial
    for event in events:
        state = RoomDecider().evolve(state, registry.decode(*registry.encode(event)))
    return state


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([2, 4]), st.lists(st.tuples(PEOPLE, st.one_of(WISHES, WISHES, SERVICE)), max_size=60))
def test_any_evening_leaves_the_room_whole(players: int, evening: list[tuple[str, Any]]) -> None:
    table = room(opened(players))
    events: list[Any] = [opened(players)]
    for number, (who, wish) in enumerate(evening):
        actor: Any = who
        command: Any = wish
        if isinstance(wish, tuple):
            command = FinishGame(game_id=table.state.game_id, idle=False, outcome="WON", next_dealer=wish[1])
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
    assert replayed(REGISTRY, events) == table.state
