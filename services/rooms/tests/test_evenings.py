"""What an evening carries from game to game: the totals of its teams."""

from __future__ import annotations

import pytest
from circolo_contracts.cardgames import MatchEnded
from circolo_contracts.games import CATALOGUE, TRIVIA
from circolo_contracts.ids import stream_of
from circolo_contracts.rooms import ChangeSettings, FinishGame, GameFinished, GameRequested, RoomCreated, StartGame
from circolo_events.store import Recorded
from circolo_events.testing.scenario import NOON, Scenario
from circolo_rooms.reactions import on_result
from msgspec import UNSET, UnsetType
from table_talk import ANNA, BRUNO, CARLA, CODE, DARIO, ROOM, ROOMS, came, opened, room

OPENED = RoomCreated(
    at=NOON, code=CODE, game="TRIVIA", host=ANNA, room=ROOM, settings=TRIVIA.defaults(), visibility="PUBLIC"
)


@pytest.fixture(autouse=True)
def trivia(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CATALOGUE, "TRIVIA", TRIVIA)


def requested(table: Scenario) -> GameRequested:
    decided = table.when(StartGame(), actor=ANNA).decided
    assert isinstance(decided, list), decided
    table.go_on()
    return decided[0]


def ended(table: Scenario, totals: list[int] | UnsetType, outcome: str = "WON") -> Scenario:
    finish = FinishGame(game_id=table.state.game_id, idle=False, outcome=outcome, totals=totals)
    return table.when(finish, actor=ROOMS).go_on()


def test_the_second_game_of_an_evening_starts_from_what_the_first_came_to() -> None:
    table = room(OPENED, came(BRUNO, 1))
    assert requested(table).totals is UNSET
    assert requested(ended(table, [1_200, 900])).totals == [1_200, 900]
    again = table.when(FinishGame(game_id=table.state.game_id, idle=False, outcome="TIED", totals=[7, 7]), actor=ROOMS)
    again.then(GameFinished(at=NOON, game_id=table.state.game_id, outcome="TIED", totals=[7, 7]))
    assert requested(table).totals == [7, 7]


def test_a_game_that_never_started_leaves_the_totals_alone() -> None:
    table = room(OPENED, came(BRUNO, 1))
    requested(table)
    ended(table, [10, 20])
    requested(table)
    assert requested(ended(table, UNSET, "CANCELLED")).totals == [10, 20]


def test_another_mode_goes_on_from_there_and_another_number_of_teams_begins_anew() -> None:
    table = room(OPENED, came(BRUNO, 1))
    requested(table)
    ended(table, [10, 20])
    finale = ChangeSettings("TRIVIA", {"mode": "TUTTO_O_NIENTE"})
    assert requested(table.when(finale, actor=ANNA).go_on()).totals == [10, 20]
    ended(table, [0, 40])
    assert requested(table.when(ChangeSettings("TRIVIA", {"teams": 3}), actor=ANNA).go_on()).totals is UNSET


def test_a_hand_of_cards_in_between_takes_nothing_from_the_evening() -> None:
    table = room(OPENED, came(BRUNO, 1))
    requested(table)
    ended(table, [10, 20])
    cards = requested(table.when(ChangeSettings("BRISCOLA", {}), actor=ANNA).go_on())
    assert cards.totals is UNSET
    ended(table, UNSET)
    assert requested(table.when(ChangeSettings("TRIVIA", {}), actor=ANNA).go_on()).totals == [10, 20]


def test_seats_go_round_the_teams_and_a_team_is_chosen_in_the_lobby() -> None:
    settings = TRIVIA.defaults()
    assert [TRIVIA.team_of(seat, {**settings, "teams": 3}) for seat in range(6)] == [0, 1, 2, 0, 1, 2]
    assert TRIVIA.team_count({**settings, "teams": 24}) == 24
    table = room(OPENED, came(BRUNO, 1), came(CARLA, 2))
    view = table.decider.view(table.state, None)
    assert [(seat.player, seat.team) for seat in view.seats[:3]] == [(ANNA, 0), (BRUNO, 1), (CARLA, 0)]


def test_one_person_alone_plays_no_trivia_and_a_card_room_carries_no_totals() -> None:
    assert TRIVIA.least_people == 2
    assert requested(room(opened(2), came(DARIO, 1))).totals is UNSET


def test_rooms_hears_the_totals_with_the_result() -> None:
    over = MatchEnded(at=NOON, last_dealer=0, outcome="WON", room=ROOM, totals=[3, 4], winner=1)
    recorded = Recorded(
        shard=0, pos=1, id="1" * 32, stream=stream_of("trivia", "2" * 32), version=9, type="MatchEnded", schema_v=1,
        data=b"{}", meta=b"{}", command="3" * 32, seq=0, n=1, at=NOON,
    )  # fmt: skip
    (send,) = on_result(recorded, over)
    assert isinstance(send.data, FinishGame)
    assert (send.data.totals, send.stream) == ([3, 4], stream_of("room", ROOM))
