"""People with a socket each: sign-in, answers of mutations by id, updates of subscriptions to whoever subscribed."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable

import msgspec

from . import documents
from .documents import Answer, Data, Message
from .websocket import Refused, Socket

ANSWER_SECONDS = 15.0
SIGN_INS_AT_ONCE = 32

OnData = Callable[[Data, bytes], None]


class Person:
    """One signed-in player on one socket. ``on_play`` gets the answer of each ``playCard``."""

    def __init__(self, on_error: Callable[[str], None]) -> None:
        self._on_error = on_error
        self._socket: Socket | None = None
        self._waiting: dict[str, asyncio.Future[Data]] = {}
        self._followed: dict[str, OnData] = {}
        self._acknowledged: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.numbers = itertools.count(1)
        """Ids of operations, and idempotency keys."""

    async def connect(self, host: str, port: int, token: str | None) -> None:
        self._socket = await Socket.connect(host, port, "/graphql", self._text, self._lost)
        self._socket.send(documents.connection_init(token))
        await asyncio.wait_for(self._acknowledged, ANSWER_SECONDS)

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def send(self, message: bytes) -> None:
        if self._socket is not None:
            self._socket.send(message)

    async def ask(self, document: str, **variables: object) -> Data:
        """A mutation's data. Raises Refused with its code, TimeoutError."""
        identity = f"a{next(self.numbers)}"
        answer: asyncio.Future[Data] = asyncio.get_running_loop().create_future()
        self._waiting[identity] = answer
        try:
            self.send(documents.subscribe(identity, document, **variables))
            return await asyncio.wait_for(answer, ANSWER_SECONDS)
        finally:
            self._waiting.pop(identity, None)

    def follow(self, document: str, on_data: OnData, **variables: object) -> str:
        """Subscribe; what ``unfollow`` takes."""
        identity = f"s{next(self.numbers)}"
        self._followed[identity] = on_data
        self.send(documents.subscribe(identity, document, **variables))
        return identity

    def unfollow(self, identity: str) -> None:
        if self._followed.pop(identity, None) is not None:
            self.send(documents.complete(identity))

    # ------------------------------------------------------------ what comes

    def _text(self, raw: bytes) -> None:
        try:
            message = documents.next_of(raw)
        except msgspec.ValidationError:
            self._other(documents.message_of(raw))
            return
        result, data = message.payload, message.payload.data
        follower = self._followed.get(message.id)
        if result.errors is not msgspec.UNSET or data is None:
            self._failed(message.id, bytes(result.errors or b"no data").decode())
        elif follower is not None:
            follower(data, raw)
        elif data.play_card is not None:
            if data.play_card.code is not None:
                self._on_error(f"playCard {data.play_card.code}")
        elif (waiting := self._waiting.get(message.id)) is not None and not waiting.done():
            code = next((answer.code for answer in _answers(data) if answer.code), None)
            if code is None:
                waiting.set_result(data)
            else:
                waiting.set_exception(Refused(code))

    def _other(self, message: Message) -> None:
        if message.type == "connection_ack":
            self._acknowledged.set_result(None)
        elif message.type == "ping":
            self.send(b'{"type":"pong"}')
        elif message.type == "error":
            self._failed(message.id, bytes(message.payload).decode())
        elif message.type == "complete" and self._followed.pop(message.id, None) is not None:
            self._on_error("a subscription ended")

    def _failed(self, identity: str, reason: str) -> None:
        waiting = self._waiting.get(identity)
        if waiting is not None and not waiting.done():
            waiting.set_exception(Refused(reason))
        else:
            self._on_error(reason[:200])

    def _lost(self, reason: str) -> None:
        self._socket = None
        if not self._acknowledged.done():
            self._acknowledged.set_exception(Refused(reason))
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(Refused(reason))
        self._on_error(reason[:200])


def _answers(data: Data) -> list[Answer]:
    possible = (data.sign_in_as_guest, data.create_room, data.join_room, data.start_game, data.add_cpu)
    return [answer for answer in possible if answer is not None]


async def signed_in(host: str, port: int, names: list[str], on_error: Callable[[str], None]) -> list[Person]:
    """One connected person for each name, in that order."""
    desk = Person(on_error)
    await desk.connect(host, port, None)
    limit = asyncio.Semaphore(SIGN_INS_AT_ONCE)

    async def enter(name: str) -> Person:
        async with limit:
            answer = (await desk.ask(documents.SIGN_IN, name=name)).sign_in_as_guest
            assert answer is not None
            person = Person(on_error)
            await person.connect(host, port, answer.token)
            return person

    try:
        return await asyncio.gather(*(enter(name) for name in names))
    finally:
        desk.close()
