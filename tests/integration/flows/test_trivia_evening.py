"""A trivia evening over rooms and trivia together, on real servers: three modes in a row, whose totals go on from one
to the next. The services are talked to as a gateway does; their clock is put forward, not waited for.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    ChangeSettings,
    CreateRoom,
    JoinRoom,
    LeaveRoom,
    MarkConnected,
    MarkDisconnected,
    RoomView,
    SignInAsGuest,
    StartGame,
)
from circolo_contracts.trivia import AnswerQuestion, Buzz, CloseQuestion, NextQuestion, PickTile, SkipQuestion, Stake
from circolo_contracts.trivia_view import TriviaView
from circolo_contracts.wire import Ask, Done, Refused, Seen
from circolo_trivia.service import compose as compose_trivia
from lobby import ROOMS, Lobby, rooms_and, until
from msgspec import Struct

ANNA, BRUNO, CARLA, DARIO = PEOPLE = [uuid.uuid4().hex for _ in range(4)]
SHORT = {"questions": 5, "speedPoints": False}


class Evening(Lobby):
    """A room, its people (Anna and Carla against Bruno and Dario), and the night that it plays now."""

    night = ""

    async def at_night(self, data: Struct, who: str) -> TriviaView:
        answer = await self.send("trivia", self.night, data, who)
        assert isinstance(answer, Done), answer
        return msgspec.json.decode(answer.view, type=TriviaView)

    async def refused(self, data: Struct, who: str, night: str = "") -> RefusalCode:
        answer = await self.send("trivia", night or self.night, data, who)
        assert isinstance(answer, Refused), answer
        return answer.code

    async def look(self, who: str = "", night: str = "") -> TriviaView | None:
        answer = await self.client.send("trivia", night or self.night, Ask(who))
        return msgspec.json.decode(answer.view, type=TriviaView) if isinstance(answer, Seen) else None

    async def seen(self, who: str = "", **wanted: Any) -> TriviaView:
        """As soon as the view has all of these."""

        async def so() -> TriviaView | None:
            view = await self.look(who)
            return view if view is not None and all(getattr(view, k) == v for k, v in wanted.items()) else None

        view: TriviaView = await until(so)
        return view

    async def start(self, host: str, **settings: Any) -> TriviaView:
        await self.in_room(ChangeSettings("TRIVIA", settings), host)
        room = await self.in_room(StartGame(), host)
        self.night = f"trivia-{room.game_id}"
        return await self.seen(host)

    async def back_in_the_lobby(self) -> None:
        async def so() -> bool:
            return (await self.room_seen(BRUNO)).phase == "LOBBY"

        await until(so)


@pytest.fixture
async def evening(database: str, nats_url: str, tmp_path: Path) -> AsyncIterator[Evening]:
    """Anna's room, in which the four sit; everybody is connected."""
    async with rooms_and("trivia", compose_trivia, database, nats_url, tmp_path) as (client, clocks):
        made = Evening(client, clocks)
        await people_come_in(made)
        yield made


async def people_come_in(evening: Evening) -> None:
    for name, who in zip(("Anna", "Bruno", "Carla", "Dario"), PEOPLE, strict=True):
        await evening.send("rooms", f"player-{who}", SignInAsGuest(name), who)
    answer = await evening.send("rooms", f"room-{uuid.uuid4().hex}", CreateRoom("TRIVIA", {}, "PUBLIC"), ANNA)
    assert isinstance(answer, Done), answer
    room = msgspec.json.decode(answer.view, type=RoomView)
    evening.room = room.code
    for who in PEOPLE[1:]:
        await evening.in_room(JoinRoom(), who)
    evening.room = room.room
    for who in PEOPLE:
        await evening.in_room(MarkConnected(who), ROOMS)


async def a_quiz(evening: Evening, host: str = ANNA) -> list[int]:
    """Five questions, to all of which everybody says the first option; returns the totals."""
    for no in range(1, 6):
        await evening.at_night(NextQuestion(), host)
        evening.later(500)
        for who in PEOPLE:
            view = await evening.at_night(AnswerQuestion(0, no), who)
        assert view.phase == "REVEAL"
        await evening.at_night(NextQuestion(), host)
    ended = await evening.seen(status="ENDED")
    return [team.total for team in ended.teams]


async def test_an_evening_carries_its_totals_from_the_quiz_to_the_board_to_the_last_question(evening: Evening) -> None:
    quiz = await evening.start(ANNA, **SHORT)
    assert [(seat.player, seat.team) for seat in quiz.seats] == [(who, n % 2) for n, who in enumerate(PEOPLE)]
    totals = await a_quiz(evening)
    assert totals[0] == totals[1]
    first = evening.night
    await evening.back_in_the_lobby()

    board = await evening.start(ANNA, mode="SHOWDOWN", categories=3)
    assert [team.total for team in board.teams] == totals
    picker = PEOPLE[board.control]  # type: ignore[index]
    await evening.at_night(PickTile(board.board[2].category, 600), picker)
    evening.later(500)
    await evening.at_night(Buzz(1), BRUNO)
    assert await evening.refused(Buzz(1), ANNA) is RefusalCode.BUZZER_LOCKED
    judged = await evening.at_night(AnswerQuestion(0, 1), BRUNO)
    if judged.phase == "REVEAL":
        totals[1] += 600
    else:
        judged = await evening.at_night(SkipQuestion(), ANNA)
    assert [team.total for team in judged.teams] == totals
    for _ in range(11):
        await evening.at_night(NextQuestion(), ANNA)
        evening.later(30_200)
        await evening.seen(phase="BUZZ")
        await evening.at_night(SkipQuestion(), ANNA)
    await evening.at_night(NextQuestion(), ANNA)
    await evening.back_in_the_lobby()
    assert await evening.refused(AnswerQuestion(0, 1), BRUNO, first) is RefusalCode.STALE_GAME

    final = await evening.start(ANNA, mode="TUTTO_O_NIENTE")
    before = totals if any(totals) else [1000, 1000]
    assert [team.total for team in final.teams] == before
    assert [captain.seat for captain in final.captains] == [0, 1]
    await evening.at_night(Stake(before[0]), ANNA)
    await evening.at_night(Stake(0), BRUNO)
    evening.later(500)
    await evening.at_night(AnswerQuestion(0, 1), ANNA)
    shown = await evening.at_night(AnswerQuestion(0, 1), BRUNO)
    right = shown.reveal.answer == 0  # type: ignore[union-attr]
    after = [before[0] * 2 if right else 0, before[1]]
    assert [team.total for team in shown.teams] == after
    await evening.at_night(NextQuestion(), ANNA)
    await evening.back_in_the_lobby()

    again = await evening.start(ANNA, mode="QUIZ")
    assert [team.total for team in again.teams] == after
    await evening.in_room(LeaveRoom(), ANNA)
    assert (await evening.seen(host=BRUNO)).seats[0].connected is False


async def test_the_room_outlives_its_host_who_comes_back_to_the_same_seat(evening: Evening) -> None:
    await evening.start(ANNA, **SHORT)
    await evening.at_night(NextQuestion(), ANNA)
    evening.later(500)
    await evening.at_night(AnswerQuestion(1, 1), ANNA)
    await evening.in_room(MarkDisconnected(ANNA), ROOMS)
    gone = await evening.seen()
    for who in (BRUNO, CARLA, DARIO):
        gone = await evening.at_night(AnswerQuestion(1, 1), who)
    assert gone.phase == "REVEAL", "all have answered, he too"
    evening.later(3_600_000)
    await evening.in_room(MarkConnected(ANNA), ROOMS)
    back = await evening.seen(ANNA, phase="REVEAL")
    assert (back.seat, back.option, back.host) == (0, 1, ANNA)
    assert (await evening.at_night(NextQuestion(), ANNA)).phase == "READY"
    await evening.in_room(MarkDisconnected(CARLA), ROOMS)
    await evening.at_night(NextQuestion(), ANNA)
    evening.later(500)
    for who in (ANNA, BRUNO, DARIO):
        await evening.at_night(AnswerQuestion(2, 2), who)
    assert (await evening.seen()).phase == "OPEN"
    evening.later(10_100)
    assert (await evening.seen(phase="REVEAL")).reveal.reason == "ALL_ANSWERED"  # type: ignore[union-attr]


async def test_who_comes_after_the_start_watches_and_the_host_who_leaves_hands_the_night_over(evening: Evening) -> None:
    await evening.start(ANNA, **SHORT)
    elena = uuid.uuid4().hex
    await evening.send("rooms", f"player-{elena}", SignInAsGuest("Elena"), elena)
    room = await evening.room_seen(BRUNO)
    late = await evening.send("rooms", f"code-{room.code}", JoinRoom(), elena)
    assert isinstance(late, Refused)
    assert late.code is RefusalCode.GAME_STARTED
    assert isinstance(await evening.send("rooms", f"code-{room.code}", JoinRoom(watch=True), elena), Done)
    assert await evening.refused(AnswerQuestion(0, 1), elena) is RefusalCode.NOT_IN_GAME
    assert await evening.look(elena) == await evening.look()
    await evening.in_room(LeaveRoom(), ANNA)
    await evening.seen(host=BRUNO)
    await evening.at_night(NextQuestion(), BRUNO)
    assert await evening.refused(CloseQuestion(), ANNA) is RefusalCode.NOT_HOST
    evening.later(500)
    for who in (BRUNO, CARLA, DARIO):
        view = await evening.at_night(AnswerQuestion(0, 1), who)
    assert view.phase == "REVEAL", "nobody waits for who has left"
    assert (await evening.look(ANNA)).seat == 0  # type: ignore[union-attr]
