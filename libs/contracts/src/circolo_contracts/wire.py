"""What travels on NATS: commands and questions to a service, its answers, and the views that it pushes.

Subjects: ``cmd.<service>.<shard>.<stream>`` (request, queue group), ``view.<stream>.<audience>`` (push),
``poke.<service>`` (somebody appended), ``poke.<service>.<type>`` (such an event), ``up.<service>`` (a process started),
``log.<service>`` and ``open.<service>`` (JetStream).
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from .refusals import RefusalCode

ActorKind = Literal["player", "cpu", "service", "operator"]


class Actor(Struct, frozen=True, gc=False, array_like=True):
    """Who wants it: a player (id), a CPU (id = seat number as text), a service (id = its name) or an operator (his
    player id; the gateway says so only after it has seen that role in his token)."""

    kind: ActorKind
    id: str


class Command(Struct, frozen=True, gc=False, tag="command", tag_field="t"):
    """A wish. ``id`` is 32 hex digits; the same id on the same stream is answered with the first answer for ever."""

    actor: Actor
    data: Raw
    id: str
    type: str
    at: int = 0
    """When it reached us, ms since 1970 by the database's clock; 0: the service stamps it."""
    digest: str = ""
    """Hash of the mutation's name and arguments; empty for derived commands, which are not compared."""
    expected: int | UnsetType = UNSET
    """The version that the sender had seen."""


class Ask(Struct, frozen=True, gc=False, tag="ask", tag_field="t"):
    """A question for the present view of a stream; with ``after``, also for what happened since."""

    viewer: str = ""
    """Player id, or empty for somebody who is not signed in."""
    after: int | UnsetType = UNSET
    document: str | UnsetType = UNSET
    """The name of a text that the owner makes of the stream, instead of the view: a game's ``record``, a chat's
    ``messages``."""


class Done(Struct, frozen=True, gc=False, tag="done", tag_field="t"):
    """It is committed. ``view`` is the actor's, at least as new as ``version``."""

    version: int
    """The stream's version right after the command's last event (of its first execution when replayed)."""
    position: int
    replayed: bool
    view: Raw
    view_version: int
    extra: Raw | UnsetType = UNSET
    """What belongs to this answer only, such as a token; never pushed, never stored."""


class Refused(Struct, frozen=True, gc=False, tag="refused", tag_field="t"):
    code: RefusalCode
    current_version: int | UnsetType = UNSET
    field: str | UnsetType = UNSET
    """Which field of the input, for codes that are about one."""


class Seen(Struct, frozen=True, gc=False, tag="seen", tag_field="t"):
    """The answer to an Ask. ``reset``: ``happened`` is not complete (nothing was asked for, or too long ago)."""

    version: int
    audience: str
    view: Raw
    happened: list[Raw] = []
    reset: bool = True


class Document(Struct, frozen=True, gc=False, tag="document", tag_field="t"):
    """The answer to an Ask for a document."""

    version: int
    text: str


Envelope = Command | Ask
Answer = Done | Refused | Seen | Document


class Pushed(Struct, frozen=True, gc=False):
    """A view after a commit, for one audience. A reader that has ``previous`` has missed nothing."""

    previous: int
    version: int
    happened: list[Raw]
    view: Raw


encoder = msgspec.json.Encoder()
envelope_decoder = msgspec.json.Decoder(Envelope)
answer_decoder = msgspec.json.Decoder(Answer)
pushed_decoder = msgspec.json.Decoder(Pushed)


def command_subject(service: str, shard: int, stream: str) -> str:
    return f"cmd.{service}.{shard}.{stream}"


def view_subject(stream: str, audience: str) -> str:
    return f"view.{stream}.{audience}"


def poke_subject(service: str, event_type: str = "") -> str:
    """With a type: only when such an event was among what was appended, for who reads of few types."""
    return f"poke.{service}.{event_type}" if event_type else f"poke.{service}"


def up_subject(service: str) -> str:
    """A process of this service has just started: what its predecessor committed but did not push must be asked for."""
    return f"up.{service}"
