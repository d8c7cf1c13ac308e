"""From a mutation to the owner's one typed answer."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import TypeVar

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import DropPresence, HoldPresence, RenewPresence
from circolo_contracts.wire import Actor, Answer, Command, Done, Refused
from circolo_events import canonical, telemetry
from circolo_events.client import CommandClient, Sending
from circolo_events.clock import Clock
from msgspec import UNSET, Raw, Struct, UnsetType
from opentelemetry.trace import INVALID_SPAN, Span, SpanKind

from .transport.later import Later

T = TypeVar("T")

ROOMS = "rooms"


class Wish(Struct, frozen=True):
    """A mutation as its owner gets it. ``fields`` is what the key is compared by: every argument but personal text."""

    mutation: str
    service: str
    stream: str
    data: Struct
    fields: Mapping[str, object]
    key: str | None = None
    """The idempotency key, a UUID as 32 hex digits."""
    expected: int | UnsetType = UNSET
    as_operator: bool = False
    """His token says that he is one."""


def command_id(player: str, key: str | None) -> str:
    """The same for the same player and key, for ever; without a key a fresh one."""
    return uuid.uuid4().hex if key is None else canonical.client_command_id(player, key)


def digest(mutation: str, fields: Mapping[str, object]) -> str:
    """Tells a repeated request from another one under the same key."""
    return canonical.digest(mutation.encode(), canonical.encode(dict(fields))).hex()


class Coming(Later[T]):
    """The answer of a command that is on its way, read by ``read`` when it is there."""

    __slots__ = ("_answer", "_read", "_sending", "_span")

    def __init__(self, read: Callable[[Done | Refused], T], span: Span) -> None:
        super().__init__()
        self._read = read
        self._span = span
        self._sending: Sending | None = None
        self._answer: Done | Refused = Refused(RefusalCode.UNAVAILABLE)

    def sent(self, sending: Sending) -> None:
        if not self._done:
            self._sending = sending

    def told(self, answer: Answer) -> None:
        self._sending = None
        if isinstance(answer, Done | Refused):
            self._answer = answer
        if self._span is not INVALID_SPAN:
            telemetry.finish(self._span, answer.code.value if isinstance(answer, Refused) else "done")
        self.come()

    def result(self) -> T:
        return self._read(self._answer)

    def cancel(self) -> None:
        super().cancel()
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None
            telemetry.finish(self._span, "cancelled")


class Commands:
    def __init__(self, client: CommandClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock

    async def send(self, wish: Wish, player: str, *, identity: str | None = None) -> Done | Refused:
        """``identity``: the command's id where it is known before. Refused UNAVAILABLE: repeat with the same key."""
        return await self.begin(wish, player, _as_it_is, identity=identity)

    def begin(
        self, wish: Wish, player: str, read: Callable[[Done | Refused], T], *, identity: str | None = None
    ) -> Coming[T]:
        """It is sent, and what ``read`` makes of its answer comes later."""
        command = Command(
            actor=Actor("operator" if wish.as_operator else "player", player),
            data=Raw(canonical.encode(wish.data)),
            id=identity or command_id(player, wish.key),
            type=type(wish.data).__name__,
            at=self._clock.now(),
            digest=digest(wish.mutation, wish.fields),
            expected=wish.expected,
        )
        span = telemetry.command_span("gateway", command.type, None, SpanKind.CLIENT)
        headers = None if span is INVALID_SPAN else telemetry.headers_of(span) or None
        coming = Coming(read, span)
        coming.sent(self._client.send_nowait(wish.service, wish.stream, command, coming.told, headers=headers))
        return coming

    async def say_presence(self, stream: str, command: HoldPresence | RenewPresence | DropPresence) -> Answer:
        return await self._client.send(
            ROOMS,
            stream,
            Command(
                actor=Actor("service", "gateway"),
                data=Raw(canonical.encode(command)),
                id=uuid.uuid4().hex,
                type=type(command).__name__,
                at=self._clock.now(),
            ),
        )


def _as_it_is(answer: Done | Refused) -> Done | Refused:
    return answer


def room_for(player: str, key: str | None) -> str:
    """The id of the room that ``createRoom`` makes: a repeated key finds the same room."""
    return command_id(player, key)


def fresh_player() -> str:
    return uuid.uuid4().hex
