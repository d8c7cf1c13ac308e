"""The service on a real Postgres and NATS: rooms' orders in, answers by NATS, views out, clocks by rows."""

from __future__ import annotations

import asyncio
import json
import random
import uuid
from typing import Any

import msgspec
from circolo_contracts.cardgames import MatchEnded
from circolo_contracts.games import TRIVIA
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import GameStopRequested, HostChanged, PlayerConnected, PlayerDisconnected, PlayerLeft
from circolo_contracts.trivia import (
    AnswerLocked,
    AnswerQuestion,
    Buzz,
    BuzzAccepted,
    CloseQuestion,
    NextQuestion,
    PickTile,
    QuestionRevealed,
    SkipQuestion,
    TriviaStarted,
)
from circolo_contracts.trivia_view import TriviaView
from circolo_contracts.wire import Actor, Command, Done, Pushed, Refused, command_subject, pushed_decoder
from circolo_events.canonical import shard_of
from circolo_trivia.rehearsal import player
from circolo_trivia.service import TriviaNights
from msgspec import UNSET
from trivia_club import Club, until


async def opened(club: Club, stream: str) -> TriviaView:
    """The host does not wait for the READY phase; the clock of the question has started."""
    await club.seen(stream, phase="READY")
    await club.done(stream, 0, NextQuestion())
    view = await club.seen(stream, phase="OPEN")
    club.later(500)
    return view


async def test_a_night_from_the_order_to_the_result(club: Club, service: TriviaNights) -> None:
    stream = await club.request(3, questions=5, totals=[100, 50])
    for no in range(1, 6):
        view = await opened(club, stream)
        assert (view.question.no, len(view.question.options)) == (no, 4)  # type: ignore[union-attr]
        for seat in range(3):
            await club.done(stream, seat, AnswerQuestion(seat, no))
        assert (await club.seen(stream)).reveal is not UNSET
        await club.done(stream, 0, NextQuestion())
    log = await club.log(service, stream)
    ended = log[-2]
    assert isinstance(ended, MatchEnded)
    started = log[0]
    assert isinstance(started, TriviaStarted)
    right = [question.answer for question in started.questions]
    points = [event for event in log if isinstance(event, QuestionRevealed)]
    assert [[a.points > 0 for a in event.answers] for event in points] == [[r == s for s in range(3)] for r in right]
    assert ended.totals == points[-1].totals
    assert sum(ended.totals or ()) == 150 + sum(a.points for event in points for a in event.answers)  # type: ignore[arg-type]
    assert {len(q.options) for q in started.questions} == {4}


async def test_24_players_answering_in_the_same_50_ms_are_all_counted(club: Club, service: TriviaNights) -> None:
    stream = await club.request(24, teams=3)
    view = await opened(club, stream)
    assert len(view.seats) == 24

    async def say(seat: int) -> Any:
        await asyncio.sleep(random.Random(seat).random() * 0.05)
        return await club.send(stream, seat, AnswerQuestion(seat % 4, 1))

    answers = await asyncio.gather(*(say(seat) for seat in range(24)))
    assert all(isinstance(answer, Done) for answer in answers)
    log = await club.log(service, stream)
    assert sorted(event.seat for event in log if isinstance(event, AnswerLocked)) == list(range(24))
    revealed = log[-1]
    assert isinstance(revealed, QuestionRevealed)
    assert (revealed.reason, len(revealed.answers)) == ("ALL_ANSWERED", 24)
    assert {answer.option for answer in revealed.answers} == set(range(4))


async def test_what_was_stamped_in_time_counts_until_the_close(club: Club, service: TriviaNights) -> None:
    """One millisecond before, at and after the deadline: event, score and history agree."""
    stream = await club.request(4, seconds=5, teams=24, speedPoints=True)
    await opened(club, stream)
    view = await club.seen(stream, phase="OPEN")
    due = view.deadline
    assert isinstance(due, int)
    right = (await club.log(service, stream))[0].questions[0].answer  # type: ignore[union-attr]
    club.later(due + 20 - service.runtime.clock.now())
    stamps = {0: due - 1, 1: due, 2: due + 1}
    said = {seat: await club.send(stream, seat, AnswerQuestion(right, 1), at=at) for seat, at in stamps.items()}
    assert [isinstance(said[seat], Done) for seat in range(3)] == [True, True, False]
    assert isinstance(said[2], Refused)
    assert said[2].code is RefusalCode.LATE
    revealed = (await club.seen(stream, phase="REVEAL")).reveal
    assert [(a.seat, a.points, a.elapsed) for a in revealed.answers] == [  # type: ignore[union-attr]
        (0, 1000, 4_999), (1, 1000, 5_000), (2, 0, UNSET), (3, 0, UNSET),
    ]  # fmt: skip
    assert revealed.reason == "TIME"  # type: ignore[union-attr]
    closed = (await club.log(service, stream))[-1]
    assert due + 150 <= closed.at <= due + 1_500, "150 ms of grace, and not much more"  # type: ignore[union-attr]


async def test_100_random_double_presses_always_have_one_owner_and_the_other_is_told_at_once(
    club: Club, service: TriviaNights
) -> None:
    chance = random.Random(153)
    streams = [await club.request(4, mode="SHOWDOWN", categories=3) for _ in range(20)]

    async def pick(stream: str) -> int:
        view = await club.seen(stream, phase="PICK")
        tile = next(each for each in view.board if each.state == "FREE")
        await club.done(stream, view.control, PickTile(tile.category, tile.value))  # type: ignore[arg-type]
        return (await club.seen(stream, phase="BUZZ")).question.no  # type: ignore[union-attr]

    async def press(stream: str, no: int) -> None:
        pair = chance.sample(range(4), 2)
        both = await asyncio.gather(*(club.send(stream, seat, Buzz(no)) for seat in pair))
        refused = [answer.code for answer in both if isinstance(answer, Refused)]
        assert refused == [RefusalCode.BUZZER_LOCKED]
        held = (await club.seen(stream)).buzz
        assert held.seat == pair[isinstance(both[0], Refused)]  # type: ignore[union-attr]
        await club.done(stream, 0, SkipQuestion())
        await club.done(stream, 0, NextQuestion())

    for _ in range(5):
        numbers = await asyncio.gather(*map(pick, streams))
        club.later(500)
        await asyncio.gather(*map(press, streams, numbers))
    for stream in streams:
        owners = [event.no for event in await club.log(service, stream) if isinstance(event, BuzzAccepted)]
        assert owners == [1, 2, 3, 4, 5]


async def test_a_press_that_is_too_early_is_refused_and_locks_its_player_for_a_moment(
    club: Club, service: TriviaNights
) -> None:
    stream = await club.request(2, mode="SHOWDOWN")
    view = await club.seen(stream, phase="PICK")
    await club.done(stream, view.control, PickTile(view.board[0].category, 200))  # type: ignore[arg-type]
    buzzers = await club.seen(stream, phase="BUZZ")
    opening = buzzers.open_at
    assert isinstance(opening, int)
    key = uuid.uuid4().hex
    await asyncio.sleep(max(0, opening - 60 - service.runtime.clock.now()) / 1000)
    early = await club.send(stream, 0, Buzz(1), key=key)
    assert isinstance(early, Refused)
    assert early.code is RefusalCode.TOO_EARLY
    locked = (await club.seen(stream, 0)).locked_until
    assert isinstance(locked, int)
    assert opening < locked < opening + 250
    assert (await club.seen(stream, 1)).locked_until is UNSET
    await asyncio.sleep(max(0, opening + 5 - service.runtime.clock.now()) / 1000)
    hammered = await club.send(stream, 0, Buzz(1))
    if service.runtime.clock.now() < locked:
        assert isinstance(hammered, Refused)
        assert hammered.code is RefusalCode.TOO_EARLY
    await asyncio.sleep(max(0, locked - service.runtime.clock.now()) / 1000)
    assert isinstance(await club.send(stream, 0, Buzz(1), key=key), Done), "a refusal leaves its key free"
    types = [type(event).__name__ for event in await club.log(service, stream)]
    assert types.count("BuzzedTooEarly") == 1
    assert types.count("BuzzAccepted") == 1


async def test_everybody_is_pushed_his_own_view_and_no_secret(club: Club, service: TriviaNights) -> None:
    stream = await club.request(3)
    await club.seen(stream)
    got: dict[str, list[Pushed]] = {}

    def keep(message: Any) -> None:
        got.setdefault(message.subject.rpartition(".")[2], []).append(pushed_decoder.decode(message.data))

    await club.bus.subscribe(f"view.{stream}.*", keep)
    await club.bus.flush()
    await opened(club, stream)
    await club.done(stream, 1, AnswerQuestion(3, 1))
    started = (await club.log(service, stream))[0]
    assert isinstance(started, TriviaStarted)
    await until(lambda: asyncio.sleep(0, all(len(got.get(a, [])) >= 2 for a in ("public", "seat-0", "seat-1"))))
    for audience, pushes in got.items():
        sent = b"".join(msgspec.json.encode(push) for push in pushes).decode()
        hidden = [started.seed, *(q.source for q in started.questions if q.source)]
        assert [text for text in hidden if text in sent] == []
        latest = msgspec.json.decode(pushes[-1].view, type=TriviaView)
        assert (latest.option == 3) == (audience == "seat-1")
        told = [json.loads(bytes(h)) for push in pushes for h in push.happened]
        assert [t.get("seat") for t in told if t["kind"] == "AnswerLocked"] == [1]


async def test_people_who_come_and_go_and_the_host_are_followed_in_the_room(club: Club, service: TriviaNights) -> None:
    stream = await club.request(3)
    await club.seen(stream)

    async def says(event: Any) -> TriviaView:
        before = (await club.seen(stream)).version
        await club.room_says(event)

        async def moved() -> TriviaView | None:
            view = await club.look(stream)
            return view if view is not None and view.version > before else None

        return await until(moved)  # type: ignore[no-any-return]

    gone = await says(PlayerDisconnected(at=1, player=player(1), during=stream))
    assert [seat.connected for seat in gone.seats] == [True, False, True]
    assert (await says(PlayerConnected(at=2, player=player(1), during=stream))).seats[1].connected
    left = await says(PlayerLeft(at=3, keeps_seat=True, player=player(2), during=stream))
    assert not left.seats[2].connected
    assert (await says(HostChanged(at=4, player=player(1), during=stream))).host == player(1)
    refused = await club.send(stream, 0, NextQuestion())
    assert isinstance(refused, Refused)
    stopped = await says(GameStopRequested(at=5, game_id=stream.partition("-")[2], player=player(1), game="TRIVIA"))
    assert (stopped.status, stopped.result.outcome) == ("ENDED", "STOPPED")  # type: ignore[union-attr]


async def test_a_room_is_asked_nothing_twice_while_there_are_fresh_questions(club: Club, service: TriviaNights) -> None:
    asked: list[str] = []
    previous = ""
    for size in (5, 30, 13):
        stream = await club.request(2, questions=size, previous=previous)
        await club.seen(stream)
        for _ in range(size):
            await club.done(stream, 0, SkipQuestion())
            await club.done(stream, 0, NextQuestion())
        started = (await club.log(service, stream))[0]
        assert isinstance(started, TriviaStarted)
        asked += [question.id for question in started.questions]
        previous = stream
    assert len(set(asked)) == len(asked) == 48
    stream = await club.request(2, questions=5, previous=previous)
    again = (await club.log(service, stream))[0] if await club.seen(stream) else None
    assert isinstance(again, TriviaStarted)
    assert {question.id for question in again.questions} <= set(asked[:5]), "what was asked longest ago"
    late = await club.send(previous, 1, AnswerQuestion(0, 1))
    assert isinstance(late, Refused)
    assert late.code is RefusalCode.STALE_GAME


async def test_what_was_not_opened_is_fresh_for_the_next_night(club: Club, service: TriviaNights) -> None:
    first = await club.request(2, questions=30)
    await opened(club, first)
    await club.room_says(GameStopRequested(1, first.partition("-")[2], player(0), "TRIVIA"))
    await until(lambda: asyncio.sleep(0, service.runtime.cached(first).result is not None))  # type: ignore[union-attr]
    second = await club.request(2, questions=30, previous=first)
    await club.seen(second)
    logs = [await club.log(service, stream) for stream in (first, second)]
    ids = [[question.id for question in log[0].questions] for log in logs]  # type: ignore[union-attr]
    assert ids[0][0] not in ids[1]
    assert set(ids[0]) & set(ids[1])
    rows = await service.bank.pool.fetch("SELECT question FROM asked WHERE room = $1", club.room)
    assert [row["question"] for row in rows] == [ids[0][0]]


async def test_a_theme_with_too_few_questions_is_no_game_and_the_room_hears_why(
    club: Club, service: TriviaNights
) -> None:
    themes = dict.fromkeys(
        [name for name in TRIVIA.defaults() if name.startswith("theme") and name != "themeArte"], False
    )
    stream = await club.request(2, questions=5, **themes)
    view = await club.seen(stream)
    assert (view.status, view.result.outcome) == ("ENDED", "CANCELLED")  # type: ignore[union-attr]
    assert (await club.log(service, stream))[0].reason == "NOT_ENOUGH_QUESTIONS"  # type: ignore[union-attr]


async def test_a_repeated_order_and_a_repeated_answer_get_the_first_one(club: Club, service: TriviaNights) -> None:
    stream = await club.request(2)
    await opened(club, stream)
    key = uuid.uuid4().hex
    first = await club.send(stream, 1, AnswerQuestion(2, 1), key=key)
    again = await club.send(stream, 1, AnswerQuestion(2, 1), key=key)
    assert isinstance(first, Done)
    assert isinstance(again, Done)
    assert (again.version, again.replayed) == (first.version, True)
    assert [type(e).__name__ for e in await club.log(service, stream)].count("AnswerLocked") == 1


async def test_two_replicas_decide_one_night_and_close_a_question_once(club: Club, service: TriviaNights) -> None:
    second = await club.open()
    try:
        stream = await club.request(8, teams=2)
        await opened(club, stream)
        await asyncio.gather(*(club.send(stream, seat, AnswerQuestion(0, 1)) for seat in range(7)))
        await asyncio.gather(club.send(stream, 7, AnswerQuestion(0, 1)), club.send(stream, 0, CloseQuestion()))
        log = await club.log(service, stream)
        assert [type(event).__name__ for event in log].count("QuestionRevealed") == 1
        assert [type(event).__name__ for event in log].count("AnswerLocked") in (7, 8)
    finally:
        await second.stop()


BAD = (
    ("AnswerQuestion", b'{"option":1.5,"question_no":1}', "MALFORMED"),
    ("AnswerQuestion", b'{"option":"1","question_no":1}', "MALFORMED"),
    ("Stake", b'{"amount":null}', "MALFORMED"),
    ("Stake", b'{"amount":1e3}', "MALFORMED"),
    ("Stake", b'{"amount":12345678901234567890}', "MALFORMED"),
    ("Buzz", b'{"question_no":"x"}', "MALFORMED"),
    ("Buzz", b"\xff", "MALFORMED"),
    ("PickTile", b'{"category":"\\u0000","value":200}', "INVALID_TEXT"),
    ("Cheat", b"{}", "UNKNOWN_COMMAND"),
    ("OrderTrivia", b"{}", "NOT_ALLOWED"),
    ("RetireGame", b'{"by":"x"}', "NOT_ALLOWED"),
    ("NoteEarlyPress", b'{"at":1,"player":"x","question_no":1}', "NOT_ALLOWED"),
)


async def test_what_cannot_be_read_or_is_not_for_people_is_refused_by_its_code(
    club: Club, service: TriviaNights
) -> None:
    stream = await club.request(2)
    before = (await club.seen(stream)).version
    for wish, data, code in BAD:
        text = msgspec.json.encode(Command(Actor("player", player(1)), msgspec.Raw(b"0"), uuid.uuid4().hex, wish))
        payload = text.replace(b'"data":0', b'"data":' + data)
        reply = await club.bus.request(command_subject("trivia", shard_of(stream), stream), payload, timeout=5)
        assert json.loads(reply.data)["code"] == code, (wish, data)
    assert (await club.seen(stream)).version == before
