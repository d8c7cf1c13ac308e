"""What tombola does when something happens in a room."""

from __future__ import annotations

from cartelle import A, B
from circolo_contracts.cardgames import StopMatch
from circolo_contracts.games import TOMBOLA
from circolo_contracts.rooms import (
    GameRequested,
    GameStopRequested,
    HostChanged,
    PlayerDisconnected,
    PlayerLeft,
    SeatOccupant,
)
from circolo_contracts.tombola import ChangeHost, HostAway, StartTombola, SupersedeGame
from circolo_events.reaction import Send
from circolo_events.store import Recorded
from circolo_tombola.reactions import ROOM_ORDERS, on_room_order
from msgspec import UNSET
from msgspec.structs import replace

ROOM, GAME_ID, BEFORE = "8" * 32, "7" * 32, "6" * 32
STREAM = f"tombola-{GAME_ID}"
SEATS = [SeatOccupant(player=A), SeatOccupant(player=B)]
REQUESTED = GameRequested(1, "TOMBOLA", GAME_ID, 2, SEATS, TOMBOLA.defaults(), host=A)
RECORDED = Recorded(
    shard=0, pos=1, stream=f"room-{ROOM}", version=1, id="1" * 32, command="2" * 32, seq=0, n=1, type="", schema_v=1,
    data=b"", meta=b"{}", at=1,
)  # fmt: skip
START = Send("tombola", STREAM, StartTombola("TOMBOLA", 2, A, ROOM, SEATS, TOMBOLA.defaults()), "start")


def test_a_room_that_wants_a_tombola_gets_one() -> None:
    assert on_room_order(RECORDED, REQUESTED) == [START]


def test_a_rematch_closes_the_game_before_it_first() -> None:
    again = replace(REQUESTED, previous=f"tombola-{BEFORE}")
    closing = Send("tombola", f"tombola-{BEFORE}", SupersedeGame(GAME_ID), "supersede")
    assert on_room_order(RECORDED, again) == [closing, START]


def test_another_game_in_the_room_closes_it_too() -> None:
    cards = replace(REQUESTED, game="BRISCOLA", host=UNSET, previous=f"tombola-{BEFORE}")
    assert [send.rule for send in on_room_order(RECORDED, cards)] == ["supersede"]


def test_games_of_other_services_are_nobodys_business_here() -> None:
    others = [
        replace(REQUESTED, game="BRISCOLA", host=UNSET),
        replace(REQUESTED, game="BRISCOLA", previous=f"trivia-{BEFORE}"),
        GameStopRequested(1, GAME_ID, A, game="BRISCOLA"),
        GameStopRequested(1, GAME_ID, A),
        PlayerDisconnected(1, A),
        PlayerDisconnected(1, A, during=f"trivia-{GAME_ID}"),
        PlayerLeft(1, True, A),
        HostChanged(1, A),
    ]
    assert [on_room_order(RECORDED, event) for event in others] == [[]] * len(others)


def test_the_hosts_stop_stops_it() -> None:
    stop = GameStopRequested(1, GAME_ID, A, game="TOMBOLA")
    assert on_room_order(RECORDED, stop) == [Send("tombola", STREAM, StopMatch(), "stop")]


def test_who_goes_is_told_of_and_the_game_knows_whether_it_is_the_host() -> None:
    for gone in (PlayerDisconnected(1, B, during=STREAM), PlayerLeft(1, True, B, during=STREAM)):
        assert on_room_order(RECORDED, gone) == [Send("tombola", STREAM, HostAway(B), "away")]


def test_the_new_host_is_told_of_with_whether_he_is_there() -> None:
    changed = HostChanged(1, B, away=True, during=STREAM)
    assert on_room_order(RECORDED, changed) == [Send("tombola", STREAM, ChangeHost(True, B), "host")]
    assert on_room_order(RECORDED, replace(changed, away=UNSET)) == [
        Send("tombola", STREAM, ChangeHost(False, B), "host")
    ]


def test_only_what_matters_here_is_read() -> None:
    assert sorted(ROOM_ORDERS.by_name) == [
        "GameRequested", "GameStopRequested", "HostChanged", "PlayerDisconnected", "PlayerLeft",
    ]  # fmt: skip
