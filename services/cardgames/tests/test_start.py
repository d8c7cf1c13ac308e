from __future__ import annotations

from collections.abc import Callable

import pytest
from circolo_cardgames.deck.commitment import keeps_promise
from circolo_cardgames.deck.shuffle import first_dealer, shuffled_deck
from circolo_cardgames.match import Match
from circolo_cardgames.rehearsal import SERVICE, Rehearsal
from circolo_contracts.cardgames import (
    AbandonGame,
    DealStarted,
    GameCancelled,
    IdleTimeout,
    MatchStarted,
    PlayCard,
    StartMatch,
    StopMatch,
    TurnTimeout,
)
from circolo_contracts.cards import Card
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.wire import Actor
from circolo_events.decider import PUBLIC, Rejection
from circolo_events.testing import given
from msgspec import UNSET
from msgspec.structs import replace

Sit = Callable[..., Rehearsal]
GAME = "a" * 32
STREAM = f"match-{GAME}"
SEED = bytes(range(32))
TWO = [SeatOccupant(player="1" * 32), SeatOccupant(cpu="EASY")]
START = StartMatch("BRISCOLA", 1, "b" * 32, TWO, {"players": 2})


def test_a_match_starts_with_its_promise_and_the_first_deal() -> None:
    scenario = given(Match(), stream=STREAM).when(START, actor=SERVICE, now=5_000, entropy=SEED)
    started, deal = scenario.decided or ()  # type: ignore[misc]
    assert isinstance(started, MatchStarted)
    assert isinstance(deal, DealStarted)
    assert started.seed == SEED.hex()
    assert keeps_promise(started.commitment, GAME, started.seed)
    assert started.settings == {"players": 2, "bestOf": 1, "clockSeconds": 0, "onTimeout": "AUTOPLAY"}
    assert (started.at, started.room, started.game_id) == (5_000, "b" * 32, GAME)
    assert started.dealer == deal.dealer == first_dealer(SEED, 2)
    assert deal.leader == (deal.dealer + 1) % 2
    assert tuple(deal.deck) == shuffled_deck(SEED, 1)
    assert (deal.deal_no, deal.shuffle_no) == (1, 1)


def test_the_evening_may_bring_its_dealer() -> None:
    for dealer in (0, 1):
        scenario = given(Match(), stream=STREAM)
        scenario.when(replace(START, dealer=dealer), actor=SERVICE, entropy=SEED).go_on()
        assert scenario.state.dealer == dealer
        assert scenario.state.turn == 1 - dealer


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"game": "TARABISH"}, "UNKNOWN_GAME"),
        ({"settings": {"bestOf": 2}}, "INVALID_SETTING"),
        ({"settings": {"bestOf": True}}, "INVALID_SETTING"),
        ({"settings": {"cheat": 1}}, "INVALID_SETTING"),
        ({"settings": {"players": 4}}, "SEATS_EMPTY"),
        ({"seats": [*TWO, SeatOccupant(cpu="EASY")]}, "NO_SUCH_SEAT"),
        ({"seats": [TWO[0], TWO[0]]}, "SEAT_TAKEN"),
        ({"seats": [TWO[0], SeatOccupant()]}, "SEATS_EMPTY"),
        ({"seats": [TWO[0], SeatOccupant(cpu="EASY", player="2" * 32)]}, "SEATS_EMPTY"),
        ({"seats": [SeatOccupant(player="Anna"), TWO[1]]}, "MALFORMED"),
        ({"dealer": 2}, "NO_SUCH_SEAT"),
        ({"dealer": -1}, "NO_SUCH_SEAT"),
        ({"room": "room"}, "MALFORMED"),
        ({"game_no": 0}, "MALFORMED"),
    ],
)
def test_a_match_that_cannot_start_says_why_and_is_over(change: dict[str, object], reason: str) -> None:
    command = replace(START, **change)
    scenario = given(Match(), stream=STREAM).when(command, actor=SERVICE, now=7)
    scenario.then(GameCancelled(7, command.game, GAME, reason, command.room))
    view = Match().view(scenario.state, PUBLIC)
    assert view.status == "ENDED"
    assert view.result is not UNSET
    assert view.result.outcome == "CANCELLED"
    assert view.seed is UNSET
    assert Match().deadlines(scenario.state) == {}
    scenario.when(PlayCard(Card("1D")), actor="1" * 32).then_refused(RefusalCode.NOT_IN_GAME)
    scenario.when(StopMatch(), actor=SERVICE).then_nothing()


def test_a_match_starts_once() -> None:
    scenario = given(Match(), stream=STREAM).when(START, actor=SERVICE).go_on()
    scenario.when(START, actor=SERVICE).then_refused(RefusalCode.GAME_STARTED)


@pytest.mark.parametrize("actor", [Actor("player", "1" * 32), Actor("cpu", "1")])
@pytest.mark.parametrize("command", [START, StopMatch(), TurnTimeout(2), IdleTimeout(1)])
def test_only_the_service_starts_stops_and_tells_the_time(command: object, actor: Actor) -> None:
    given(Match(), stream=STREAM).when(command, actor=actor).then_refused(RefusalCode.NOT_ALLOWED)  # type: ignore[arg-type]
    scenario = given(Match(), stream=STREAM).when(START, actor=SERVICE).go_on()
    scenario.when(command, actor=actor).then_refused(RefusalCode.NOT_ALLOWED)  # type: ignore[arg-type]


def test_there_is_nothing_to_do_in_a_match_that_does_not_exist() -> None:
    empty = given(Match(), stream=STREAM)
    for command in (PlayCard(Card("1D")), AbandonGame()):
        empty.when(command, actor="1" * 32).then_refused(RefusalCode.NOT_FOUND)
    for service_command in (StopMatch(), TurnTimeout(1), IdleTimeout(1)):
        empty.when(service_command, actor=SERVICE).then_refused(RefusalCode.NOT_FOUND)
    refusal = Match().viewer(empty.state, "1" * 32)
    assert isinstance(refusal, Rejection)
    assert refusal.code is RefusalCode.NOT_FOUND
    assert Match().deadlines(empty.state) == {}


def test_partners_sit_opposite(sit: Sit) -> None:
    assert sit(4).state.teams == (0, 1, 0, 1)
    assert sit(2).state.teams == (0, 1)
