"""Reacting to another service's events with commands: at least once, in order within a stream, one effect each.

A command's id is derived from the event and the rule, so that sending it again gives the first answer again. Done and
refused are answers and the reaction goes on; no answer is repeated until there is one; a fault of the target parks the
event's stream after some tries, and loses nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

import asyncpg
import msgspec
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Actor, Answer, Ask, Command, Refused
from msgspec import Struct
from opentelemetry import metrics

from . import canonical, telemetry
from .bus import NatsBus
from .checkpoints import Move
from .failures import LeaseLost
from .registry import EventRegistry
from .store import Recorded, Store
from .subscription import Limits, Subscription

log = logging.getLogger(__name__)

CONCURRENT_STREAMS = 64
LONGEST_PAUSE_SECONDS = 1.0
NOT_ANSWERS = (RefusalCode.UNAVAILABLE, RefusalCode.RATE_LIMITED)
"""Refusals that say "later": the command is sent again under the same id."""

_sent = metrics.get_meter("circolo.events").create_counter(
    "circolo.reactions", description="Commands of reactions, by outcome"
)


class Send(Struct, frozen=True):
    """A command that follows from an event. ``rule`` names why, once for each command that one event causes."""

    service: str
    stream: str
    data: Struct
    rule: str
    type: str = ""
    """The command's name; empty: the class name of ``data``."""


React = Callable[[Recorded, Any], Sequence[Send]]
"""From an event (as stored, and decoded) to the commands that it causes, in order. Pure."""
Recall = Callable[[Sequence[Recorded]], Awaitable[None]]
"""Reads what ``react`` has to know beside the events of this batch, before it is asked about any of them."""


class TargetFailed(Exception):
    """The target answered INTERNAL: it met a fault of its own, so the command is neither done nor refused."""


class SendsCommands(Protocol):
    """``client.CommandClient``."""

    async def send(
        self, service: str, stream: str, envelope: Command | Ask, *, headers: dict[str, str] | None = None
    ) -> Answer: ...


class Reaction:
    """``name`` is the reaction's consumer name, ``service`` the service that reacts and signs as actor.

    ``registry`` names the source's events that matter here; events of other types are passed over. A version of an
    event that this code does not know parks its stream.
    """

    def __init__(
        self, name: str, source: str, *, service: str, pool: asyncpg.Pool, store: Store, registry: EventRegistry,
        react: React, client: SendsCommands, bus: NatsBus | None = None, limits: Limits | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        self.recall: Recall | None = None
        """Set before the start, where an event alone does not say enough."""
        self.subscription = Subscription(
            name, 1, source, pool=pool, store=store, commit=self._commit, bus=bus, limits=limits,
            types=list(registry.by_name),
        )  # fmt: skip
        self._actor = Actor("service", service)
        self._registry = registry
        self._react = react
        self._client = client
        self._slots = asyncio.Semaphore(CONCURRENT_STREAMS)
        self._stopping = False

    async def start(self) -> None:
        await self.subscription.start()

    async def stop(self, timeout: float = 10.0) -> None:
        self._stopping = True
        await self.subscription.stop(timeout)

    def wake(self) -> None:
        self.subscription.wake()

    async def unpark(self, stream: str) -> int:
        return await self.subscription.unpark(stream)

    async def caught_up(self, timeout: float = 10.0) -> None:
        await self.subscription.caught_up(timeout)

    async def _commit(self, pool: asyncpg.Pool, events: Sequence[Recorded], move: Move) -> None:
        if self.recall is not None and events:
            await self.recall(events)
        by_stream: dict[str, list[tuple[Recorded, Send]]] = {}
        for event in events:
            decoded = self._registry.decode(event.type, event.schema_v, event.data)
            for send in self._react(event, decoded):
                by_stream.setdefault(event.stream, []).append((event, send))
        if len(by_stream) == 1:
            await self._send_in_order(*by_stream.values())
        elif by_stream:
            try:
                async with asyncio.TaskGroup() as group:
                    for sends in by_stream.values():
                        group.create_task(self._send_in_order(sends))
            except BaseExceptionGroup as errors:
                raise errors.exceptions[0] from None
        await move.alone(pool)

    async def _send_in_order(self, sends: Sequence[tuple[Recorded, Send]]) -> None:
        async with self._slots:
            for event, send in sends:
                await self._until_answered(event, send)

    async def _until_answered(self, event: Recorded, send: Send) -> None:
        envelope = Command(
            actor=self._actor, data=msgspec.Raw(canonical.encode(send.data)),
            id=canonical.reaction_command_id(event.id, send.rule), type=send.type or type(send.data).__name__,
        )  # fmt: skip
        span = telemetry.reaction_span(self._actor.id, send.rule, msgspec.json.decode(event.meta).get("trace"))
        try:
            await self._repeat(send, envelope, telemetry.headers_of(span))
        finally:
            span.end()

    async def _repeat(self, send: Send, envelope: Command, headers: dict[str, str]) -> None:
        labels = {"reaction": self.name, "rule": send.rule}
        pause = 0.05
        while True:
            answer = await self._client.send(send.service, send.stream, envelope, headers=headers or None)
            if not isinstance(answer, Refused):
                _sent.add(1, {**labels, "outcome": "done"})
                return
            if answer.code is RefusalCode.INTERNAL:
                _sent.add(1, {**labels, "outcome": "failed"})
                raise TargetFailed(f"{envelope.type} to {send.stream}")
            if answer.code not in NOT_ANSWERS:
                _sent.add(1, {**labels, "outcome": "refused"})
                log.warning("%s: %s to %s was refused: %s", self.name, envelope.type, send.stream, answer.code.value)
                return
            _sent.add(1, {**labels, "outcome": "unavailable"})
            log.warning("%s: %s does not answer; %s is repeated", self.name, send.service, envelope.type)
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
            if self._stopping or not await self.subscription.lease.hold():
                raise LeaseLost("stopped while a command was not answered")
