"""``code-<CODE>``: which room a code leads to. Reserved before the room exists, claimed by it, free when it closes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from circolo_contracts.codes import (
    ClaimCode,
    CodeClaimed,
    CodeEvent,
    CodeReleased,
    CodeReserved,
    ReleaseCode,
    ReserveCode,
)
from circolo_contracts.ids import ROOM_CODE_ALPHABET, ROOM_CODE_LENGTH, RoomCode
from circolo_contracts.refusals import RefusalCode
from circolo_events.decider import PUBLIC, Context, Deadline, Rejection, Viewer
from msgspec import Struct
from msgspec.structs import replace

UNCLAIMED_MS = 3_600_000
"""How long a reservation waits for its room."""
REMEMBERED_ROOMS = 8
"""So many earlier rooms of a code are looked at when a join is repeated."""

CodeCommand = ReserveCode | ClaimCode | ReleaseCode


class CodeState(Struct, frozen=True):
    version: int = 0
    room: str = ""
    """Empty: free."""
    unclaimed: Deadline | None = None
    earlier: tuple[str, ...] = ()
    """The rooms that had this code before, newest first."""


class CodeView(Struct, frozen=True):
    """For rooms itself; nobody else asks for a code's own stream."""

    room: str
    version: int


def code_from(entropy: bytes) -> RoomCode | None:
    """Six characters, each equally likely; None if these bytes (at least six) give too few after rejection."""
    usable = 256 - 256 % len(ROOM_CODE_ALPHABET)
    letters = [ROOM_CODE_ALPHABET[b % len(ROOM_CODE_ALPHABET)] for b in entropy if b < usable]
    return RoomCode("".join(letters[:ROOM_CODE_LENGTH])) if len(letters) >= ROOM_CODE_LENGTH else None


class CodeDecider:
    initial = CodeState()

    def decide(self, state: CodeState, command: CodeCommand, context: Context) -> Sequence[CodeEvent] | Rejection:
        """NOT_ALLOWED when another room has the code: the caller draws another one."""
        if context.actor.kind != "service":
            return Rejection(RefusalCode.NOT_ALLOWED)
        if isinstance(command, ReserveCode):
            if not state.room:
                return [CodeReserved(at=context.now, room=command.room)]
            return [] if state.room == command.room else Rejection(RefusalCode.NOT_ALLOWED)
        if state.room != command.room:
            return []
        if isinstance(command, ReleaseCode):
            return [CodeReleased(room=command.room)]
        return [CodeClaimed(room=command.room)] if state.unclaimed else []

    def evolve(self, state: CodeState, event: CodeEvent) -> CodeState:
        version = state.version + 1
        if isinstance(event, CodeReserved):
            waits = Deadline(due_at=event.at + UNCLAIMED_MS, version=version)
            return replace(state, version=version, room=event.room, unclaimed=waits)
        if isinstance(event, CodeClaimed):
            return replace(state, version=version, unclaimed=None)
        return CodeState(version=version, earlier=(event.room, *state.earlier)[:REMEMBERED_ROOMS])

    def audiences(self, state: CodeState) -> Sequence[Viewer]:
        return ()

    def viewer(self, state: CodeState, player: str) -> Viewer | Rejection:
        return PUBLIC

    def view(self, state: CodeState, viewer: Viewer) -> CodeView:
        return CodeView(room=state.room, version=state.version)

    def tell(self, event: CodeEvent, before: CodeState, after: CodeState, viewer: Viewer) -> Sequence[Struct]:
        return ()

    def deadlines(self, state: CodeState) -> Mapping[str, Deadline]:
        return {"unclaimed": state.unclaimed} if state.unclaimed else {}
