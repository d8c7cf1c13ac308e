"""How trivia's processes talk to its own streams: reading a wish, and putting a command of ours in its place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import msgspec
from circolo_contracts.ids import is_stream, kind_of
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Actor, Answer, Command, Refused
from circolo_events import canonical
from circolo_events.aggregate import StreamKind
from circolo_events.parsing import parse
from msgspec import Raw, Struct
from msgspec.structs import replace

SERVICE = "trivia"
BANK = "bank"
"""The kind of address, ``bank-<player id>``: no stream, for nothing of it is an event."""
TRIVIA_ITSELF = Actor("service", SERVICE)

W = TypeVar("W", bound=Struct)
Handler = Callable[[str, Command, Mapping[str, str] | None], Awaitable[Answer]]


def reading(
    wish: type[W], kind: StreamKind, work: Callable[[str, Command, W], Awaitable[Answer]], *, service: bool = False
) -> Handler:
    """A handler for the runtime, for streams of this kind: ``work`` gets the stream, the command and its data, read as
    strictly as the kit reads. ``service``: people may not."""
    reader = StreamKind(kind.name, kind.decider, {wish.__name__: wish})

    async def handle(stream: str, command: Command, _headers: Mapping[str, str] | None) -> Answer:
        if not is_stream(stream) or kind_of(stream) != kind.name:
            return Refused(RefusalCode.NOT_FOUND)
        if service and command.actor.kind != "service":
            return Refused(RefusalCode.NOT_ALLOWED)
        data = parse(reader, command)
        if isinstance(data, Refused):
            return data
        assert isinstance(data, wish)
        return await work(stream, command, data)

    return handle


def instead(command: Command, data: Struct) -> Command:
    """Our command under the same id and digest, so that its stream remembers the one that it stands for."""
    return replace(command, data=Raw(canonical.encode(data)), type=type(data).__name__, expected=msgspec.UNSET)


def errand(command_id: str, data: Struct) -> Command:
    """A command of trivia itself."""
    return Command(actor=TRIVIA_ITSELF, data=Raw(canonical.encode(data)), id=command_id, type=type(data).__name__)
