"""Marks on a real Postgres and NATS: kept for their seat alone, the same at every replica, and no claim asks them."""

from __future__ import annotations

import asyncio
import uuid

import msgspec
from cartelle import A, B
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.tombola import (
    ClaimPrize,
    DrawNumber,
    MarkNumber,
    TombolaView,
)
from circolo_contracts.wire import Done
from circolo_tombola.album import marks_stream
from circolo_tombola.service import TombolaService
from msgspec import UNSET
from tombola_club import Club, stored


async def test_party_C26_a_mark_is_set_once_and_only_on_ones_own_ticket(club: Club, service: TombolaService) -> None:
    stream = await club.request([A, B])
    mine = (await club.seen(stream, A)).ticket
    assert mine is not UNSET
    number = mine[0][0]
    strange = next(n for n in range(1, 91) if not any(n in row for row in mine))
    assert await club.refused(stream, A, MarkNumber(True, strange)) is RefusalCode.NOT_ON_YOUR_TICKET
    assert await club.refused(stream, A, MarkNumber(True, 91)) is RefusalCode.NOT_ON_YOUR_TICKET
    for _ in range(2):
        view = await club.do(stream, A, MarkNumber(True, number))
        assert (view.marks, view.marks_version) == ([number], 1)
    assert len(await stored(service, marks_stream(stream.removeprefix("tombola-"), 0))) == 1
    view = await club.do(stream, A, MarkNumber(False, number))
    assert (view.marks, view.marks_version, view.version) == ([], 2, 1)


async def test_marks_are_pushed_to_their_seat_alone_with_the_games_version_unchanged(
    club: Club, service: TombolaService
) -> None:
    stream = await club.request([A, B])
    pushes = {audience: await club.watch(stream, audience) for audience in ("seat-0", "seat-1", "public")}
    numbers = (await club.seen(stream, A)).ticket[1]  # type: ignore[index]
    for number in numbers:
        await club.do(stream, A, MarkNumber(True, number))
    await club.settle()
    assert [len(pushes[audience]) for audience in ("seat-0", "seat-1", "public")] == [5, 0, 0]
    assert {(push.previous, push.version, len(push.happened)) for push in pushes["seat-0"]} == {(1, 1, 0)}
    last = msgspec.json.decode(pushes["seat-0"][-1].view, type=TombolaView)
    assert (last.marks, last.marks_version) == (sorted(numbers), 5)
    await club.do(stream, A, DrawNumber())
    await club.settle()
    drawn = msgspec.json.decode(pushes["seat-0"][-1].view, type=TombolaView)
    other = msgspec.json.decode(pushes["seat-1"][-1].view, type=TombolaView)
    assert (drawn.marks, drawn.version, other.marks, other.version) == (sorted(numbers), 2, [], 2)


async def test_who_comes_back_with_the_games_version_sees_what_he_has_marked_meanwhile(
    club: Club, service: TombolaService
) -> None:
    stream = await club.request([A, B])
    ticket = (await club.seen(stream, A)).ticket
    assert ticket is not UNSET
    number = ticket[0][0]
    nothing_yet = await club.ask(stream, A, after=1)
    assert nothing_yet is not None
    assert (nothing_yet.version, nothing_yet.reset) == (1, False)
    await club.do(stream, A, MarkNumber(True, number))
    again, other = await club.ask(stream, A, after=1), await club.ask(stream, B, after=1)
    assert again is not None
    assert other is not None
    assert (again.version, again.reset, other.reset) == (1, True, False)
    assert msgspec.json.decode(again.view, type=TombolaView).marks == [number]


async def test_a_repeated_mark_with_the_same_key_is_set_once_and_never_turned_over(
    club: Club, service: TombolaService
) -> None:
    stream = await club.request([A])
    number = (await club.seen(stream, A)).ticket[2][2]  # type: ignore[index]
    key = uuid.uuid4().hex
    answers = await asyncio.gather(*(club.send(stream, A, MarkNumber(True, number), key=key) for _ in range(3)))
    assert all(isinstance(answer, Done) for answer in answers)
    await club.do(stream, A, MarkNumber(False, number))
    late = await club.send(stream, A, MarkNumber(True, number), key=key)
    assert isinstance(late, Done)
    assert late.replayed
    assert msgspec.json.decode(late.view, type=TombolaView).marks == [], "a late retry marks nothing again"


async def test_claims_are_judged_by_the_numbers_drawn_and_never_by_marks(club: Club, service: TombolaService) -> None:
    stream = await club.request([A])
    for number in (await club.seen(stream, A)).ticket[0]:  # type: ignore[index]
        await club.do(stream, A, MarkNumber(True, number))
    assert await club.refused(stream, A, ClaimPrize("CINQUINA")) is RefusalCode.NOT_SATISFIED


async def test_ticket_and_marks_outlive_the_service_and_are_the_same_at_every_replica(club: Club) -> None:
    first = await club.open()
    stream = await club.request([A, B])
    before = await club.seen(stream, A)
    for row in before.ticket:  # type: ignore[union-attr]
        await club.do(stream, A, MarkNumber(True, row[0]))
    await first.stop()
    replicas = [await club.open(), await club.open()]
    try:
        got = await club.watch(stream, "seat-0")
        for _ in range(4):
            view = await club.seen(stream, A)
            assert (view.ticket, view.marks_version, len(view.marks)) == (before.ticket, 3, 3)  # type: ignore[arg-type]
        for count in range(4):
            view = await club.do(stream, A, MarkNumber(count % 2 == 0, before.ticket[0][1]))  # type: ignore[index]
            assert len(view.called) == count, "and whoever marks knows what was drawn elsewhere"
            await club.do(stream, A, DrawNumber())
        await club.settle()
        views = [msgspec.json.decode(push.view, type=TombolaView) for push in got if push.happened]
        assert [view.marks_version for view in views] == [4, 5, 6, 7], "whoever draws knows what was marked elsewhere"
    finally:
        for replica in replicas:
            await replica.stop()


# ---------------------------------------------------------------- the clock
