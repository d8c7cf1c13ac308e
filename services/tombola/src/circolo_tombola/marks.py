"""``marks-<id>``: what a seat has marked on its ticket. Decoration, kept for its holder, and shown to nobody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.tombola import MarkSet, SetMark
from circolo_events.decider import Context, Deadline, Rejection, Viewer
from msgspec import Struct
from msgspec.structs import replace


class Marks(Struct, frozen=True):
    """``version`` 0: nothing was ever marked."""

    version: int = 0
    numbers: frozenset[int] = frozenset()
    player: str = ""

    def shown(self) -> list[int]:
        return sorted(self.numbers)


class MarksSeen(Struct, frozen=True):
    """All that this stream itself shows: its seat's view of the game has the rest."""

    version: int


class MarksDecider:
    """Implements ``circolo_events.decider.Decider``. It pushes nothing: ``desk`` shows the marks with the game."""

    initial = Marks()

    def decide(self, state: Marks, command: SetMark, context: Context) -> Sequence[MarkSet] | Rejection:
        """Said twice is once: a mark is set or not, and never turned over."""
        player = context.actor.id
        if context.actor.kind != "player" or state.player not in ("", player):
            return Rejection(RefusalCode.NOT_ALLOWED)
        if command.marked == (command.number in state.numbers):
            return []
        mark = MarkSet(
            at=context.now, game_id=command.game_id, marked=command.marked, number=command.number, player=player,
            seat=command.seat,
        )  # fmt: skip
        return [mark]

    def evolve(self, state: Marks, event: MarkSet) -> Marks:
        numbers = state.numbers | {event.number} if event.marked else state.numbers - {event.number}
        return replace(state, version=state.version + 1, numbers=numbers, player=event.player)

    def audiences(self, state: Marks) -> Sequence[Viewer]:
        return ()

    def viewer(self, state: Marks, player: str) -> Viewer | Rejection:
        return Rejection(RefusalCode.NOT_FOUND)

    def view(self, state: Marks, viewer: Viewer) -> MarksSeen:
        return MarksSeen(state.version)

    def tell(self, event: MarkSet, before: Marks, after: Marks, viewer: Viewer) -> Sequence[Struct]:
        return ()

    def deadlines(self, state: Marks) -> Mapping[str, Deadline]:
        return {}
