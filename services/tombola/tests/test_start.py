"""Starting: who gets a ticket, what is promised, and what keeps a game from starting."""

from __future__ import annotations

from typing import Any

import pytest
from cartelle import A, B, C, person, seated, seed
from circolo_contracts.cardgames import GameCancelled
from circolo_contracts.chance import keeps_promise
from circolo_contracts.games import TOMBOLA as DESCRIPTOR
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.tombola import StartTombola, TombolaStarted
from circolo_contracts.wire import Actor
from circolo_events.decider import Context, Rejection
from circolo_tombola.rehearsal import GAME_ID, NOON, ROOM, TOMBOLA, Rehearsal
from circolo_tombola.tickets.ticket import is_ticket
from msgspec import UNSET
from msgspec.structs import replace

ORDER = StartTombola("TOMBOLA", 1, A, ROOM, [SeatOccupant(player=A), SeatOccupant(player=B)], DESCRIPTOR.defaults())


def decided(order: StartTombola, *, actor: str = "service") -> Any:
    context = Context(
        actor=Actor(actor, "tombola"), command_id="c" * 32, entropy=seed(1), now=NOON, stamp=NOON,  # type: ignore[arg-type]
        stream=f"tombola-{GAME_ID}", version=0,
    )  # fmt: skip
    return TOMBOLA.decide(TOMBOLA.initial, order, context)


def test_the_promise_is_public_before_the_first_number_and_the_seed_is_not() -> None:
    game = seated(3, seed_no=2)
    view = game.view(0)
    assert keeps_promise(view.commitment, GAME_ID, seed(2).hex())
    assert view.seed is UNSET
    assert (view.called, view.status) == ([], "RUNNING")


def test_everybody_has_a_ticket_and_the_host_too() -> None:
    game = seated(24)
    assert len(TOMBOLA.audiences(game.state)) == 25
    for seat in range(24):
        ticket = game.view(seat).ticket
        assert ticket is not UNSET
        assert is_ticket(ticket)
        assert TOMBOLA.viewer(game.state, person(seat)).seat == seat  # type: ignore[union-attr]
    assert game.state.host == person(0)


def test_an_empty_seat_between_two_people_has_none() -> None:
    game = Rehearsal([A, None, C], DESCRIPTOR.defaults(), seed=seed(0))
    assert [ticket is not None for ticket in game.state.tickets] == [True, False, True]
    assert [viewer.audience for viewer in TOMBOLA.audiences(game.state)] == ["seat-0", "seat-2", "public"]
    assert [(who.seat, who.player) for who in game.view().seats] == [(0, A), (2, C)]
    assert game.view(1).ticket is UNSET


def test_the_rooms_settings_are_how_it_begins() -> None:
    game = seated(2, claimRule="FIRST_CLAIM", calling="AUTOMATIC", everySeconds=12)
    view = game.view()
    assert (view.calling, view.every_seconds, view.settings["claimRule"]) == ("AUTOMATIC", 12, "FIRST_CLAIM")
    assert view.deadline == game.state.started_at + 12_000
    assert not game.state.shares_draws


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"seats": []}, "SEATS_EMPTY"),
        ({"seats": [SeatOccupant()] * 3}, "SEATS_EMPTY"),
        ({"seats": [SeatOccupant(player=person(n)) for n in range(25)]}, "NO_SUCH_SEAT"),
        ({"seats": [SeatOccupant(player=A), SeatOccupant(cpu="EASY")]}, "NOT_ALLOWED"),
        ({"seats": [SeatOccupant(player=A)] * 2}, "NOT_ALLOWED"),
        ({"seats": [SeatOccupant(player="Anna")]}, "MALFORMED"),
        ({"host": "Anna"}, "MALFORMED"),
        ({"room": ""}, "MALFORMED"),
        ({"game_no": 0}, "MALFORMED"),
        ({"game": "BRISCOLA"}, "UNKNOWN_GAME"),
        ({"settings": {"everySeconds": 2}}, "INVALID_SETTING"),
        ({"settings": {"claimRule": "NOBODY"}}, "INVALID_SETTING"),
        ({"settings": {"tombolino": True}}, "INVALID_SETTING"),
    ],
)
def test_what_cannot_be_played_is_cancelled_with_its_reason(change: dict[str, Any], reason: str) -> None:
    (cancelled,) = decided(replace(ORDER, **change))
    assert isinstance(cancelled, GameCancelled)
    assert (cancelled.reason, cancelled.room) == (reason, change.get("room", ROOM))


def test_it_starts_once_and_by_the_house_only() -> None:
    assert decided(ORDER, actor="player") == Rejection(RefusalCode.NOT_ALLOWED)
    assert isinstance(decided(ORDER)[0], TombolaStarted)
    game = seated(2)
    context = Context(
        actor=Actor("service", "tombola"), command_id="c" * 32, entropy=seed(1), now=NOON, stamp=NOON,
        stream=f"tombola-{GAME_ID}", version=1,
    )  # fmt: skip
    assert TOMBOLA.decide(game.state, ORDER, context) == Rejection(RefusalCode.GAME_STARTED)


def test_a_rematch_deals_fresh_tickets_to_the_same_people() -> None:
    first, second = seated(6, seed_no="first"), seated(6, seed_no="rematch")
    assert [seat.player for seat in first.state.seats] == [seat.player for seat in second.state.seats]
    assert not set(first.state.tickets) & set(second.state.tickets)
    assert first.state.draws != second.state.draws
    assert (second.state.called, second.state.won) == ((), {})


def test_a_game_is_rebuilt_from_any_beginning_of_its_events() -> None:
    game = seated(4, seed_no=9)
    game.draw(40)
    state = TOMBOLA.initial
    for event, then in zip(game.events, game.states[1:], strict=True):
        state = TOMBOLA.evolve(state, event)
        assert state == then
