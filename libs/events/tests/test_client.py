"""A command is sent again under the same id until it is answered, and its answer is told once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Answer, Ask, Refused, encoder
from circolo_events import client as module
from circolo_events.bus import BusError, BusTimeout, Message, NoResponders
from circolo_events.client import CommandClient

TAKEN, AWAY = Refused(RefusalCode.SEAT_TAKEN), Refused(RefusalCode.UNAVAILABLE)


class Bus:
    """Answers the requests in turn with what it was given; with nothing left it is silent."""

    def __init__(self, *answers: Answer | BusError | bytes) -> None:
        self.answers = list(answers)
        self.sent: list[tuple[str, bytes]] = []
        self.silent: list[Callable[[Any], None]] = []

    def request_nowait(self, subject: str, payload: bytes, on_reply: Any, *, timeout: float, headers: Any) -> None:
        self.sent.append((subject, payload))
        if not self.answers:
            self.silent.append(on_reply)
            return
        answer: Any = self.answers.pop(0)
        if not isinstance(answer, BusError):
            answer = self.reply(answer)
        asyncio.get_running_loop().call_soon(on_reply, answer)

    def reply(self, answer: Answer | bytes) -> Any:
        data = answer if isinstance(answer, bytes) else encoder.encode(answer)
        return Message(self, "inbox", data, "", None)  # type: ignore[arg-type]  # nobody answers a reply


@pytest.fixture(autouse=True)
def short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.001)


async def pauses_are_over() -> None:
    await asyncio.sleep(0.01)


def client_of(bus: Bus, total: float = 5.0) -> CommandClient:
    return CommandClient(bus, total=total)  # type: ignore[arg-type]  # all that it asks of a bus


async def test_what_nobody_took_or_answered_is_sent_again_as_it_was() -> None:
    bus = Bus(NoResponders("nobody"), BusTimeout("late"), AWAY, TAKEN)
    assert await client_of(bus).send("rooms", "room-1", Ask("a")) == TAKEN
    assert len(bus.sent) == 4
    assert len(set(bus.sent)) == 1


async def test_when_the_time_is_over_it_is_not_known_whether_it_was_done() -> None:
    bus = Bus(*[NoResponders("nobody")] * 1_000)
    assert await client_of(bus, total=0.02).send("rooms", "room-1", Ask()) == AWAY
    assert 1 < len(bus.sent) < 1_000


async def test_an_answer_that_is_not_one_is_not_asked_for_again() -> None:
    bus = Bus(b"{nonsense")
    assert await client_of(bus).send("rooms", "room-1", Ask()) == AWAY
    assert len(bus.sent) == 1


async def test_an_answer_is_told_once_and_in_the_reply_s_callback() -> None:
    bus, told = Bus(), list[Answer]()
    client_of(bus).send_nowait("rooms", "room-1", Ask(), told.append)
    bus.silent[0](bus.reply(TAKEN))
    assert told == [TAKEN]
    bus.silent[0](bus.reply(TAKEN))
    assert told == [TAKEN]


@pytest.mark.parametrize("late", [TAKEN, AWAY])
async def test_after_a_cancel_nothing_is_told_and_nothing_sent_again(late: Refused) -> None:
    bus, told = Bus(), list[Answer]()
    sending = client_of(bus).send_nowait("rooms", "room-1", Ask(), told.append)
    sending.cancel()
    bus.silent[0](bus.reply(late))
    await pauses_are_over()
    assert (told, len(bus.sent)) == ([], 1)


async def test_a_cancel_between_two_attempts_is_the_end() -> None:
    bus, told = Bus(NoResponders("nobody")), list[Answer]()
    sending = client_of(bus).send_nowait("rooms", "room-1", Ask(), told.append)
    await asyncio.sleep(0)
    sending.cancel()
    await pauses_are_over()
    assert (told, len(bus.sent)) == ([], 1)


async def test_whoever_stops_waiting_is_not_told_even_when_the_answer_comes_in_that_tick() -> None:
    bus = Bus()
    waiting = asyncio.create_task(client_of(bus).send("rooms", "room-1", Ask()))
    await asyncio.sleep(0)
    waiting.cancel()
    bus.silent[0](bus.reply(TAKEN))
    await asyncio.gather(waiting, return_exceptions=True)
    assert waiting.cancelled()
