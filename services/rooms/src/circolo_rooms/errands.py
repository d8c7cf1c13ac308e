"""How rooms' processes talk to its own streams: reading a wish, and putting a command of ours in its place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import msgspec
from circolo_contracts.ids import is_stream, kind_of
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Actor, Answer, Command, Done, Refused
from circolo_events import canonical
from msgspec import Raw, Struct
from msgspec.structs import replace

ROOMS = Actor("service", "rooms")

UNDECIDED = (RefusalCode.UNAVAILABLE, RefusalCode.INTERNAL, RefusalCode.RATE_LIMITED)
"""Refusals that say nothing about the wish: it may come again, or be done already."""

NOTHING_STORED = Done(0, 0, False, Raw(b"{}"), 0)
"""The answer of a process that stores nothing on the stream to which it was sent."""

W = TypeVar("W", bound=Struct)
Handler = Callable[[str, Command, Mapping[str, str] | None], Awaitable[Answer]]


def reading(wish: type[W], kinds: tuple[str, ...], work: Callable[[str, Command, W], Awaitable[Answer]]) -> Handler:
    """A handler for the runtime: ``work`` gets the stream, the command and its data as a struct.

    What it stores of the data it must have checked itself: names and settings are.
    """

    async def handle(stream: str, command: Command, _headers: Mapping[str, str] | None) -> Answer:
        if not is_stream(stream) or kind_of(stream) not in kinds:
            return Refused(RefusalCode.NOT_FOUND)
        try:
            data = msgspec.json.decode(command.data, type=wish)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            _, _, path = str(error).partition("at `$.")
            return Refused(RefusalCode.MALFORMED, field=path.rstrip("`")) if path else Refused(RefusalCode.MALFORMED)
        return await work(stream, command, data)

    return handle


def instead(command: Command, data: Struct, *, actor: Actor | None = None) -> Command:
    """Our command under the same id and digest, so that its stream remembers the person's one."""
    return replace(
        command, data=Raw(canonical.encode(data)), type=type(data).__name__, actor=actor or command.actor,
        expected=msgspec.UNSET,
    )  # fmt: skip


def errand(command_id: str, data: Struct) -> Command:
    """A command of rooms itself."""
    return Command(actor=ROOMS, data=Raw(canonical.encode(data)), id=command_id, type=type(data).__name__)
