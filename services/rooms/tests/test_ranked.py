"""Ranked tables: people only, the settings of the house, and leaving is an abandonment at once."""

from __future__ import annotations

import pytest
from circolo_contracts.games import BRISCOLA, CATALOGUE, SCOPONE_DIECI, SCOPONE_NOVE, ranked_settings
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    AddCpu,
    ChangeSettings,
    EndGame,
    FinishGame,
    GameFinished,
    HostChanged,
    LeaveRoom,
    MarkDisconnected,
    PlayerConnected,
    PlayerDisconnected,
    PlayerLeft,
    RoomClosed,
    RoomCreated,
    RoomEvent,
    SettingsChanged,
    StartGame,
)
from circolo_events.testing.scenario import NOON, Scenario
from circolo_rooms.commands import OpenRoom
from msgspec import UNSET
from msgspec.structs import replace
from table_talk import (
    ANNA,
    BRUNO,
    CARLA,
    CODE,
    DARIO,
    GAME_ID,
    ROOM,
    ROOMS,
    at_seats,
    begun,
    came,
    join,
    opened,
    ranked,
    room,
)

FOUR = (ranked(4), came(BRUNO, 1), came(CARLA, 2), came(DARIO, 3))
PLAYING = (*FOUR, replace(begun(ANNA, BRUNO, CARLA, DARIO), ranked=True))


def open_ranked(game: str = "BRISCOLA", **chosen: object) -> OpenRoom:
    return OpenRoom(
        code=CODE, code_until=NOON + 1, game=game, settings=chosen, visibility="PUBLIC",  # type: ignore[arg-type]
        ranked=True,
    )  # fmt: skip


def finished(table: Scenario, **how: object) -> Scenario:
    """The game's service says how it ended."""
    return table.when(
        FinishGame(game_id=GAME_ID, idle=False, outcome="ABANDONED", next_dealer=2, **how),  # type: ignore[arg-type]
        actor=ROOMS,
    )


OVER = GameFinished(at=NOON, game_id=GAME_ID, outcome="ABANDONED", next_dealer=2)

# ---- opening and settings


def test_a_ranked_room_has_thirty_seconds_a_card_and_who_lets_them_pass_abandons() -> None:
    table = room().when(open_ranked(players=4), actor=ANNA).then(
        RoomCreated(
            at=NOON, code=CODE, game="BRISCOLA", host=ANNA, room=ROOM, visibility="PUBLIC", ranked=True,
            settings={"players": 4, "bestOf": 1, "clockSeconds": 30, "onTimeout": "ABANDON"},
        )
    )  # fmt: skip
    assert table.state.ranked
    assert table.decider.view(table.state, None).ranked  # type: ignore[arg-type]
    assert not room(opened(2)).state.ranked


def test_both_scoponi_are_ranked_to_16() -> None:
    for game in (SCOPONE_NOVE, SCOPONE_DIECI):
        settings = ranked_settings(game, {})
        assert isinstance(settings, dict)
        assert settings["target"] == 16


@pytest.mark.parametrize(
    ("name", "value"),
    [("bestOf", 3), ("clockSeconds", 60), ("clockSeconds", 0), ("onTimeout", "AUTOPLAY"), ("players", 3), ("x", 1)],
)
def test_no_setting_of_a_ranked_room_but_the_players_may_be_chosen(name: str, value: object) -> None:
    room().when(open_ranked(**{name: value}), actor=ANNA).then_refused(RefusalCode.INVALID_SETTING, name)


def test_a_ranked_room_may_be_asked_for_with_the_settings_that_it_has_anyway() -> None:
    room().when(open_ranked(bestOf=1, clockSeconds=30), actor=ANNA).go_on()


@pytest.mark.parametrize("kind", [kind for kind, game in CATALOGUE.items() if not game.ranked])
def test_a_game_that_is_no_competition_has_no_ranked_room(kind: str) -> None:
    room().when(open_ranked(kind), actor=ANNA).then_refused(RefusalCode.NOT_RANKED, "game")
    room(ranked(2)).when(ChangeSettings(kind, {}), actor=ANNA).then_refused(RefusalCode.NOT_RANKED, "game")


def test_the_host_of_a_ranked_room_chooses_the_game_and_the_players_and_nothing_else() -> None:
    table = room(ranked(4))
    table.when(ChangeSettings("BRISCOLA", {"bestOf": 5}), actor=ANNA).then_refused(
        RefusalCode.INVALID_SETTING, "bestOf"
    )
    two = {"players": 2, "bestOf": 1, "clockSeconds": 30, "onTimeout": "ABANDON"}
    table.when(ChangeSettings("BRISCOLA", {"players": 2}), actor=ANNA).then(
        SettingsChanged(at=NOON, game="BRISCOLA", settings=two)
    )
    (changed,) = table.when(ChangeSettings("TRESSETTE", {"players": 4}), actor=ANNA).decided
    assert changed.settings["declarations"] is True
    table.go_on()
    (changed,) = table.when(ChangeSettings("TRESSETTE", {"players": 2}), actor=ANNA).decided
    assert changed.settings["declarations"] is False, "the default of two, not what four had"
    table.go_on()
    (changed,) = table.when(ChangeSettings("SCOPONE_NOVE", {}), actor=ANNA).decided
    assert (changed.settings["target"], changed.settings["clockSeconds"]) == (16, 30)
    assert table.go_on().state.ranked


def test_no_cpu_sits_in_place_of_a_person() -> None:
    room(ranked(2)).when(AddCpu("HARD", 1), actor=ANNA).then_refused(RefusalCode.RANKED)
    room(ranked(2)).when(StartGame(), actor=ANNA).then_refused(RefusalCode.SEATS_EMPTY)


def test_a_ranked_game_is_requested_as_one() -> None:
    (requested,) = room(*FOUR).when(StartGame(), actor=ANNA).decided
    assert requested.ranked is True
    (friendly,) = room(opened(2), came(BRUNO, 1)).when(StartGame(), actor=ANNA).decided
    assert friendly.ranked is UNSET


def test_the_host_cannot_call_a_ranked_game_off() -> None:
    room(*PLAYING).when(EndGame(), actor=ANNA).then_refused(RefusalCode.RANKED)


# ---- leaving


def test_who_leaves_during_a_ranked_game_abandons_it_at_once() -> None:
    table = room(*PLAYING).when(LeaveRoom(), actor=BRUNO)
    table.then(PlayerLeft(at=NOON, keeps_seat=False, player=BRUNO, game_id=GAME_ID))
    assert at_seats(table) == [ANNA, None, CARLA, DARIO]
    table.when(join(), actor=BRUNO).then_refused(RefusalCode.GAME_STARTED)


def test_a_friendly_game_keeps_the_seat_of_who_leaves_as_ever() -> None:
    friendly = room(opened(2), came(BRUNO, 1), begun(ANNA, BRUNO)).when(LeaveRoom(), actor=BRUNO)
    friendly.then(PlayerLeft(at=NOON, keeps_seat=True, player=BRUNO))
    assert at_seats(friendly) == [ANNA, BRUNO]


def test_the_head_of_a_ranked_table_who_leaves_abandons_too() -> None:
    room(*PLAYING).when(LeaveRoom(), actor=ANNA).then(
        PlayerLeft(at=NOON, keeps_seat=False, player=ANNA, game_id=GAME_ID), HostChanged(at=NOON, player=BRUNO)
    )


def test_a_spectator_who_leaves_a_ranked_room_abandons_nothing() -> None:
    room(*FOUR, came("9" * 32), *PLAYING[4:]).when(LeaveRoom(), actor="9" * 32).then(
        PlayerLeft(at=NOON, keeps_seat=False, player="9" * 32)
    )


def test_before_and_after_a_ranked_game_leaving_is_just_leaving() -> None:
    left = PlayerLeft(at=NOON, keeps_seat=False, player=BRUNO)
    room(*FOUR).when(LeaveRoom(), actor=BRUNO).then(left)
    won = GameFinished(at=NOON, game_id=GAME_ID, outcome="WON", next_dealer=2)
    room(*PLAYING, won).when(LeaveRoom(), actor=BRUNO).then(left)


def test_cards_K13_who_is_cut_off_while_the_table_waits_for_a_rematch_has_left_nothing() -> None:
    won = GameFinished(at=NOON, game_id=GAME_ID, outcome="WON", next_dealer=2)
    table = room(*PLAYING, PlayerConnected(at=NOON, player=BRUNO), won)
    table.when(MarkDisconnected(BRUNO), actor=ROOMS).then(PlayerDisconnected(at=NOON, player=BRUNO))
    assert at_seats(table) == [ANNA, BRUNO, CARLA, DARIO]


def test_a_lost_connection_during_a_ranked_game_is_nothing_by_itself() -> None:
    table = room(*PLAYING, PlayerConnected(at=NOON, player=BRUNO))
    table.when(MarkDisconnected(BRUNO), actor=ROOMS).then(PlayerDisconnected(at=NOON, player=BRUNO))
    assert (table.state.phase, at_seats(table)) == ("PLAYING", [ANNA, BRUNO, CARLA, DARIO])
    table.when(join(), actor=BRUNO).then_nothing()


def test_two_who_leave_in_the_same_millisecond_both_free_their_seats() -> None:
    table = room(*PLAYING).when(LeaveRoom(), actor=BRUNO).go_on().when(LeaveRoom(), actor=CARLA)
    table.then(PlayerLeft(at=NOON, keeps_seat=False, player=CARLA, game_id=GAME_ID))
    finished(table, abandoned_by=1, reason="LEFT").then(OVER)
    assert (table.state.phase, at_seats(table), table.state.again) == ("LOBBY", [ANNA, None, None, DARIO], False)


def test_a_ranked_room_that_everybody_has_left_closes_with_its_game() -> None:
    table = room(*PLAYING)
    for player in (BRUNO, CARLA, DARIO, ANNA):
        table.when(LeaveRoom(), actor=player).go_on()
    finished(table, abandoned_by=1, reason="LEFT").then(OVER, RoomClosed(at=NOON, code=CODE, reason="EMPTY"))


# ---- put out


def test_whose_time_ran_out_at_a_ranked_table_is_out_of_the_room() -> None:
    table = finished(room(*PLAYING), abandoned_by=2, reason="TIMEOUT")
    table.then(OVER, PlayerLeft(at=NOON, keeps_seat=False, player=CARLA))
    assert at_seats(table) == [ANNA, BRUNO, None, DARIO]
    assert table.state.member(CARLA) is None


def test_the_head_whose_time_ran_out_hands_the_table_on() -> None:
    finished(room(*PLAYING), abandoned_by=0, reason="TIMEOUT").then(
        OVER, PlayerLeft(at=NOON, keeps_seat=False, player=ANNA), HostChanged(at=NOON, player=BRUNO)
    )


def test_the_only_one_in_the_room_whose_time_ran_out_closes_it() -> None:
    table = room(*PLAYING)
    for player in (BRUNO, CARLA, DARIO):
        table.when(LeaveRoom(), actor=player).go_on()
    finished(table, abandoned_by=0, reason="TIMEOUT").then(
        OVER, PlayerLeft(at=NOON, keeps_seat=False, player=ANNA), RoomClosed(at=NOON, code=CODE, reason="EMPTY")
    )


def test_who_left_before_he_was_put_out_leaves_once() -> None:
    table = room(*PLAYING).when(LeaveRoom(), actor=CARLA).go_on()
    finished(table, abandoned_by=2, reason="TIMEOUT").then(OVER)


def test_at_a_friendly_table_with_a_clock_who_was_too_slow_keeps_his_chair() -> None:
    friendly: tuple[RoomEvent, ...] = (opened(2), came(BRUNO, 1), begun(ANNA, BRUNO))
    over = replace(OVER, next_dealer=0)
    table = finished(room(*friendly), abandoned_by=1, reason="TIMEOUT").then(over)
    assert at_seats(table) == [ANNA, BRUNO]


def test_who_gave_up_by_his_own_word_keeps_his_chair() -> None:
    table = finished(room(*PLAYING), abandoned_by=2, reason="LEFT").then(OVER)
    assert at_seats(table) == [ANNA, BRUNO, CARLA, DARIO]


def test_the_descriptor_says_what_is_a_competition() -> None:
    assert {kind for kind, game in CATALOGUE.items() if game.stream_kind == "match"} == {
        kind for kind, game in CATALOGUE.items() if game.ranked
    }
    assert BRISCOLA.ranked
