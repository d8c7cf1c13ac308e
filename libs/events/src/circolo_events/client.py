"""Sending commands and questions to the service that owns a stream, and getting one typed answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Answer, Ask, Command, Refused, answer_decoder, command_subject, encoder

from .bus import BusError, Message, NatsBus
from .canonical import shard_of

ATTEMPT_SECONDS = 3.0
TOTAL_SECONDS = 10.0
PAUSE_SECONDS = 0.1
"""Before it is sent again."""

OnAnswer = Callable[[Answer], None]


class CommandClient:
    """Repeats a command under the same id until it is answered or ``TOTAL_SECONDS`` are over.

    Then the answer is UNAVAILABLE: the outcome is not known, the caller may repeat with the same key.
    """

    def __init__(self, bus: NatsBus, *, attempt: float = ATTEMPT_SECONDS, total: float = TOTAL_SECONDS) -> None:
        self.bus = bus
        self.attempt = attempt
        self.total = total
        self.loop = asyncio.get_running_loop()

    async def send(
        self, service: str, stream: str, envelope: Command | Ask, *, headers: dict[str, str] | None = None
    ) -> Answer:
        future: asyncio.Future[Answer] = self.loop.create_future()

        def settle(answer: Answer) -> None:
            if not future.done():
                future.set_result(answer)

        sending = self.send_nowait(service, stream, envelope, settle, headers=headers)
        try:
            return await future
        finally:
            sending.cancel()

    def send_nowait(
        self,
        service: str,
        stream: str,
        envelope: Command | Ask,
        on_answer: OnAnswer,
        *,
        headers: dict[str, str] | None = None,
    ) -> Sending:
        """As ``send``, without a task: ``on_answer`` is called once, from the loop, and must return at once."""
        subject = command_subject(service, shard_of(stream), stream)
        return Sending(self, subject, encoder.encode(envelope), headers, on_answer)


class Sending:
    """A command on its way. After ``cancel`` nobody is told of its answer; it may be done all the same."""

    __slots__ = ("_client", "_headers", "_on_answer", "_payload", "_subject", "_until")

    def __init__(
        self,
        client: CommandClient,
        subject: str,
        payload: bytes,
        headers: dict[str, str] | None,
        on_answer: OnAnswer,
    ) -> None:
        self._client = client
        self._subject = subject
        self._payload = payload
        self._headers = headers
        self._on_answer: OnAnswer | None = on_answer
        self._until = client.loop.time() + client.total
        self._attempt(client.total)

    def cancel(self) -> None:
        self._on_answer = None

    def _attempt(self, left: float) -> None:
        client = self._client
        client.bus.request_nowait(
            self._subject, self._payload, self._on_reply, timeout=min(client.attempt, left), headers=self._headers
        )

    def _on_reply(self, reply: Message | BusError) -> None:
        if isinstance(reply, BusError):
            self._pause()
            return
        try:
            answer: Answer = answer_decoder.decode(reply.data)
        except msgspec.MsgspecError:
            answer = Refused(RefusalCode.UNAVAILABLE)
        else:
            if isinstance(answer, Refused) and answer.code is RefusalCode.UNAVAILABLE:
                self._pause()
                return
        self._tell(answer)

    def _pause(self) -> None:
        if self._on_answer is not None:
            self._client.loop.call_later(PAUSE_SECONDS, self._again)

    def _again(self) -> None:
        left = self._until - self._client.loop.time()
        if self._on_answer is None:
            return
        if left > 0:
            self._attempt(left)
        else:
            self._tell(Refused(RefusalCode.UNAVAILABLE))

    def _tell(self, answer: Answer) -> None:
        on_answer, self._on_answer = self._on_answer, None
        if on_answer is not None:
            on_answer(answer)
