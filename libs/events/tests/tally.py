"""A small aggregate for the kit's own tests: a tally that people add to, with a secret note for one seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from circolo_contracts.refusals import RefusalCode
from circolo_events.aggregate import StreamKind
from circolo_events.decider import PUBLIC, Context, Deadline, Rejection, Viewer
from circolo_events.registry import EventRegistry
from msgspec import Struct

OWNER = "a" * 32
STRANGER = "b" * 32
BANNED = "c" * 32


class Added(Struct, frozen=True):
    amount: int


class Noted(Struct, frozen=True):
    note: str


class Add(Struct, frozen=True):
    amount: int
    times: int = 1


class Note(Struct, frozen=True):
    note: str


class Explode(Struct, frozen=True):
    pass


class Tally(Struct, frozen=True):
    version: int = 0
    total: int = 0
    note: str = ""
    armed: int = 0


class TallyView(Struct, frozen=True):
    total: int
    version: int
    note: str = ""


class Told(Struct, frozen=True):
    kind: str
    amount: int = 0


class TallyDecider:
    """Refuses to go above 1,000; a deadline ``reset`` is armed while the total is odd."""

    initial = Tally()

    def decide(self, state: Tally, command: Struct, context: Context) -> Sequence[Struct] | Rejection:
        if isinstance(command, Explode):
            raise ZeroDivisionError("a bug with a secret text")
        if isinstance(command, Note):
            return [Noted(command.note)]
        assert isinstance(command, Add)
        if isinstance(context.expected, int) and context.expected != state.version:
            return Rejection(RefusalCode.STALE_VERSION)
        if state.total + command.amount * command.times > 1_000:
            return Rejection(RefusalCode.NOT_ALLOWED, field="amount")
        return [Added(command.amount)] * command.times if command.amount else []

    def evolve(self, state: Tally, event: Struct) -> Tally:
        version = state.version + 1
        if isinstance(event, Noted):
            return Tally(version, state.total, event.note, state.armed)
        assert isinstance(event, Added)
        total = state.total + event.amount
        return Tally(version, total, state.note, version if total % 2 else 0)

    def audiences(self, state: Tally) -> Sequence[Viewer]:
        return [PUBLIC, Viewer.of_seat(0)]

    def viewer(self, state: Tally, player: str) -> Viewer | Rejection:
        if player == BANNED:
            return Rejection(RefusalCode.NOT_ALLOWED)
        return Viewer.of_seat(0) if player == OWNER else PUBLIC

    def view(self, state: Tally, viewer: Viewer) -> Struct:
        return TallyView(state.total, state.version, state.note if viewer.seat == 0 else "")

    def tell(self, event: Struct, before: Tally, after: Tally, viewer: Viewer) -> Sequence[Struct]:
        if isinstance(event, Added):
            return [Told("Added", event.amount)]
        return [Told("Noted")] if viewer.seat == 0 else []

    def deadlines(self, state: Tally) -> Mapping[str, Deadline]:
        return {"reset": Deadline(state.total, state.armed)} if state.armed else {}


def sheet(events: Sequence[Struct]) -> str | RefusalCode:
    """A document: every amount, once there are two."""
    amounts = [str(event.amount) for event in events if isinstance(event, Added)]
    return "+".join(amounts) if len(amounts) > 1 else RefusalCode.GAME_NOT_OVER


REGISTRY = EventRegistry.of_unions(Added | Noted)
COMMANDS = {command.__name__: command for command in (Add, Note, Explode)}
TALLY = StreamKind("tally", TallyDecider(), COMMANDS, {"sheet": sheet})
