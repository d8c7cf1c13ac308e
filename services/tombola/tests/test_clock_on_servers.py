"""Calls by the clock on a real Postgres and NATS: rows that any worker fires once, and a clock that is put forward."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from cartelle import A, B
from circolo_contracts.rooms import PlayerConnected, PlayerDisconnected
from circolo_contracts.tombola import (
    DrawNumber,
    NumberDrawn,
    PauseCalling,
    ResumeCalling,
    SetCalling,
    TombolaView,
)
from circolo_contracts.wire import Actor, Command, Done
from circolo_events.canonical import deadline_command_id
from circolo_tombola.service import TombolaService
from msgspec import UNSET, Raw
from tombola_club import Club, stored, until

MINUTE = 60_000


async def called(club: Club, stream: str, count: int) -> TombolaView:
    async def enough() -> TombolaView | None:
        view = await club.seen(stream)
        return view if len(view.called) >= count else None

    return await until(enough)


async def test_the_clock_calls_and_two_workers_never_call_twice_bug_5(club: Club) -> None:
    replicas = [await club.open(), await club.open()]
    try:
        stream = await club.request([A, B], calling="AUTOMATIC", everySeconds=3)
        for count in range(1, 6):
            club.pass_time(3_000)
            assert len((await called(club, stream, count)).called) == count
        draws = [event for event in await stored(replicas[0], stream) if isinstance(event, NumberDrawn)]
        assert [draw.seq for draw in draws] == [1, 2, 3, 4, 5]
        assert all(draw.automatic for draw in draws)
        gaps = [later.at - draw.at for draw, later in pairwise(draws)]
        assert min(gaps) >= 3_000
    finally:
        for replica in replicas:
            await replica.stop()


async def test_after_an_outage_the_same_numbers_go_on_in_the_same_order_without_a_burst_bug_10(club: Club) -> None:
    first = await club.open()
    stream = await club.request([A, B])
    for _ in range(30):
        await club.do(stream, A, DrawNumber())
    await club.do(stream, A, SetCalling("AUTOMATIC", 3))
    before = (await club.seen(stream)).called
    draws = (await stored(first, stream))[0].draws
    await first.stop()
    club.pass_time(3_600_000)
    second = await club.open()
    try:
        view = await called(club, stream, 31)
        await asyncio.sleep(0.5)
        view = await club.seen(stream)
        assert view.called == draws[:31]
        assert view.called[:30] == before
        club.pass_time(3_000)
        assert len((await called(club, stream, 32)).called) == 32
    finally:
        await second.stop()


async def test_a_call_fired_again_under_its_own_id_draws_nothing_more(club: Club, service: TombolaService) -> None:
    stream = await club.request([A, B], calling="AUTOMATIC", everySeconds=3)
    club.pass_time(3_000)
    await called(club, stream, 1)
    again = Command(
        Actor("service", "tombola"), Raw(b'{"version":1}'), deadline_command_id(stream, "call", 1), "CallNumber"
    )
    answer = await club.client.send("tombola", stream, again)
    assert isinstance(answer, Done)
    assert answer.replayed
    assert len((await club.seen(stream)).called) == 1


async def test_the_calls_pause_while_the_host_is_gone_and_only_he_resumes_them(
    club: Club, service: TombolaService
) -> None:
    stream = await club.request([A, B], calling="AUTOMATIC", everySeconds=3)
    await club.order(PlayerDisconnected(1, B, during=stream))
    club.pass_time(3_000)
    await called(club, stream, 1)
    await club.order(PlayerDisconnected(2, A, during=stream))
    view = await until(lambda: paused(club, stream))
    assert (view.paused, view.deadline) == ("HOST_DISCONNECTED", UNSET)
    await club.order(PlayerConnected(3, A, during=stream))
    club.pass_time(MINUTE)
    await asyncio.sleep(0.5)
    assert len((await club.seen(stream)).called) == 1, "he is back, and still it waits for him"
    await club.do(stream, A, ResumeCalling())
    club.pass_time(3_000)
    assert len((await called(club, stream, 2)).called) == 2


async def paused(club: Club, stream: str) -> TombolaView | None:
    view = await club.seen(stream)
    return view if view.paused is not UNSET else None


async def test_pausing_and_changing_the_interval_by_the_wire(club: Club, service: TombolaService) -> None:
    stream = await club.request([A, B], calling="AUTOMATIC")
    await club.do(stream, A, PauseCalling())
    club.pass_time(MINUTE)
    await asyncio.sleep(0.4)
    assert (await club.seen(stream)).called == []
    await club.do(stream, A, ResumeCalling())
    view = await club.do(stream, A, SetCalling("AUTOMATIC", 30))
    assert (view.every_seconds, view.calling) == (30, "AUTOMATIC")
