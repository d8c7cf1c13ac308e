"""From a mutation to a command: ids that repeat, digests that tell a repeated request from another one."""

from __future__ import annotations

import asyncio
from typing import Any

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import TakeSeat
from circolo_contracts.wire import Command, Refused, Seen
from circolo_events.clock import FixedClock
from circolo_gateway.commands import Commands, Wish, command_id, digest, room_for
from msgspec import UNSET, Raw

ADA, BEA = "a" * 32, "b" * 32
KEY = "6f1ed2a06d0f4d5c9d546a4d1c7f0a01"


class Client:
    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.sent: list[tuple[str, str, Command]] = []
        self.cancelled = 0

    def send_nowait(self, service: str, stream: str, envelope: Command, on_answer: Any, *, headers: Any = None) -> Any:
        self.sent.append((service, stream, envelope))
        if self.answer is not None:
            on_answer(self.answer)
        self.on_answer = on_answer
        return self

    def cancel(self) -> None:
        self.cancelled += 1


def wish(**more: Any) -> Wish:
    return Wish("takeSeat", "rooms", "room-" + "1" * 32, TakeSeat(seat=1), {"seat": 1}, **more)


async def test_a_command_carries_who_when_and_what_was_seen() -> None:
    client = Client(Refused(RefusalCode.SEAT_TAKEN))
    answer = await Commands(client, FixedClock(1234)).send(wish(key=KEY, expected=7), ADA)  # type: ignore[arg-type]
    ((service, stream, command),) = client.sent
    assert answer == Refused(RefusalCode.SEAT_TAKEN)
    assert (service, stream, command.type, command.at, command.expected) == (
        "rooms",
        "room-" + "1" * 32,
        "TakeSeat",
        1234,
        7,
    )
    assert (command.actor.kind, command.actor.id, bytes(command.data)) == ("player", ADA, b'{"seat":1}')
    assert command.id == command_id(ADA, KEY)


async def test_an_answer_that_is_none_is_unavailable() -> None:
    client = Client(Seen(1, "public", Raw(b"{}")))
    assert await Commands(client, FixedClock()).send(wish(), ADA) == Refused(RefusalCode.UNAVAILABLE)  # type: ignore[arg-type]
    assert client.sent[0][2].expected is UNSET


def test_an_answer_is_read_in_the_callback_that_brings_it() -> None:
    client, told = Client(None), list[str]()
    coming = Commands(client, FixedClock()).begin(wish(), ADA, lambda answer: type(answer).__name__)  # type: ignore[arg-type]
    coming.then(lambda: told.append(coming.result()))
    assert told == []
    client.on_answer(Refused(RefusalCode.SEAT_TAKEN))
    assert told == ["Refused"]
    coming.cancel()
    assert client.cancelled == 0, "it is over"


async def test_whoever_no_longer_waits_for_an_answer_does_not_get_it() -> None:
    client, told = Client(None), list[str]()
    commands = Commands(client, FixedClock())  # type: ignore[arg-type]
    coming = commands.begin(wish(), ADA, repr)
    coming.then(lambda: told.append(coming.result()))
    coming.cancel()
    coming.cancel()
    assert (told, client.cancelled) == ([], 1)
    waiting = asyncio.create_task(commands.send(wish(), ADA))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert waiting.cancelled()
    assert client.cancelled == 2
    client.on_answer(Refused(RefusalCode.SEAT_TAKEN))


def test_the_same_key_is_the_same_command_for_one_player_only() -> None:
    assert command_id(ADA, KEY) == command_id(ADA, KEY)
    assert command_id(ADA, KEY) != command_id(BEA, KEY)
    assert command_id(ADA, None) != command_id(ADA, None)
    assert room_for(ADA, KEY) == command_id(ADA, KEY)


def test_the_digest_tells_another_mutation_or_argument_and_no_order() -> None:
    same = digest("takeSeat", {"seat": 1, "room": "r"})
    assert same == digest("takeSeat", {"room": "r", "seat": 1})
    assert same != digest("takeSeat", {"room": "r", "seat": 2})
    assert same != digest("removeCpu", {"room": "r", "seat": 1})
