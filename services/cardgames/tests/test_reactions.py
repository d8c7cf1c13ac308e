from __future__ import annotations

from circolo_cardgames.reactions import ROOM_ORDERS, RoomOrder, on_room_order
from circolo_contracts.cardgames import AbandonSeat, StartMatch, StopMatch
from circolo_contracts.expulsion import ExpulsionDecided
from circolo_contracts.rooms import GameRequested, GameStopRequested, PlayerLeft, SeatOccupant
from circolo_contracts.solitaire import StartSolitaire
from circolo_events.reaction import Send
from circolo_events.store import Recorded
from msgspec import UNSET, Struct
from msgspec.structs import replace

ROOM = "b" * 32
GAME = "a" * 32
REQUESTED = GameRequested(
    at=1, game="BRISCOLA", game_id=GAME, game_no=3, seats=[SeatOccupant(cpu="EASY")] * 2, settings={"players": 2}
)


def react(event: RoomOrder) -> list[Send]:
    name, schema_v, data = ROOM_ORDERS.encode(event)
    stored = Recorded(0, 1, f"room-{ROOM}", 9, "e" * 32, "c" * 32, 0, 1, name, schema_v, data, b"{}", 1)
    return list(on_room_order(stored, event))


def only(event: RoomOrder, kind: str = "match") -> Struct:
    (send,) = react(event)
    assert (send.service, send.stream) == ("cardgames", f"{kind}-{GAME}")
    return send.data


def test_a_requested_card_game_is_started_on_its_own_stream() -> None:
    assert only(REQUESTED) == StartMatch("BRISCOLA", 3, ROOM, REQUESTED.seats, {"players": 2})


def test_the_evenings_dealer_is_handed_on() -> None:
    assert only(REQUESTED).dealer is UNSET  # type: ignore[attr-defined]
    assert only(replace(REQUESTED, dealer=1)).dealer == 1  # type: ignore[attr-defined]


def test_a_game_of_another_service_is_not_ours_to_start() -> None:
    assert react(replace(REQUESTED, game="TOMBOLA")) == []


def test_a_solitario_is_started_on_a_stream_of_its_own_kind() -> None:
    alone = [SeatOccupant(player="1" * 32)]
    requested = replace(REQUESTED, game="SOLITARIO", seats=alone, settings={"redeals": 1}, dealer=0)
    assert only(requested, "solitaire") == StartSolitaire("SOLITARIO", 3, ROOM, alone, {"redeals": 1})


def test_a_stopped_game_is_stopped_on_its_own_stream() -> None:
    stopped = GameStopRequested(at=1, game_id=GAME, player="1" * 32, game="BRISCOLA")
    assert only(stopped) == StopMatch()
    assert only(replace(stopped, game="SOLITARIO"), "solitaire") == StopMatch()
    assert react(replace(stopped, game="TOMBOLA")) == []


def test_an_order_to_stop_from_before_it_named_the_game_stops_a_match() -> None:
    assert only(GameStopRequested(at=1, game_id=GAME, player="1" * 32)) == StopMatch()


def test_a_ranked_game_is_started_as_one() -> None:
    assert only(replace(REQUESTED, ranked=True)).ranked is True  # type: ignore[attr-defined]
    assert only(REQUESTED).ranked is False  # type: ignore[attr-defined]


def test_who_leaves_a_ranked_table_leaves_his_seat_in_the_match() -> None:
    left = PlayerLeft(at=1, keeps_seat=False, player="1" * 32, game_id=GAME)
    assert only(left) == AbandonSeat("1" * 32, "LEFT")


def test_who_leaves_a_friendly_table_or_no_game_at_all_abandons_nothing() -> None:
    assert react(PlayerLeft(at=1, keeps_seat=True, player="1" * 32)) == []
    assert react(PlayerLeft(at=1, keeps_seat=False, player="1" * 32)) == []


def test_whom_the_others_voted_out_is_out_of_the_match() -> None:
    assert only(ExpulsionDecided(at=1, game_id=GAME, player="1" * 32)) == AbandonSeat("1" * 32, "EXPELLED")
