"""Sending commands and questions to the service that owns a stream, and getting one typed answer."""

from __future__ import annotations

import asyncio

import msgspec
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Answer, Ask, Command, Refused, answer_decoder, command_subject, encoder

from .bus import BusError, NatsBus
from .canonical import shard_of

ATTEMPT_SECONDS = 3.0
TOTAL_SECONDS = 10.0


class CommandClient:
    """Repeats a command under the same id until it is answered or ``TOTAL_SECONDS`` are over.

    Then the answer is UNAVAILABLE: the outcome is not known, the caller may repeat with the same key.
    """

    def __init__(self, bus: NatsBus, *, attempt: float = ATTEMPT_SECONDS, total: float = TOTAL_SECONDS) -> None:
        self.bus = bus
        self.attempt = attempt
        self.total = total

    async def send(
        self, service: str, stream: str, envelope: Command | Ask, *, headers: dict[str, str] | None = None
    ) -> Answer:
        loop = asyncio.get_running_loop()
        subject = command_subject(service, shard_of(stream), stream)
        payload = encoder.encode(envelope)
        until = loop.time() + self.total
        while True:
            left = until - loop.time()
            if left <= 0:
                return Refused(RefusalCode.UNAVAILABLE)
            try:
                reply = await self.bus.request(subject, payload, timeout=min(self.attempt, left), headers=headers)
                answer: Answer = answer_decoder.decode(reply.data)
            except BusError:
                await asyncio.sleep(0.1)
                continue
            except msgspec.MsgspecError:
                return Refused(RefusalCode.UNAVAILABLE)
            if isinstance(answer, Refused) and answer.code is RefusalCode.UNAVAILABLE:
                await asyncio.sleep(0.1)
                continue
            return answer
