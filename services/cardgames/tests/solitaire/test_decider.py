from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from circolo_cardgames.rehearsal import SERVICE, START
from circolo_cardgames.solitaire.rehearsal import PLAYER, SolitaireRehearsal
from circolo_cardgames.state import IDLE_GRAIN_MS, IDLE_MS
from circolo_contracts.cardgames import AbandonGame, GameCancelled, IdleTimeout, MatchEnded, SeedRevealed, StopMatch
from circolo_contracts.cards import Card
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.solitaire import (
    MoveCard,
    RemoveCards,
    SolitaireCommand,
    SolitaireStarted,
    StartSolitaire,
    TurnStock,
)
from circolo_contracts.wire import Actor
from circolo_events.decider import Context, Deadline, Rejection

Lay = Callable[..., SolitaireRehearsal]
ROOM = "b" * 32
MOVES: list[SolitaireCommand] = [RemoveCards([Card("10S")]), MoveCard(Card("5C"), 1), TurnStock(), AbandonGame()]


def code(answer: Any) -> RefusalCode:
    assert isinstance(answer, Rejection), answer
    return answer.code


def ended(table: SolitaireRehearsal) -> MatchEnded:
    event, revealed = table.events[-2:]
    assert isinstance(event, MatchEnded)
    assert revealed == SeedRevealed(table.state.seed)
    return event


def test_it_starts_with_the_promise_and_what_lies_open(lay: Lay) -> None:
    table = lay()
    (started,) = table.events
    assert isinstance(started, SolitaireStarted)
    assert (started.player, started.room, started.settings) == (PLAYER, ROOM, {"game": "PIRAMIDE", "redeals": 2})
    assert started.opened == started.deck[21:28]
    assert len(set(started.deck)) == 40


def start(seats: list[SeatOccupant], **changed: Any) -> Any:
    command = StartSolitaire(
        game=changed.get("game", "SOLITARIO"), game_no=changed.get("game_no", 1), room=changed.get("room", ROOM),
        seats=seats, settings=changed.get("settings", {}),
    )  # fmt: skip
    table = SolitaireRehearsal({}, seed=bytes(32))
    context = Context(
        actor=changed.get("actor", SERVICE), command_id="c" * 32, entropy=bytes(32), now=START, stamp=START,
        stream=f"solitaire-{'a' * 32}", version=0,
    )  # fmt: skip
    return table.solitaire.decide(table.solitaire.initial, command, context)


ANNA = SeatOccupant(player="1" * 32)


@pytest.mark.parametrize(
    ("seats", "changed", "reason"),
    [
        ([], {}, "SEATS_EMPTY"),
        ([SeatOccupant()], {}, "SEATS_EMPTY"),
        ([ANNA, ANNA], {}, "NO_SUCH_SEAT"),
        ([SeatOccupant(cpu="EASY")], {}, "NOT_ALLOWED"),
        ([SeatOccupant(player="anna")], {}, "MALFORMED"),
        ([ANNA], {"room": "here"}, "MALFORMED"),
        ([ANNA], {"game_no": 0}, "MALFORMED"),
        ([ANNA], {"game": "BRISCOLA"}, "UNKNOWN_GAME"),
        ([ANNA], {"settings": {"redeals": 4}}, "INVALID_SETTING"),
        ([ANNA], {"settings": {"game": "OROLOGIO"}}, "INVALID_SETTING"),
    ],
)
def test_what_cannot_start_says_so_in_its_first_event(
    seats: list[SeatOccupant], changed: dict[str, Any], reason: str
) -> None:
    room, game = changed.get("room", ROOM), changed.get("game", "SOLITARIO")
    assert start(seats, **changed) == [GameCancelled(START, game, "a" * 32, reason, room)]


def test_only_the_service_starts_it_and_only_once(lay: Lay) -> None:
    assert code(start([ANNA], actor=Actor("player", "1" * 32))) is RefusalCode.NOT_ALLOWED
    again = StartSolitaire("SOLITARIO", 1, ROOM, [ANNA], {})
    assert code(lay().do(again, SERVICE)) is RefusalCode.GAME_STARTED


@pytest.mark.parametrize("command", MOVES, ids=lambda command: type(command).__name__)
def test_nobody_but_the_player_moves(lay: Lay, command: SolitaireCommand) -> None:
    table = lay()
    for actor in (Actor("player", "f" * 32), Actor("player", ""), Actor("cpu", "0"), SERVICE):
        assert code(table.do(command, actor)) is RefusalCode.NOT_IN_GAME
    assert len(table.events) == 1


@pytest.mark.parametrize("command", MOVES, ids=lambda command: type(command).__name__)
def test_after_the_end_nothing_can_be_done(lay: Lay, command: SolitaireCommand) -> None:
    table = lay()
    table.do(AbandonGame())
    assert code(table.do(command)) is RefusalCode.GAME_NOT_RUNNING
    for order in (StopMatch(), IdleTimeout(1)):
        assert table.do(order, SERVICE) == []


@pytest.mark.parametrize("command", [*MOVES, StopMatch(), IdleTimeout(1)], ids=lambda command: type(command).__name__)
def test_there_is_nothing_to_do_in_a_game_that_is_not_there(lay: Lay, command: SolitaireCommand) -> None:
    table = lay()
    table.state = table.solitaire.initial
    actor = SERVICE if isinstance(command, (StopMatch, IdleTimeout)) else None
    assert code(table.do(command, actor)) is RefusalCode.NOT_FOUND
    assert code(table.solitaire.viewer(table.state, PLAYER)) is RefusalCode.NOT_FOUND


def test_a_move_by_who_has_not_seen_the_last_one_is_stale(lay: Lay) -> None:
    table = lay()
    table.play("T")
    assert code(table.do(TurnStock(), expected=1)) is RefusalCode.STALE_VERSION
    assert code(table.do(RemoveCards([Card("0X")]), expected=1)) is RefusalCode.STALE_VERSION
    assert not isinstance(table.do(TurnStock(), expected=2), Rejection)


def test_the_player_gives_up(lay: Lay) -> None:
    table = lay()
    table.do(AbandonGame(), expected=0)
    assert (ended(table).outcome, ended(table).abandoned_by) == ("ABANDONED", 0)


def test_the_host_stops_it_and_nobody_else_does(lay: Lay) -> None:
    table = lay()
    assert code(table.do(StopMatch())) is RefusalCode.NOT_ALLOWED
    table.do(StopMatch(), SERVICE)
    assert (ended(table).outcome, ended(table).room) == ("STOPPED", ROOM)
    assert table.solitaire.deadlines(table.state) == {}


def test_a_patience_that_nobody_plays_for_a_day_is_over(lay: Lay) -> None:
    table = lay()
    started_at = table.now
    assert table.solitaire.deadlines(table.state) == {"idle": Deadline(started_at + IDLE_MS + IDLE_GRAIN_MS, 1)}
    assert table.do(IdleTimeout(1), SERVICE) == []
    table.play("T")
    assert table.state.idle_version == 1, "the deadline does not move for a move within a minute"
    table.now += IDLE_GRAIN_MS
    table.play("T")
    assert table.state.idle_version == 3
    table.now += IDLE_MS
    assert table.do(IdleTimeout(1), SERVICE) == [], "a move came after that deadline was set"
    table.do(IdleTimeout(3), SERVICE)
    assert ended(table).outcome == "IDLE"


def test_cards_R9_a_position_without_a_move_ends_the_game_at_once(lay: Lay) -> None:
    table = lay(redeals=0)
    table.play(*["T"] * 12)
    while table.state.is_running:
        table.play_on(lambda view: RemoveCards(view.legal_moves[0].cards), moves=1)
    assert (ended(table).outcome, ended(table).winner) == ("BLOCKED", ended(table).abandoned_by)
    assert [type(event).__name__ for event in table.events[-3:]] == ["CardsRemoved", "MatchEnded", "SeedRevealed"]


def test_the_clock_that_goes_back_does_not_take_the_events_with_it(lay: Lay) -> None:
    table = lay()
    table.play("T")
    table.now -= 60_000
    table.play("T")
    table.do(AbandonGame())
    times = [event.at for event in table.events if hasattr(event, "at")]
    assert times == sorted(times)
