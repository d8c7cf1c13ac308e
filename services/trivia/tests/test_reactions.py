"""What a room says becomes commands to a night; what it says of other games is nobody's business here."""

from __future__ import annotations

from typing import Any

import pytest
from circolo_contracts.cardgames import StopMatch
from circolo_contracts.direction import PlayerErased
from circolo_contracts.games import TRIVIA
from circolo_contracts.rooms import (
    GameRequested,
    GameStopRequested,
    HostChanged,
    PlayerConnected,
    PlayerDisconnected,
    PlayerLeft,
    SeatOccupant,
)
from circolo_contracts.trivia import OrderTrivia
from circolo_events.reaction import Send
from circolo_events.store import Recorded
from circolo_trivia.commands import ForgetQuestions, MarkAway, MarkBack, MarkLeft, MoveHost, RetireGame
from circolo_trivia.reactions import on_room_order
from circolo_trivia.rehearsal import player
from msgspec import UNSET, Struct
from msgspec.structs import replace

ROOM, GAME, OLD = "b" * 32, "a" * 32, "c" * 32
NIGHT = f"trivia-{GAME}"
SEATS = [SeatOccupant(player=player(0)), SeatOccupant(), SeatOccupant(player=player(2))]
REQUEST = GameRequested(
    at=5, game="TRIVIA", game_id=GAME, game_no=3, seats=SEATS, settings=TRIVIA.defaults(), host=player(2),
    away=[player(0)], totals=[10, 20], previous=f"trivia-{OLD}",
)  # fmt: skip


def sent(event: Any) -> list[tuple[str, Struct]]:
    stored = Recorded(0, 1, f"room-{ROOM}", 1, "1" * 32, "2" * 32, 0, 1, type(event).__name__, 1, b"", b"{}", 5)
    sends = on_room_order(stored, event)
    assert all(isinstance(send, Send) and send.service == "trivia" for send in sends)
    assert len({send.rule for send in sends}) == len(sends), "each command has an id of its own"
    return [(send.stream, send.data) for send in sends]


def test_a_night_is_ordered_with_what_the_evening_carries_and_the_one_before_is_over_for_good() -> None:
    order = OrderTrivia(
        "TRIVIA", 3, player(2), ROOM, SEATS, TRIVIA.defaults(), away=[player(0)], totals=[10, 20]
    )  # fmt: skip
    assert sent(REQUEST) == [(f"trivia-{OLD}", RetireGame(GAME)), (NIGHT, order)]
    first = replace(REQUEST, previous=UNSET, away=UNSET, totals=UNSET)
    assert [stream for stream, _ in sent(first)] == [NIGHT]


def test_whatever_the_room_plays_next_its_last_night_is_over_for_good() -> None:
    assert sent(replace(REQUEST, game="TOMBOLA")) == [(f"trivia-{OLD}", RetireGame(GAME))]
    assert sent(replace(REQUEST, game="BRISCOLA", previous=UNSET)) == []
    assert sent(replace(REQUEST, game="BRISCOLA", previous=f"tombola-{OLD}")) == []


@pytest.mark.parametrize(
    ("event", "command"),
    [
        (PlayerConnected(at=7, player=player(1)), MarkBack(player(1))),
        (PlayerDisconnected(at=7, player=player(1)), MarkAway(7, player(1))),
        (PlayerLeft(at=7, keeps_seat=True, player=player(1)), MarkLeft(player(1))),
        (HostChanged(at=7, player=player(1)), MoveHost(player(1))),
    ],
    ids=lambda value: type(value).__name__,
)
def test_people_of_a_room_matter_while_a_night_is_on(event: Any, command: Struct) -> None:
    assert sent(replace(event, during=NIGHT)) == [(NIGHT, command)]
    assert sent(replace(event, during=f"tombola-{GAME}")) == []
    assert sent(event) == []


def test_what_a_player_brought_in_goes_with_him() -> None:
    erased = Recorded(0, 1, f"player-{player(3)}", 1, "1" * 32, "2" * 32, 0, 1, "PlayerErased", 1, b"", b"{}", 5)
    (send,) = on_room_order(erased, PlayerErased(at=1, epoch=2))
    assert (send.stream, send.data) == (f"bank-{player(3)}", ForgetQuestions())


def test_the_host_stops_a_night_and_no_other_game() -> None:
    stop = GameStopRequested(at=1, game_id=GAME, player=player(0), game="TRIVIA")
    assert sent(stop) == [(NIGHT, StopMatch())]
    assert sent(replace(stop, game="BRISCOLA")) == []
    assert sent(replace(stop, game=UNSET)) == []
