"""What an author of an aggregate writes: pure functions over frozen structs.

``decide`` and ``evolve`` know no clock, no randomness, no I/O; all that comes in by ``Context``. The state counts
its own version: each ``evolve`` adds one to ``state.version``, which the runtime compares with the stream's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Actor
from msgspec import UNSET, Struct, UnsetType


class Context(Struct, frozen=True, gc=False):
    """What a decision may know besides the state and the command."""

    actor: Actor
    command_id: str
    """32 hex digits."""
    entropy: bytes
    """32 fresh bytes from the system's generator; whatever comes of them must be recorded in the events."""
    now: int
    """ms since 1970 by the database's clock."""
    stamp: int
    """When the command reached the gateway, at most ``now``. A decider clamps it to the opening of its phase."""
    stream: str
    version: int
    """The stream's version; equals ``state.version``."""
    expected: int | UnsetType = UNSET
    """The version that the sender had seen, if he said one; what makes it stale is the decider's to say."""


class Rejection(Struct, frozen=True, gc=False):
    """A typed refusal: no event, and the key may be used again."""

    code: RefusalCode
    field: str | UnsetType = UNSET


class Viewer(Struct, frozen=True, gc=False):
    """Who looks: a seat, a team or the public. ``audience`` is the last part of the view's subject."""

    audience: str
    seat: int = -1
    team: int = -1

    @staticmethod
    def of_seat(seat: int, team: int = -1) -> Viewer:
        return Viewer(f"seat-{seat}", seat, team)


PUBLIC = Viewer("public")
"""Spectators, displays and everybody else: never more than this when in doubt."""


class Deadline(Struct, frozen=True, gc=False):
    """Armed by the event that made the state's version ``version``; due at ``due_at`` ms since 1970."""

    due_at: int
    version: int


class HasVersion(Protocol):
    @property
    def version(self) -> int: ...


S = TypeVar("S", bound=HasVersion)
C = TypeVar("C", contravariant=True)
E = TypeVar("E")
T = TypeVar("T")


class Foreseen(list[T]):
    """Events whose decider had to look at the states that they lead to: ``states`` has them, of the first so many, for
    whoever would fold the events next. They are what ``evolve`` gives, or the decider is wrong."""

    __slots__ = ("states",)

    def __init__(self, events: Iterable[T], states: Sequence[HasVersion]) -> None:
        super().__init__(events)
        self.states = states


class Decider(Protocol[S, C, E]):
    """One kind of stream. Every method is pure; ``decide`` returns no events for a no-op, and may return ``Foreseen``.

    A decider whose every view is the public one and more may also have ``own(state, viewer)``: the fields that the
    viewer's view has beside the public ones, or None. Then a push serialises what all of them share once. So it does
    with what happened if there is ``tell_all(event, before, after)``: what ``tell`` has for whichever viewer, or None
    when that depends on who hears it.
    """

    @property
    def initial(self) -> S: ...

    def decide(self, state: S, command: C, context: Context) -> Sequence[E] | Rejection: ...

    def evolve(self, state: S, event: E) -> S: ...

    def audiences(self, state: S) -> Sequence[Viewer]:
        """Everybody to whom a view is pushed after a commit."""
        ...

    def viewer(self, state: S, player: str) -> Viewer | Rejection:
        """The audience of a player id (empty: nobody signed in); the public when unknown."""
        ...

    def view(self, state: S, viewer: Viewer) -> Struct:
        """An allow-list: names what it shows."""
        ...

    def tell(self, event: E, before: S, after: S, viewer: Viewer) -> Sequence[Struct]:
        """What the viewer may know of one event; the same live and on resume."""
        ...

    def deadlines(self, state: S) -> Mapping[str, Deadline]:
        """Every deadline that is armed now, by kind."""
        ...
