"""The service on a real Postgres and NATS: rooms' orders in, draws and claims by NATS, views out."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path

import msgspec
import pytest
from cartelle import A, B, C, person
from circolo_contracts.cardgames import MatchEnded
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import GameStopRequested, HostChanged, PlayerLeft
from circolo_contracts.tombola import (
    ClaimAll,
    ClaimPrize,
    DrawNumber,
    MarkNumber,
    PrizeAwarded,
    SetCalling,
    TombolaHappening,
    TombolaView,
)
from circolo_contracts.wire import Actor, Command, Done, Refused
from circolo_tombola.album import marks_stream
from circolo_tombola.prizes import completed
from circolo_tombola.service import TombolaService
from circolo_tombola.verify import PROOF
from msgspec import UNSET, Raw
from tombola_club import Club, stored, until

UNREADABLE = [
    (b"{}", "ClaimPrize"),
    (b'{"prize":"TOMBOLINO"}', "ClaimPrize"),
    (b'{"prize":null}', "ClaimPrize"),
    (b"[]", "ClaimPrize"),
    (b'{"number":"4","marked":true}', "MarkNumber"),
    (b'{"number":4}', "MarkNumber"),
    (b'{"number":4.5,"marked":true}', "MarkNumber"),
    (b'{"number":9007199254740993,"marked":true}', "MarkNumber"),
    (b'{"mode":"LOUD"}', "SetCalling"),
    (b'{"mode":"AUTOMATIC","every_seconds":1.5}', "SetCalling"),
    (b'"x"', "DrawNumber"),
]
TV = ""


async def until_claimed(club: Club, stream: str, *people: str) -> None:
    """The host calls, and everybody claims what he has after every number, until it is over."""
    while True:
        view = await club.do(stream, people[0], DrawNumber())
        for player in people:
            answer = await club.send(stream, player, ClaimAll())
            if isinstance(answer, Done):
                view = msgspec.json.decode(answer.view, type=TombolaView)
            else:
                assert answer.code is not RefusalCode.RATE_LIMITED, "whoever claims once after each number never waits"
        if view.status == "ENDED":
            return


async def test_a_game_is_ordered_played_to_the_tombola_and_seen_by_everybody(
    club: Club, service: TombolaService, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    stream = await club.request([A, B])
    pushes = {audience: await club.watch(stream, audience) for audience in ("seat-0", "seat-1", "public")}
    await until_claimed(club, stream, A, B)
    await club.settle()
    final = await club.seen(stream)
    assert final.result.outcome == "WON"  # type: ignore[union-attr]
    events = await stored(service, stream)
    assert sum(isinstance(event, MatchEnded) for event in events) == 1
    for audience, got in pushes.items():
        assert [push.previous for push in got[1:]] == [push.version for push in got[:-1]], "no version is missing"
        assert got[-1].version == final.version == len(events)
        told = [msgspec.json.decode(raw, type=TombolaHappening) for push in got for raw in push.happened]
        assert [t.number for t in told if t.kind == "NumberDrawn"] == final.called
        for push in got[:-1]:
            view = msgspec.json.decode(push.view, type=TombolaView)
            assert (view.ticket is UNSET) == (audience == "public")
            assert view.seed is UNSET
            assert events[0].seed.encode() not in bytes(push.view)

    monkeypatch.setenv("CIRCOLO_POSTGRES_URL", club.settings.postgres_url)
    export = tmp_path / "tombola.json"
    assert await asyncio.to_thread(PROOF.main, [stream, "--export", str(export)]) == 0
    monkeypatch.delenv("CIRCOLO_POSTGRES_URL")
    assert await asyncio.to_thread(PROOF.main, [stream, "--file", str(export)]) == 0
    assert "FALSE" not in capsys.readouterr().out


async def test_a_rematch_has_fresh_tickets_and_closes_the_game_before_it(club: Club, service: TombolaService) -> None:
    first = await club.request([A, B])
    before, others = await club.seen(first, A), await club.seen(first, B)
    await club.order(GameStopRequested(1, first.removeprefix("tombola-"), A, game="TOMBOLA"))
    await until(lambda: ended(club, first))
    assert await club.refused(first, B, ClaimPrize("AMBO")) is RefusalCode.GAME_ENDED
    second = await club.request([A, B], previous=first)
    after = await club.seen(second, A)
    assert after.ticket != before.ticket
    assert (after.called, after.marks, after.version) == ([], [], 1)
    assert (await until(lambda: superseded(club, first))).superseded
    for command in (ClaimPrize("AMBO"), ClaimAll(), MarkNumber(True, others.ticket[0][0])):  # type: ignore[index]
        assert await club.refused(first, B, command) is RefusalCode.STALE_GAME


async def ended(club: Club, stream: str) -> TombolaView | None:
    view = await club.seen(stream)
    return view if view.status == "ENDED" else None


async def superseded(club: Club, stream: str) -> TombolaView | None:
    view = await club.seen(stream)
    return view if view.superseded else None


async def test_party_C07_a_repeated_claim_is_awarded_once_and_answered_alike(
    club: Club, service: TombolaService
) -> None:
    stream = await club.request([A])
    while (await club.do(stream, A, DrawNumber())).called and not await has_ambo(club, stream, A):
        pass
    key = uuid.uuid4().hex
    first, *others = await asyncio.gather(*(club.send(stream, A, ClaimPrize("AMBO"), key=key) for _ in range(5)))
    assert all(isinstance(answer, Done) for answer in (first, *others))
    assert {(answer.version, answer.position) for answer in others} == {(first.version, first.position)}
    assert sorted(answer.replayed for answer in (first, *others)) == [False, True, True, True, True]
    assert sum(isinstance(event, PrizeAwarded) for event in await stored(service, stream)) == 1


async def has_ambo(club: Club, stream: str, player: str) -> bool:
    view = await club.seen(stream, player)
    return completed(tuple(map(tuple, view.ticket)), "AMBO", view.called) is not None  # type: ignore[arg-type]


async def test_a_double_tap_on_the_draw_draws_once(club: Club, service: TombolaService) -> None:
    stream = await club.request([A, B])
    seen = (await club.seen(stream)).version
    answers = await asyncio.gather(*(club.send(stream, A, DrawNumber(), expected=seen) for _ in range(4)))
    assert sorted(type(answer).__name__ for answer in answers) == ["Done", "Refused", "Refused", "Refused"]
    assert {answer.code for answer in answers if isinstance(answer, Refused)} == {RefusalCode.STALE_VERSION}
    assert len((await club.seen(stream)).called) == 1


async def test_bug_7_two_claims_at_once_are_one_award_where_the_first_takes_it(club: Club) -> None:
    """By two replicas, so that not even one process's order decides it."""
    replicas = [await club.open(), await club.open()]
    try:
        people = [person(number) for number in range(24)]
        stream = await club.request(people, claimRule="FIRST_CLAIM")
        await asyncio.gather(*(club.do(stream, people[0], DrawNumber()) for _ in range(60)))
        answers = await asyncio.gather(*(club.send(stream, who, ClaimPrize("AMBO")) for who in people))
        assert [isinstance(answer, Done) for answer in answers].count(True) == 1
        codes = {answer.code for answer in answers if isinstance(answer, Refused)}
        assert codes <= {RefusalCode.PRIZE_TAKEN, RefusalCode.NOT_SATISFIED}
        awards = [event for event in await stored(replicas[0], stream) if isinstance(event, PrizeAwarded)]
        assert len(awards) == 1
    finally:
        for replica in replicas:
            await replica.stop()


async def test_commands_that_are_wrong_get_a_typed_answer_and_no_event(club: Club, service: TombolaService) -> None:
    stream = await club.request([A, B])
    for data, kind in UNREADABLE:
        command = Command(Actor("player", A), Raw(data), uuid.uuid4().hex, kind)
        answer = await club.client.send("tombola", stream, command)
        assert isinstance(answer, Refused), (data, kind)
        assert answer.code is RefusalCode.MALFORMED, (data, kind)
    assert await club.refused(stream, A, SetCalling("AUTOMATIC", 31)) is RefusalCode.INVALID_SETTING
    assert await club.refused(stream, "f" * 32, ClaimAll()) is RefusalCode.NO_TICKET
    assert await club.refused(stream, "f" * 32, MarkNumber(True, 4)) is RefusalCode.NO_TICKET
    assert await club.refused(stream, B, DrawNumber()) is RefusalCode.NOT_HOST
    for nowhere in (f"tombola-{'0' * 32}", "tombola-x", f"match-{'0' * 32}"):
        for command in (DrawNumber(), MarkNumber(True, 4), ClaimAll()):
            assert await club.refused(nowhere, A, command) is RefusalCode.NOT_FOUND
    marks = marks_stream(stream.removeprefix("tombola-"), 0)
    assert await club.ask(marks, A) is None, "the marks' own stream is shown to nobody"
    assert await club.refused(marks, A, DrawNumber()) in (RefusalCode.UNKNOWN_COMMAND, RefusalCode.NOT_FOUND)
    assert len(await stored(service, stream)) == 1


async def test_who_keeps_claiming_wrongly_has_to_wait_and_the_others_have_not(
    club: Club, service: TombolaService
) -> None:
    stream = await club.request([A, B])
    codes = [await club.refused(stream, A, ClaimPrize("TOMBOLA")) for _ in range(6)]
    assert codes[:4] == [RefusalCode.NOT_SATISFIED] * 4
    assert codes[-1] is RefusalCode.RATE_LIMITED
    assert await club.refused(stream, B, ClaimPrize("TOMBOLA")) is RefusalCode.NOT_SATISFIED
    await club.do(stream, A, DrawNumber())
    assert await club.refused(stream, A, ClaimPrize("TOMBOLA")) is RefusalCode.NOT_SATISFIED


# ---------------------------------------------------------------- marks


async def test_a_host_who_leaves_hands_the_calls_over_and_his_ticket_stays(club: Club, service: TombolaService) -> None:
    stream = await club.request([A, B, C])
    ticket = (await club.seen(stream, A)).ticket
    await club.order(PlayerLeft(1, True, A, during=stream))
    await club.order(HostChanged(1, B, during=stream))
    await until(lambda: hosted_by(club, stream, B))
    assert await club.refused(stream, A, DrawNumber()) is RefusalCode.NOT_HOST
    await club.do(stream, B, DrawNumber())
    assert (await club.seen(stream, A)).ticket == ticket


async def hosted_by(club: Club, stream: str, player: str) -> bool:
    return (await club.seen(stream)).host == player


async def test_a_display_sees_the_board_and_no_ticket(club: Club, service: TombolaService) -> None:
    stream = await club.request([A, B])
    await club.do(stream, A, DrawNumber())
    board = await club.seen(stream, TV)
    assert len(board.called) == 1
    assert (board.ticket, board.marks, board.marks_version, board.seat) == (UNSET, UNSET, UNSET, UNSET)


async def test_everything_after_a_version_is_told_to_who_asks_for_it(club: Club, service: TombolaService) -> None:
    stream = await club.request([A, B])
    for _ in range(12):
        await club.do(stream, A, DrawNumber())
    for player in (A, TV):
        seen = await club.ask(stream, player, after=3)
        assert seen is not None
        assert not seen.reset
        told = [msgspec.json.decode(raw, type=TombolaHappening) for raw in seen.happened]
        assert [t.at_version for t in told] == [*range(4, 14)]


async def test_twenty_four_people_mark_and_claim_in_the_same_moment_and_everybody_is_answered(
    club: Club, service: TombolaService
) -> None:
    people = [person(number) for number in range(24)]
    stream = await club.request(people)
    for _ in range(40):
        await club.do(stream, people[0], DrawNumber())
    views = await asyncio.gather(*(club.seen(stream, who) for who in people))
    marks = [
        club.do(stream, who, MarkNumber(True, view.ticket[0][column]))  # type: ignore[index]
        for who, view in zip(people, views, strict=True)
        for column in range(5)
    ]
    answers, _ = await asyncio.gather(
        asyncio.gather(*(club.send(stream, who, ClaimPrize("AMBO")) for who in people)), asyncio.gather(*marks)
    )
    final = await asyncio.gather(*(club.seen(stream, who) for who in people))
    assert [view.marks for view in final] == [sorted(view.ticket[0]) for view in views]  # type: ignore[index]
    awarded = [event.seat for event in await stored(service, stream) if isinstance(event, PrizeAwarded)]
    accepted = [seat for seat, answer in enumerate(answers) if isinstance(answer, Done)]
    assert sorted(awarded) == accepted
    draw = final[0].prizes[0].winning_draw
    assert draw is not UNSET
    for seat, view in enumerate(views):
        had = completed(tuple(map(tuple, view.ticket)), "AMBO", view.called)  # type: ignore[arg-type]
        assert (had is not None and had.draw <= draw) == (seat in accepted)
