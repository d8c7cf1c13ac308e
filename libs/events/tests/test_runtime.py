"""One typed answer for each command, once for each id, on a real Postgres and a real NATS."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable

import asyncpg
import msgspec
import pytest
import tally
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import (
    Actor,
    Answer,
    Ask,
    Command,
    Document,
    Done,
    Pushed,
    Refused,
    Seen,
    pushed_decoder,
    up_subject,
    view_subject,
)
from circolo_events.appender import Appender
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from circolo_events.clock import FixedClock
from circolo_events.local import LocalClient
from circolo_events.runtime import Runtime
from circolo_events.store import Store
from msgspec import UNSET, Raw, Struct

Connect = Callable[[], Awaitable[asyncpg.Connection]]


def command(
    data: Struct,
    *,
    command_id: str | None = None,
    actor: str = tally.OWNER,
    expected: int | None = None,
    digest: str = "",
) -> Command:
    return Command(
        Actor("player", actor), Raw(msgspec.json.encode(data)), command_id or uuid.uuid4().hex, type(data).__name__,
        digest=digest, expected=UNSET if expected is None else expected,
    )  # fmt: skip


class House:
    """A running service of tallies, and a client of it."""

    def __init__(self, bus: NatsBus, store: Store) -> None:
        self.bus = bus
        self.store = store
        self.runtimes: list[Runtime] = []
        self.appenders: list[Appender] = []
        self.client = CommandClient(bus, attempt=1, total=3)
        self.stream = f"tally-{uuid.uuid4().hex}"

    async def open(self, connect: Connect) -> Runtime:
        appender = Appender(connect)
        appender.start()
        runtime = Runtime("tallies", self.store, appender, tally.REGISTRY, [tally.TALLY], self.bus, FixedClock())
        await runtime.start()
        self.runtimes.append(runtime)
        self.appenders.append(appender)
        return runtime

    async def close(self) -> None:
        for runtime in self.runtimes:
            await runtime.stop()
        for appender in self.appenders:
            await appender.stop()

    async def tell(self, data: Struct, **more: object) -> Answer:
        return await self.client.send("tallies", self.stream, command(data, **more))  # type: ignore[arg-type]

    async def done(self, data: Struct, **more: object) -> Done:
        answer = await self.tell(data, **more)
        assert isinstance(answer, Done), answer
        return answer

    async def refused(self, data: Struct, **more: object) -> Refused:
        answer = await self.tell(data, **more)
        assert isinstance(answer, Refused), answer
        return answer

    async def ask(self, viewer: str = "", after: int | None = None) -> Answer:
        return await self.client.send("tallies", self.stream, Ask(viewer, UNSET if after is None else after))

    async def listen(self, audience: str) -> list[Pushed]:
        heard: list[Pushed] = []
        await self.bus.subscribe(
            view_subject(self.stream, audience), lambda m: heard.append(pushed_decoder.decode(m.data))
        )
        await self.bus.flush()
        return heard


@pytest.fixture
async def house(store: Store, connect: Connect, nats_url: str) -> AsyncIterator[House]:
    bus = await NatsBus.connect(nats_url, name="test")
    house = House(bus, store)
    await house.open(connect)
    yield house
    await house.close()
    await bus.close()


async def settled(heard: list[Pushed], n: int) -> list[Pushed]:
    async with asyncio.timeout(2):
        while len(heard) < n:
            await asyncio.sleep(0.005)
    return heard


async def test_a_command_is_answered_after_its_events_are_committed(house: House) -> None:
    done = await house.done(tally.Add(3, times=2))
    assert (done.version, done.replayed, done.view_version) == (2, False, 2)
    assert msgspec.json.decode(done.view) == {"total": 6, "version": 2, "note": ""}
    assert [r.type for r in await house.store.read_stream(house.stream)] == ["Added", "Added"]


async def test_the_same_id_again_gets_the_first_answer_and_the_present_view(house: House) -> None:
    first = await house.done(tally.Add(3), command_id="1" * 32)
    await house.done(tally.Add(4))
    again = await house.done(tally.Add(3), command_id="1" * 32)
    assert (again.version, again.position, again.replayed) == (first.version, first.position, True)
    assert msgspec.json.decode(again.view) == {"total": 7, "version": 2, "note": ""}
    assert len(await house.store.read_stream(house.stream)) == 2


async def test_the_same_id_is_remembered_by_another_process_too(house: House, connect: Connect) -> None:
    await house.done(tally.Add(3), command_id="1" * 32)
    for runtime in house.runtimes:
        await runtime.stop()
    await house.open(connect)
    again = await house.done(tally.Add(3), command_id="1" * 32)
    assert (again.version, again.replayed) == (1, True)


async def test_a_retry_that_arrives_after_the_state_moved_on_is_not_stale(house: House, connect: Connect) -> None:
    await house.done(tally.Add(3), command_id="1" * 32, expected=0)
    await house.done(tally.Add(4))
    for runtime in house.runtimes:
        await runtime.stop()
    await house.open(connect)
    again = await house.done(tally.Add(3), command_id="1" * 32, expected=0)
    assert (again.version, again.replayed) == (1, True)


async def test_a_refusal_leaves_no_trace_and_its_key_is_decided_afresh(house: House) -> None:
    await house.done(tally.Add(999))
    refused = await house.refused(tally.Add(2), command_id="1" * 32)
    assert refused == Refused(RefusalCode.NOT_ALLOWED, current_version=1, field="amount")
    await house.done(tally.Add(-5))
    assert not (await house.done(tally.Add(2), command_id="1" * 32)).replayed


async def test_a_no_op_leaves_no_trace(house: House) -> None:
    await house.done(tally.Add(1))
    done = await house.done(tally.Add(0))
    assert (done.version, done.replayed) == (1, False)
    assert len(await house.store.read_stream(house.stream)) == 1


async def test_the_same_key_for_something_else_is_refused(house: House) -> None:
    await house.done(tally.Add(1), command_id="1" * 32, digest="one")
    assert (await house.refused(tally.Add(2), command_id="1" * 32, digest="two")).code is RefusalCode.KEY_REUSED
    assert (await house.done(tally.Add(1), command_id="1" * 32, digest="one")).replayed


@pytest.mark.parametrize(
    ("data", "code", "field"),
    [
        (b'{"amount":"x"}', RefusalCode.MALFORMED, "amount"),
        (b"{}", RefusalCode.MALFORMED, UNSET),
        (b'{"amount":9007199254740993}', RefusalCode.MALFORMED, "amount"),
        (b'{"amount":1.5}', RefusalCode.MALFORMED, "amount"),
        (b'{"amount":null}', RefusalCode.MALFORMED, "amount"),
        (b"[1]", RefusalCode.MALFORMED, ""),
    ],
)
async def test_store_24_what_cannot_be_read_is_refused_by_name(
    house: House, data: bytes, code: RefusalCode, field: str
) -> None:
    sent = Command(Actor("player", tally.OWNER), Raw(data), "1" * 32, "Add")
    answer = await house.client.send("tallies", house.stream, sent)
    assert isinstance(answer, Refused)
    assert answer.code is code
    if field:
        assert answer.field == field
    assert await house.store.read_stream(house.stream) == []


async def test_store_23_nul_and_lone_surrogates_are_refused_by_name(house: House) -> None:
    for raw in (b'{"note":"a\\u0000b"}', b'{"note":"\\ud800"}'):
        sent = Command(Actor("player", tally.OWNER), Raw(raw), "1" * 32, "Note")
        answer = await house.client.send("tallies", house.stream, sent)
        assert isinstance(answer, Refused)
        assert answer.code in (RefusalCode.INVALID_TEXT, RefusalCode.MALFORMED)


async def test_an_unknown_command_stream_or_envelope_is_refused(house: House) -> None:
    unknown = Command(Actor("player", tally.OWNER), Raw(b"{}"), "1" * 32, "Fly")
    assert await house.client.send("tallies", house.stream, unknown) == Refused(RefusalCode.UNKNOWN_COMMAND)
    for stream in ("other-" + "0" * 32, "tally-1", "tally"):
        assert await house.client.send("tallies", stream, unknown) == Refused(RefusalCode.NOT_FOUND)
    reply = await house.bus.request(f"cmd.tallies.0.{house.stream}", b'{"nonsense', timeout=1)
    assert b"MALFORMED" in reply.data


async def test_a_bug_in_a_decision_is_one_answer_without_its_text(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await house.refused(tally.Explode())
    assert answer == Refused(RefusalCode.INTERNAL)
    assert "could not be decided" in caplog.text
    assert (await house.done(tally.Add(1))).version == 1


async def test_each_audience_gets_its_own_view_and_what_it_may_know(house: House) -> None:
    owner, public = await house.listen("seat-0"), await house.listen("public")
    await house.done(tally.Add(5))
    await house.done(tally.Note("the secret note"))
    await settled(owner, 2)
    await settled(public, 2)
    assert [(p.previous, p.version) for p in public] == [(0, 1), (1, 2)]
    assert msgspec.json.decode(owner[1].view)["note"] == "the secret note"
    assert [msgspec.json.decode(h) for h in owner[1].happened] == [{"kind": "Noted", "amount": 0}]
    assert public[1].happened == []
    assert b"secret" not in msgspec.json.encode(public)


async def test_a_repeated_command_tells_everybody_the_present_version_again(house: House) -> None:
    """Its first execution may have died between the commit and the push."""
    await house.done(tally.Add(5), command_id="1" * 32)
    public = await house.listen("public")
    await house.done(tally.Add(5), command_id="1" * 32)
    assert [(p.previous, p.version) for p in await settled(public, 1)] == [(-1, 1)]


async def test_a_question_is_answered_with_the_viewer_s_view_or_refused(house: House) -> None:
    assert await house.ask() == Refused(RefusalCode.NOT_FOUND)
    await house.done(tally.Note("mine"))
    seen = await house.ask(tally.OWNER)
    assert isinstance(seen, Seen)
    assert (seen.version, seen.audience, seen.reset) == (1, "seat-0", True)
    assert msgspec.json.decode(seen.view)["note"] == "mine"
    for viewer in ("", tally.STRANGER, "nobody"):
        stranger = await house.ask(viewer)
        assert isinstance(stranger, Seen)
        assert stranger.audience == "public"
        assert b"mine" not in bytes(stranger.view)
    assert await house.ask(tally.BANNED) == Refused(RefusalCode.NOT_ALLOWED, current_version=1)


async def test_who_comes_back_gets_exactly_what_he_missed_or_a_reset(house: House) -> None:
    for n in range(1, 6):
        await house.done(tally.Add(n))
    for after in range(6):
        seen = await house.ask(after=after)
        assert isinstance(seen, Seen)
        assert [msgspec.json.decode(h)["amount"] for h in seen.happened] == list(range(after + 1, 6))
        assert not seen.reset
    for nonsense in (-1, 6, 2**40):
        seen = await house.ask(after=nonsense)
        assert isinstance(seen, Seen)
        assert (seen.reset, seen.happened) == (True, [])


async def test_a_document_is_made_of_every_event_for_whoever_may_see_the_stream(house: House) -> None:
    async def asked(name: str, viewer: str = "") -> Answer:
        return await house.client.send("tallies", house.stream, Ask(viewer, document=name))

    assert await asked("sheet") == Refused(RefusalCode.NOT_FOUND), "there is no such stream"
    await house.done(tally.Add(1))
    assert await asked("sheet") == Refused(RefusalCode.GAME_NOT_OVER, current_version=1)
    await house.done(tally.Add(2))
    assert await asked("sheet") == Document(2, "1+2")
    assert await asked("novel") == Refused(RefusalCode.NOT_FOUND)
    assert await asked("sheet", tally.BANNED) == Refused(RefusalCode.NOT_ALLOWED, current_version=2)


async def test_a_question_sees_what_another_process_has_just_committed(house: House, connect: Connect) -> None:
    await house.done(tally.Add(1))
    other = await house.open(connect)
    first = house.runtimes[0]
    await other.execute(house.stream, command(tally.Add(2)))
    seen = await first.ask(house.stream, Ask())
    assert isinstance(seen, Seen)
    assert seen.version == 2
    assert (await first.state(house.stream)).total == 3


async def test_game_M10_twenty_parallel_commands_over_two_processes_are_twenty_events(
    house: House, connect: Connect
) -> None:
    await house.open(connect)
    answers = await asyncio.gather(*(r.execute(house.stream, command(tally.Add(1))) for r in house.runtimes * 10))
    assert all(isinstance(a, Done) for a in answers)
    assert sorted(a.version for a in answers if isinstance(a, Done)) == list(range(1, 21))
    assert (await house.runtimes[0].state(house.stream)).total == 20


async def test_deadlines_follow_the_state(house: House) -> None:
    async def armed() -> list[tuple[str, int, int]]:
        return [tuple(r) for r in await house.store.pool.fetch("SELECT kind, due_at, version FROM deadline")]

    await house.done(tally.Add(3))
    assert await armed() == [("reset", 3, 1)]
    await house.done(tally.Add(2))
    assert await armed() == [("reset", 5, 2)]
    assert (await house.runtimes[0].deadlines(house.stream))["reset"].version == 2
    await house.done(tally.Add(1))
    assert await armed() == []


async def test_a_process_that_starts_says_so(house: House, connect: Connect) -> None:
    heard = asyncio.Event()
    await house.bus.subscribe(up_subject("tallies"), lambda _: heard.set())
    await house.open(connect)
    async with asyncio.timeout(2):
        await heard.wait()


async def test_without_an_answer_the_outcome_is_unavailable_and_the_key_may_come_again(house: House) -> None:
    client = CommandClient(house.bus, attempt=0.1, total=0.3)
    assert await client.send("nobody", house.stream, command(tally.Add(1))) == Refused(RefusalCode.UNAVAILABLE)


async def test_a_stream_that_nobody_used_from_one_sweep_to_the_next_is_forgotten(house: House) -> None:
    await house.done(tally.Add(1))
    entries = house.runtimes[0]._entries
    entries.sweep()
    assert house.stream in entries
    await house.done(tally.Add(2))
    entries.sweep()
    assert house.stream in entries, "it was used meanwhile"
    entries.sweep()
    assert len(entries) == 0
    assert (await house.done(tally.Add(3))).version == 3


async def test_forgotten_streams_are_read_again(house: House) -> None:
    await house.done(tally.Add(1))
    runtime = house.runtimes[0]
    runtime._entries.most = 1
    first, house.stream = house.stream, f"tally-{uuid.uuid4().hex}"
    await house.done(tally.Add(2))
    assert first not in runtime._entries
    house.stream = first
    assert (await house.done(tally.Add(4))).version == 2


async def test_a_refusal_is_about_what_is_committed_now_also_by_another_process(house: House, connect: Connect) -> None:
    other = await house.open(connect)
    first = house.runtimes[0]
    await first.execute(house.stream, command(tally.Add(999)))
    await other.execute(house.stream, command(tally.Add(-5)))
    answer = await first.execute(house.stream, command(tally.Add(2), expected=2))
    assert isinstance(answer, Done)
    assert answer.version == 3


async def test_a_command_to_the_own_service_does_without_nats_and_any_other_goes_there(house: House) -> None:
    sent: list[str] = []

    class Far:
        async def send(self, service: str, stream: str, envelope: Command | Ask, **_: object) -> Answer:
            sent.append(service)
            return Refused(RefusalCode.UNAVAILABLE)

    local = LocalClient(house.runtimes[0], Far())
    adding = command(tally.Add(2))
    done, again = await local.send("tallies", house.stream, adding), await local.send("tallies", house.stream, adding)
    assert isinstance(done, Done) and isinstance(again, Done)
    assert (done.version, done.replayed, again.version, again.replayed) == (1, False, 1, True)
    seen = await local.send("tallies", house.stream, Ask(tally.OWNER))
    assert isinstance(seen, Seen) and seen.version == 1
    assert sent == []
    assert await local.send("rooms", house.stream, adding) == Refused(RefusalCode.UNAVAILABLE)
    assert sent == ["rooms"]
