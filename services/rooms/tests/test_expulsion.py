"""The vote that puts a player out: all the others, one vote each, withdrawable until the last."""

from __future__ import annotations

import pytest
from circolo_contracts.expulsion import ExpulsionDecided, ExpulsionVoted, ExpulsionVotes, VoteToExpel
from circolo_contracts.games import CATALOGUE, TOMBOLA
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    CpuSeated,
    FinishGame,
    GameFinished,
    LeaveRoom,
    PlayerLeft,
    RoomCreated,
    RoomHappening,
    SeatOccupant,
)
from circolo_events.decider import PUBLIC
from circolo_events.testing.scenario import NOON, Scenario
from msgspec.structs import replace
from table_talk import (
    ANNA,
    BRUNO,
    CARLA,
    CODE,
    DARIO,
    ELENA,
    GAME_ID,
    ROOM,
    ROOMS,
    at_seats,
    begun,
    came,
    opened,
    ranked,
    room,
)

FOUR = (ranked(4), came(BRUNO, 1), came(CARLA, 2), came(DARIO, 3), came(ELENA))
PLAYING = (*FOUR, replace(begun(ANNA, BRUNO, CARLA, DARIO), ranked=True))
OUT = VoteToExpel(in_favour=True, player=BRUNO)
BACK = VoteToExpel(in_favour=False, player=BRUNO)


def voted(voter: str, in_favour: bool = True, player: str = BRUNO) -> ExpulsionVoted:
    return ExpulsionVoted(at=NOON, game_id=GAME_ID, in_favour=in_favour, player=player, voter=voter)


DECIDED = ExpulsionDecided(at=NOON, game_id=GAME_ID, player=BRUNO)


def seen(table: Scenario) -> list[ExpulsionVotes]:
    votes: list[ExpulsionVotes] = table.decider.view(table.state, PUBLIC).votes  # type: ignore[attr-defined]
    return votes


def finished(table: Scenario, **how: object) -> Scenario:
    finish = FinishGame(game_id=GAME_ID, idle=False, outcome="ABANDONED", **how)  # type: ignore[arg-type]
    return table.when(finish, actor=ROOMS)


OVER = GameFinished(at=NOON, game_id=GAME_ID, outcome="ABANDONED")


def test_the_other_three_put_a_player_out_by_their_last_vote() -> None:
    table = room(*PLAYING).when(OUT, actor=ANNA).then(voted(ANNA))
    table.when(OUT, actor=CARLA).then(voted(CARLA))
    table.when(OUT, actor=DARIO).then(voted(DARIO), DECIDED)
    assert table.state.phase == "PLAYING", "it counts when the match has ended by it"


def test_two_of_three_is_nothing() -> None:
    table = room(*PLAYING, voted(ANNA), voted(DARIO))
    assert (table.state.expelled, at_seats(table)) == ("", [ANNA, BRUNO, CARLA, DARIO])


def test_at_a_table_of_three_the_other_two_must_agree() -> None:
    three = (replace(ranked(4), game="VINCIPERDI", settings={"players": 3}), came(BRUNO, 1), came(CARLA, 2))
    table = room(*three, replace(begun(ANNA, BRUNO, CARLA), game="VINCIPERDI"))
    table.when(OUT, actor=ANNA).then(voted(ANNA)).when(OUT, actor=CARLA).then(voted(CARLA), DECIDED)


def test_for_two_there_is_no_vote_only_the_clock() -> None:
    table = room(ranked(2), came(BRUNO, 1), begun(ANNA, BRUNO))
    table.when(OUT, actor=ANNA).then_refused(RefusalCode.TABLE_TOO_SMALL)


def test_a_person_among_cpus_cannot_put_the_other_one_out() -> None:
    seats = [SeatOccupant(player=ANNA), SeatOccupant(player=BRUNO), *[SeatOccupant(cpu="EASY")] * 2]
    cpus = [CpuSeated(at=NOON, level="EASY", seat=seat) for seat in (2, 3)]
    table = room(opened(4), came(BRUNO, 1), *cpus, replace(begun(ANNA, BRUNO), seats=seats))
    table.when(OUT, actor=ANNA).then_refused(RefusalCode.TABLE_TOO_SMALL)


def test_each_has_one_vote_however_often_he_gives_it() -> None:
    table = room(*PLAYING).when(OUT, actor=ANNA).go_on().when(OUT, actor=ANNA).then_nothing()
    assert seen(table) == [ExpulsionVotes(in_favour=[ANNA], target=BRUNO)]
    table.when(OUT, actor=CARLA).then(voted(CARLA)).when(OUT, actor=CARLA).then_nothing()
    assert table.state.expelled == ""


def test_a_vote_may_be_taken_back_until_the_last_one_and_given_again() -> None:
    table = room(*PLAYING, voted(ANNA), voted(CARLA)).when(BACK, actor=ANNA).then(voted(ANNA, False))
    assert seen(table) == [ExpulsionVotes(in_favour=[CARLA], target=BRUNO)]
    table.when(OUT, actor=DARIO).then(voted(DARIO))
    table.when(OUT, actor=ANNA).then(voted(ANNA), DECIDED)


def test_taking_back_a_vote_that_was_not_given_is_no_event() -> None:
    room(*PLAYING).when(BACK, actor=ANNA).then_nothing()


def test_after_the_last_vote_nothing_is_taken_back() -> None:
    table = room(*PLAYING, voted(ANNA), voted(CARLA), voted(DARIO), DECIDED)
    table.when(BACK, actor=ANNA).then_refused(RefusalCode.VOTE_DECIDED)
    table.when(OUT, actor=ANNA).then_nothing()
    table.when(VoteToExpel(True, CARLA), actor=ANNA).then_refused(RefusalCode.VOTE_DECIDED)


def test_the_vote_of_who_shall_go_does_not_exist() -> None:
    table = room(*PLAYING)
    table.when(OUT, actor=BRUNO).then_refused(RefusalCode.NOT_ALLOWED, "player")
    table.when(BACK, actor=BRUNO).then_refused(RefusalCode.NOT_ALLOWED, "player")


def test_two_votes_at_once_are_two_votes_and_each_needs_its_own_three() -> None:
    table = room(*PLAYING, voted(ANNA), voted(CARLA))
    table.when(VoteToExpel(True, CARLA), actor=BRUNO).then(voted(BRUNO, player=CARLA))
    table.when(VoteToExpel(True, CARLA), actor=DARIO).then(voted(DARIO, player=CARLA))
    assert seen(table) == [
        ExpulsionVotes(in_favour=[ANNA, CARLA], target=BRUNO),
        ExpulsionVotes(in_favour=[BRUNO, DARIO], target=CARLA),
    ]
    assert table.state.expelled == ""


def test_who_only_watches_neither_votes_nor_is_voted_out() -> None:
    table = room(*PLAYING)
    table.when(OUT, actor=ELENA).then_refused(RefusalCode.NOT_IN_GAME)
    table.when(VoteToExpel(True, ELENA), actor=ANNA).then_refused(RefusalCode.NOT_IN_GAME, "player")
    table.when(VoteToExpel(True, "nobody"), actor=ANNA).then_refused(RefusalCode.NOT_IN_GAME, "player")
    table.when(OUT, actor="9" * 32).then_refused(RefusalCode.NOT_IN_ROOM)
    table.when(OUT, actor=ROOMS).then_refused(RefusalCode.NOT_ALLOWED)


def test_without_a_game_there_is_nobody_to_put_out() -> None:
    room(*FOUR).when(OUT, actor=ANNA).then_refused(RefusalCode.NO_GAME)


def test_the_votes_are_void_when_the_match_ends() -> None:
    again = replace(begun(ANNA, BRUNO, CARLA, DARIO, game_no=2), game_id="3" * 32, ranked=True)
    table = finished(room(*PLAYING, voted(ANNA), voted(CARLA))).go_on()
    assert seen(table) == []
    table.when(OUT, actor=DARIO).then_refused(RefusalCode.NO_GAME)
    table.state = table.decider.evolve(table.state, again)
    table.when(OUT, actor=DARIO).then(replace(voted(DARIO), game_id="3" * 32))


def test_who_was_put_out_is_out_of_the_room_when_the_match_has_ended_by_it() -> None:
    table = finished(
        room(*PLAYING, voted(ANNA), voted(CARLA), voted(DARIO), DECIDED), abandoned_by=1, reason="EXPELLED"
    )
    table.then(OVER, PlayerLeft(at=NOON, keeps_seat=False, player=BRUNO))
    assert (at_seats(table), table.state.expelled) == ([ANNA, None, CARLA, DARIO], "")


def test_a_decision_that_came_after_the_end_puts_nobody_out() -> None:
    table = room(*PLAYING, voted(ANNA), voted(CARLA), voted(DARIO), DECIDED)
    won = FinishGame(game_id=GAME_ID, idle=False, outcome="WON")
    table.when(won, actor=ROOMS).then(replace(OVER, outcome="WON"))
    assert at_seats(table) == [ANNA, BRUNO, CARLA, DARIO]
    assert table.state.expelled == ""


def test_when_the_time_of_another_ran_out_first_the_vote_is_void() -> None:
    table = room(*PLAYING, voted(ANNA), voted(CARLA), voted(DARIO), DECIDED)
    finished(table, abandoned_by=2, reason="TIMEOUT").then(OVER, PlayerLeft(at=NOON, keeps_seat=False, player=CARLA))
    assert at_seats(table) == [ANNA, BRUNO, None, DARIO]


def test_after_somebody_left_a_ranked_table_there_is_no_vote_of_the_rest() -> None:
    table = room(*PLAYING).when(LeaveRoom(), actor=CARLA).go_on()
    table.when(OUT, actor=ANNA).then_refused(RefusalCode.GAME_NOT_RUNNING)


def test_at_a_friendly_table_the_vote_needs_also_who_is_away() -> None:
    table = room(opened(4), *PLAYING[1:4], begun(ANNA, BRUNO, CARLA, DARIO), voted(DARIO))
    table.when(LeaveRoom(), actor=CARLA).go_on().when(OUT, actor=ANNA).then(voted(ANNA))
    away = table.when(VoteToExpel(True, CARLA), actor=ANNA).go_on().when(VoteToExpel(True, CARLA), actor=BRUNO).go_on()
    away.when(VoteToExpel(True, CARLA), actor=DARIO).go_on()
    assert away.state.expelled == CARLA, "a seat that waits for its player can be voted out of the game"
    finished(away, abandoned_by=2, reason="EXPELLED").then(OVER)
    assert at_seats(away) == [ANNA, BRUNO, None, DARIO]


def test_a_party_game_puts_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CATALOGUE, "TOMBOLA", TOMBOLA)
    created = RoomCreated(
        at=NOON, code=CODE, game="TOMBOLA", host=ANNA, room=ROOM, settings=TOMBOLA.defaults(), visibility="PUBLIC"
    )
    playing = room(created, came(BRUNO, 1), came(CARLA, 2), replace(begun(ANNA, BRUNO, CARLA), game="TOMBOLA"))
    playing.when(OUT, actor=ANNA).then_refused(RefusalCode.NOT_ALLOWED)


def test_everybody_is_told_who_voted_against_whom() -> None:
    table = room(*PLAYING)
    event = voted(ANNA)
    after = table.decider.evolve(table.state, event)
    (told,) = table.decider.tell(event, table.state, after, PUBLIC)
    assert told == RoomHappening(
        at_version=after.version, kind="ExpulsionVoted", in_favour=True, player=BRUNO, voter=ANNA
    )
