from __future__ import annotations

from circolo_cardgames.reactions import start_requested_match, stop_match
from circolo_contracts.cardgames import StartMatch, StopMatch
from circolo_contracts.ids import RoomId
from circolo_contracts.rooms import GameRequested, GameStopRequested, SeatOccupant
from msgspec import UNSET
from msgspec.structs import replace

ROOM = RoomId("b" * 32)
REQUESTED = GameRequested(
    at=1, game="BRISCOLA", game_id="a" * 32, game_no=3, seats=[SeatOccupant(cpu="EASY")] * 2, settings={"players": 2},
)  # fmt: skip


def test_a_requested_card_game_is_started_on_its_own_stream() -> None:
    assert start_requested_match(ROOM, REQUESTED) == (
        f"match-{'a' * 32}",
        StartMatch("BRISCOLA", 3, ROOM, REQUESTED.seats, {"players": 2}),
    )


def test_the_evenings_dealer_is_handed_on() -> None:
    reaction = start_requested_match(ROOM, replace(REQUESTED, dealer=1))
    assert reaction is not None
    assert reaction[1].dealer == 1
    reaction = start_requested_match(ROOM, REQUESTED)
    assert reaction is not None
    assert reaction[1].dealer is UNSET


def test_a_game_of_another_service_is_not_ours_to_start() -> None:
    assert start_requested_match(ROOM, replace(REQUESTED, game="TOMBOLA")) is None


def test_a_stopped_game_is_stopped_on_its_own_stream() -> None:
    assert stop_match(GameStopRequested(at=1, game_id="a" * 32, player="1" * 32)) == (f"match-{'a' * 32}", StopMatch())
