from __future__ import annotations

from pathlib import Path
from typing import Any

from circolo_contracts.rooms import RoomEvent
from circolo_events.testing.samples import check_samples
from circolo_rooms.registry import REGISTRY
from circolo_rooms.room import CHANGES, RoomDecider

SAMPLES = Path(__file__).parent / "samples"
AN_EVENING = (
    "RoomCreated", "PlayerJoined", "PlayerConnected", "SettingsChanged", "SeatTaken", "CpuSeated", "CpuRemoved",
    "HostChanged", "CpuSeated", "GameRequested", "PlayerDisconnected", "PlayerLeft", "GameStopRequested",
    "ExpulsionVoted", "ExpulsionDecided", "GameFinished", "RematchOffered", "RematchAccepted", "RematchWithdrawn",
    "RoomClosed",
)  # fmt: skip


def stored(name: str) -> Any:
    return REGISTRY.decode(name, 1, (SAMPLES / f"{name}.v1.json").read_bytes())


def test_every_event_ever_stored_is_read_by_todays_code() -> None:
    check_samples(REGISTRY, SAMPLES)


def test_an_evening_of_stored_events_gives_the_room_that_it_gave_then() -> None:
    assert {REGISTRY.by_struct[struct].name for struct in CHANGES} == set(AN_EVENING)
    decider = RoomDecider()
    state = decider.initial
    for name in AN_EVENING:
        state = decider.evolve(state, stored(name))
    view = decider.view(state, None)
    assert (view.version, view.phase, view.game_no, view.host) == (20, "CLOSED", 1, "a" * 32)
    assert [m.player for m in view.members] == ["a" * 32]
    assert [s.player or s.cpu or None for s in view.seats] == ["a" * 32, "MEDIUM", None, None]


def test_room_events_all_have_their_change() -> None:
    assert set(RoomEvent.__args__) == set(CHANGES)
