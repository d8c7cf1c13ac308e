"""From a mutation to the owner's one typed answer."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import DropPresence, HoldPresence
from circolo_contracts.wire import Actor, Answer, Command, Done, Refused
from circolo_events import canonical, telemetry
from circolo_events.client import CommandClient
from circolo_events.clock import Clock
from msgspec import UNSET, Raw, Struct, UnsetType
from opentelemetry.trace import SpanKind

ROOMS = "rooms"


class Wish(Struct, frozen=True):
    """A mutation as its owner gets it. ``fields`` is what the key is compared by: every argument but personal text."""

    mutation: str
    service: str
    stream: str
    data: Struct
    fields: Mapping[str, object]
    key: uuid.UUID | None = None
    expected: int | UnsetType = UNSET
    as_operator: bool = False
    """His token says that he is one."""


def command_id(player: str, key: uuid.UUID | None) -> str:
    """The same for the same player and key, for ever; without a key a fresh one."""
    return uuid.uuid4().hex if key is None else canonical.client_command_id(player, key)


def digest(mutation: str, fields: Mapping[str, object]) -> str:
    """Tells a repeated request from another one under the same key."""
    return canonical.digest(mutation.encode(), canonical.encode(dict(fields))).hex()


class Commands:
    def __init__(self, client: CommandClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock

    async def send(self, wish: Wish, player: str, *, identity: str | None = None) -> Done | Refused:
        """``identity``: the command's id where it is known before. Refused UNAVAILABLE: repeat with the same key."""
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
        try:
            answer = await self._client.send(
                wish.service, wish.stream, command, headers=telemetry.headers_of(span) or None
            )
        except BaseException:
            telemetry.finish(span, "cancelled")
            raise
        telemetry.finish(span, answer.code.value if isinstance(answer, Refused) else "done")
        return _answered(answer)

    async def say_presence(self, room: str, command: HoldPresence | DropPresence) -> None:
        await self._client.send(
            ROOMS,
            f"room-{room}",
            Command(
                actor=Actor("service", "gateway"),
                data=Raw(canonical.encode(command)),
                id=uuid.uuid4().hex,
                type=type(command).__name__,
                at=self._clock.now(),
            ),
        )


def _answered(answer: Answer) -> Done | Refused:
    return answer if isinstance(answer, Done | Refused) else Refused(RefusalCode.UNAVAILABLE)


def room_for(player: str, key: uuid.UUID | None) -> str:
    """The id of the room that ``createRoom`` makes: a repeated key finds the same room."""
    return command_id(player, key)


def fresh_player() -> str:
    return uuid.uuid4().hex
