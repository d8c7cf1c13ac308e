"""The load client plays whole games through the public API, and would notice what it is there to notice."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

import pytest
from circolo_devstack.stack import Stack, stack

from bench.peers.circolo_client import Table, load
from bench.peers.documents import Game, Move, Play
from bench.peers.meter import Meter
from bench.peers.websocket import masked


@pytest.fixture(scope="module")
def house() -> Iterator[Stack]:
    with stack() as running:
        yield running


async def test_two_rooms_play_whole_games_and_see_only_their_own_cards(house: Stack) -> None:
    port = int(house.url.rstrip("/").rpartition(":")[2])
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        meter = await load(port, rooms=2, warmup=0.3, window=4.0, think=0)
    assert said.getvalue().split("\n")[:2] == ["WINDOW open", "WINDOW closed"]
    assert (meter.errors, meter.reasons, meter.leaks) == (0, {}, 0)
    assert len(meter.round_trips) > 40
    assert meter.games >= 1
    assert meter.peer_updates >= 0.8 * len(meter.round_trips), "the other player sees every move too"


async def test_tables_of_the_house_play_beside_and_are_not_measured(house: Stack) -> None:
    port = int(house.url.rstrip("/").rpartition(":")[2])
    with contextlib.redirect_stdout(io.StringIO()):
        meter = await load(port, rooms=1, warmup=0.3, window=4.0, think=0.2, house=2)
    assert (meter.errors, meter.reasons) == (0, {})
    assert meter.house_moves > 0
    assert 0 < len(meter.round_trips) < 60, "of the one room only"


async def test_a_leaked_card_is_counted_and_the_exposed_trump_is_not() -> None:
    nobody = object()
    table = Table(Meter(0, 1), 0, nobody, nobody)  # type: ignore[arg-type]
    host, guest = table._seats
    game = Game("RUNNING", 0, ["7D"], [Move("7D")], 0, "4B")
    for seat, hand, frame in (
        (host, ["7D", "1B"], b'"hand":["7D","1B"]'),
        (guest, ["2C", "4B"], b'"hand":["2C","4B"]'),
    ):
        seat.version, seat.hand, seat.frame = 7, hand, frame
    table.seen(guest, game)
    assert table.meter.leaks == 0
    host.frame += b'"theirs":["2C","4B"]'
    table.seen(guest, game)
    assert table.meter.leaks == 1


def test_a_move_is_one_message_with_its_variables_in_place() -> None:
    message = Play("R2FtZTox").message(12, "10D", 7)
    assert message.startswith(b'{"id":"12","type":"subscribe"')
    assert b'"variables":{"game":"R2FtZTox","card":"10D"' in message
    assert message.endswith(b'"version":7}}}')


@pytest.mark.parametrize(("size", "head"), [(5, 2), (126, 4), (70_000, 10)])
def test_a_frame_says_its_length_in_the_shortest_form(size: int, head: int) -> None:
    assert len(masked(1, bytes(size))) == head + 4 + size
