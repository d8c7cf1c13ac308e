"""The bus on a real NATS: answers, silence, nobody there, and what a handler's mistake does not break."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from circolo_devstack.servers import Servers
from circolo_events.bus import BusError, BusTimeout, Message, NatsBus, NoResponders
from nats.errors import Error as NatsError


@pytest.fixture
async def bus(nats_url: str) -> AsyncIterator[NatsBus]:
    bus = await NatsBus.connect(nats_url, name="test")
    yield bus
    await bus.close()


async def test_a_request_is_answered_by_one_of_the_queue_group(bus: NatsBus) -> None:
    served = [0, 0]
    for member in range(2):

        def serve(message: Message, member: int = member) -> None:
            served[member] += 1
            message.respond(message.data.upper(), headers=dict(message.headers or {}))

        await bus.subscribe("echo.*", serve, queue="echo")
    replies = await asyncio.gather(
        *(bus.request(f"echo.{n}", b"ciao", timeout=2, headers={"x": str(n)}) for n in range(50))
    )
    assert {r.data for r in replies} == {b"CIAO"}
    assert [(r.headers or {})["x"] for r in replies] == [str(n) for n in range(50)]
    assert sum(served) == 50


async def test_nobody_there_is_told_at_once_and_silence_after_the_limit(bus: NatsBus) -> None:
    with pytest.raises(NoResponders):
        await bus.request("nobody.home", b"", timeout=5)
    await bus.subscribe("deaf", lambda message: None)
    started = time.monotonic()
    with pytest.raises(BusTimeout):
        await bus.request("deaf", b"", timeout=0.1)
    assert time.monotonic() - started < 2


async def test_a_handler_s_mistake_is_logged_and_the_next_message_is_served(
    bus: NatsBus, caplog: pytest.LogCaptureFixture
) -> None:
    def serve(message: Message) -> None:
        if message.data == b"bad":
            raise ValueError("no")
        message.respond(b"ok")

    await bus.subscribe("mistake", serve)
    with pytest.raises(BusTimeout):
        await bus.request("mistake", b"bad", timeout=0.1)
    assert (await bus.request("mistake", b"good", timeout=2)).data == b"ok"
    assert "a handler of mistake failed" in caplog.text


async def test_who_follows_a_subject_is_given_payloads_and_goes_on_after_a_mistake(
    bus: NatsBus, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[bytes] = []

    def take(payload: bytes) -> None:
        if payload == b"bad":
            raise ValueError("no")
        heard.append(payload)

    await bus.follow("views.*", take)
    bus.publish("views.1", b"one", reply="nobody")
    bus.publish("views.2", b"bad")
    bus.publish("views.3", b"two", headers={"a": "b"})
    await bus.flush()
    assert heard == [b"one", b"two"]
    assert "who follows views.* failed" in caplog.text


async def test_messages_of_one_tick_arrive_in_the_order_they_were_published(bus: NatsBus) -> None:
    heard: list[int] = []
    await bus.subscribe("ordered", lambda m: heard.append(int(m.data)))
    await bus.flush()
    for n in range(500):
        bus.publish("ordered", str(n).encode())
    async with asyncio.timeout(2):
        while len(heard) < 500:
            await asyncio.sleep(0.005)
    assert heard == list(range(500))


async def test_a_message_above_the_server_s_limit_is_counted_and_its_request_fails_at_once(bus: NatsBus) -> None:
    with pytest.raises(BusError):
        await bus.request("large", b"x" * 2_000_000, timeout=5)
    assert bus.dropped == 1


async def test_without_a_server_the_connection_fails_in_time_and_names_no_password() -> None:
    with pytest.raises(BusError) as failed:
        await NatsBus.connect("nats://me:secret@127.0.0.1:1", name="test", connect_timeout=0.3)
    assert "secret" not in str(failed.value)


async def test_what_is_published_after_the_end_is_counted_and_not_kept(nats_url: str) -> None:
    bus = await NatsBus.connect(nats_url, name="test")
    await bus.close()
    for _ in range(3):
        bus.publish("late", b"x")
    async with asyncio.timeout(2):
        while bus.dropped < 3:
            await asyncio.sleep(0.005)
    assert bus.client.pending_data_size == 0


async def test_closing_answers_what_still_waits(nats_url: str) -> None:
    bus = await NatsBus.connect(nats_url, name="test")
    await bus.subscribe("deaf", lambda message: None)
    waiting = asyncio.create_task(bus.request("deaf", b"", timeout=30))
    await asyncio.sleep(0.05)
    await bus.close()
    with pytest.raises(BusTimeout):
        await waiting


def is_stopped(pid: int) -> bool:
    """Every thread: one that runs on another core goes on for a moment after the signal."""
    tasks = Path(f"/proc/{pid}/task").glob("*/stat")
    return all(task.read_text().rpartition(")")[2].split()[0] == "T" for task in tasks)


async def until_stopped(pid: int) -> None:
    async with asyncio.timeout(5):
        while not is_stopped(pid):
            await asyncio.sleep(0.005)


async def test_ops_9_an_answer_that_comes_after_it_was_given_up_does_not_make_the_bus_deaf(
    servers: Servers, bus: NatsBus, caplog: pytest.LogCaptureFixture
) -> None:
    if servers.nats is None or servers.nats.pid is None:
        pytest.skip("the servers were given from outside: this test stops one")
    await bus.subscribe("echo", lambda message: message.respond(message.data))
    os.kill(servers.nats.pid, signal.SIGSTOP)
    await until_stopped(servers.nats.pid)
    try:
        for _ in range(2):
            with pytest.raises(NatsError):
                await bus.client.flush(timeout=1)
    finally:
        os.kill(servers.nats.pid, signal.SIGCONT)
    reply = await bus.request("echo", b"ciao", timeout=3)
    assert reply.data == b"ciao"
    await bus.flush()
    assert "encountered error" not in caplog.text


async def test_whatever_bytes_and_whatever_size_arrive_as_they_were_sent(bus: NatsBus) -> None:
    """On the real server, and many in one read."""
    heard: list[Message] = []
    await bus.subscribe("bytes.>", heard.append)
    await bus.flush()
    sent = [
        b"",
        b"\r\n",
        b"MSG bytes 1 3\r\nabc\r\nPING\r\n",
        bytes(range(256)) * 3000,
        b"x" * 1_000_000,
        b"\x00\n",
    ] * 3
    for n, payload in enumerate(sent):
        headers = {"n": str(n), "nome": "perché no"} if n % 2 else None
        bus.publish(f"bytes.{n}", payload, reply=f"answer.{n}" if n % 3 else "", headers=headers)
    async with asyncio.timeout(5):
        while len(heard) < len(sent):
            await asyncio.sleep(0.005)
    assert [message.data for message in heard] == sent
    assert [message.subject for message in heard] == [f"bytes.{n}" for n in range(len(sent))]
    assert [message.reply for message in heard] == [f"answer.{n}" if n % 3 else "" for n in range(len(sent))]
    assert [(message.headers or {}).get("nome") for message in heard] == [None, "perché no"] * (len(sent) // 2)


async def test_what_nats_would_take_for_another_line_is_not_sent(bus: NatsBus) -> None:
    heard: list[str] = []
    await bus.subscribe(">", lambda message: heard.append(message.subject))
    bus.publish("a b", b"")
    bus.publish("a\r\nPUB injected 0\r\n\r\n", b"")
    bus.publish("a", b"", reply="b c")
    bus.publish("a", b"", headers={"x": "1\r\ny: 2"})
    with pytest.raises(NoResponders):
        await bus.request("", b"", timeout=5)
    bus.publish("good", b"")
    await bus.flush()
    assert heard == ["good"]
    assert bus.dropped == 5


async def test_a_mistake_of_who_waits_for_an_answer_does_not_make_the_bus_deaf(
    bus: NatsBus, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(answer: Message | BusError) -> None:
        raise ValueError("no")

    await bus.subscribe("echo", lambda message: message.respond(message.data))
    bus.request_nowait("echo", b"bad", fail, timeout=2)
    bus.request_nowait("nobody", b"", fail, timeout=2)
    assert (await bus.request("echo", b"good", timeout=2)).data == b"good"
    assert caplog.text.count("what waited for an answer failed") == 2


async def test_a_subscription_that_nats_refuses_leaves_nothing_behind(bus: NatsBus) -> None:
    with pytest.raises(NatsError):
        await bus.subscribe("a b", lambda message: None)
    heard: list[bytes] = []
    await bus.subscribe("fine", lambda message: heard.append(message.data))
    bus.publish("fine", b"1")
    await bus.flush()
    assert heard == [b"1"]


async def test_a_message_is_handed_over_without_a_queue_or_a_task_of_its_own(bus: NatsBus) -> None:
    """Guards what the bus knows of nats-py's inside: a new version that moves it fails here."""
    before = len(asyncio.all_tasks())
    heard: list[bytes] = []
    subscription = await bus.subscribe("direct", lambda m: heard.append(m.data))
    bus.publish("direct", b"1")
    await bus.flush()
    await asyncio.sleep(0)
    assert heard == [b"1"]
    assert len(asyncio.all_tasks()) == before
    assert subscription.pending_msgs == 0
    await subscription.unsubscribe()
    bus.publish("direct", b"2")
    await bus.flush()
    assert heard == [b"1"]
