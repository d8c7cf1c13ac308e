"""``player-<id>``: who a player is, what he may do in the house, and what the direction has decided about him.

His name is elsewhere and can be erased; here is only its digest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from circolo_contracts.direction import (
    LONGEST_SANCTION_MS,
    GrantRole,
    PlayerBanned,
    PlayerErased,
    PlayerMuted,
    PlayerWarned,
    RevokeRole,
    Role,
    RoleGranted,
    RoleRevoked,
)
from circolo_contracts.ids import id_of
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import PlayerEvent, PlayerRegistered, PlayerRenamed, PlayerView
from circolo_events.decider import PUBLIC, Context, Deadline, Rejection, Viewer
from msgspec import UNSET, Struct
from msgspec.structs import replace

from .commands import ChangeName, Identify, RegisterPlayer
from .direction.commands import Ban, Erase, Mute, Warn

PlayerCommand = RegisterPlayer | ChangeName | Identify | GrantRole | RevokeRole | Warn | Mute | Ban | Erase
OWN = Viewer.of_seat(0)
"""The player himself, before his own stream."""


class PlayerState(Struct, frozen=True):
    version: int = 0
    player: str = ""
    name_digest: str = ""
    roles: tuple[Role, ...] = ()
    """In alphabetical order."""
    epoch: int = 0
    """Tokens of an earlier one are refused."""
    warnings: int = 0
    muted_until: int = 0
    banned_until: int = 0
    erased: bool = False

    @property
    def is_here(self) -> bool:
        """Signed in once, and not erased."""
        return self.version > 0 and not self.erased

    def is_muted(self, now: int) -> bool:
        return now < self.muted_until

    def is_banned(self, now: int) -> bool:
        return now < self.banned_until

    def directs(self, now: int) -> bool:
        """Whether he acts for the direction."""
        return self.is_here and "OPERATOR" in self.roles and not self.is_banned(now)


Decision = Sequence[PlayerEvent] | Rejection


class PlayerDecider:
    initial = PlayerState()

    def decide(self, state: PlayerState, command: PlayerCommand, context: Context) -> Decision:
        if isinstance(command, RegisterPlayer):
            if context.actor.kind != "service" or state.version:
                return Rejection(RefusalCode.NOT_ALLOWED)
            return [PlayerRegistered(at=context.now, name_digest=command.name_digest, player=id_of(context.stream))]
        if isinstance(command, ChangeName | Identify | Erase):
            return _by_himself(state, command, context)
        if context.actor.kind != "service":
            return Rejection(RefusalCode.NOT_ALLOWED)
        if not state.is_here:
            return Rejection(RefusalCode.NOT_FOUND)
        if isinstance(command, GrantRole | RevokeRole):
            return _role(state, command, context)
        return _sanction(state, command, context)

    def evolve(self, state: PlayerState, event: PlayerEvent) -> PlayerState:
        return replace(CHANGES[type(event)](state, event), version=state.version + 1)

    def audiences(self, state: PlayerState) -> Sequence[Viewer]:
        return (PUBLIC, OWN)

    def viewer(self, state: PlayerState, player: str) -> Viewer | Rejection:
        return OWN if player and player == state.player else PUBLIC

    def view(self, state: PlayerState, viewer: Viewer) -> PlayerView:
        public = PlayerView(player=state.player, version=state.version, erased=state.erased)
        if viewer != OWN:
            return public
        return replace(
            public, banned_until=state.banned_until or UNSET, muted_until=state.muted_until or UNSET,
            roles=list(state.roles), warnings=state.warnings,
        )  # fmt: skip

    def tell(self, event: PlayerEvent, before: PlayerState, after: PlayerState, viewer: Viewer) -> Sequence[Struct]:
        return ()

    def deadlines(self, state: PlayerState) -> Mapping[str, Deadline]:
        return {}


def _by_himself(state: PlayerState, command: ChangeName | Identify | Erase, context: Context) -> Decision:
    """Who was erased is nobody, also to himself; asking for it once more is no mistake."""
    if state.erased and isinstance(command, Erase):
        return []
    if not state.is_here:
        return Rejection(RefusalCode.UNAUTHENTICATED)
    if context.actor.kind != "player" or context.actor.id != state.player:
        return Rejection(RefusalCode.NOT_ALLOWED)
    if isinstance(command, ChangeName):
        return [PlayerRenamed(name_digest=command.name_digest)]
    return [PlayerErased(at=context.now, epoch=state.epoch + 1)] if isinstance(command, Erase) else []


def _role(state: PlayerState, command: GrantRole | RevokeRole, context: Context) -> Decision:
    has, by = command.role in state.roles, context.actor.id
    if isinstance(command, GrantRole):
        return [] if has else [RoleGranted(at=context.now, by=by, role=command.role)]
    return [RoleRevoked(at=context.now, by=by, epoch=state.epoch + 1, role=command.role)] if has else []


def _sanction(state: PlayerState, command: Warn | Mute | Ban, context: Context) -> Decision:
    """Nobody judges himself. A later decision replaces the earlier one, so that an end can be brought forward."""
    now = context.now
    if command.by == state.player:
        return Rejection(RefusalCode.NOT_ALLOWED)
    if isinstance(command, Warn):
        return [PlayerWarned(at=now, by=command.by, reason=command.reason, report=command.report)]
    if not now < command.until <= now + LONGEST_SANCTION_MS:
        return Rejection(RefusalCode.MALFORMED, "until")
    if isinstance(command, Mute):
        muted = PlayerMuted(at=now, by=command.by, reason=command.reason, until=command.until, report=command.report)
        return [muted]
    banned = PlayerBanned(
        at=now, by=command.by, epoch=state.epoch + 1, reason=command.reason, until=command.until,
        report=command.report,
    )  # fmt: skip
    return [banned]


# ---------------------------------------------------------------- what these events change


def _granted(state: PlayerState, event: RoleGranted) -> PlayerState:
    return replace(state, roles=tuple(sorted({*state.roles, event.role})))


def _revoked(state: PlayerState, event: RoleRevoked) -> PlayerState:
    return replace(state, epoch=event.epoch, roles=tuple(role for role in state.roles if role != event.role))


CHANGES: dict[type[Struct], Callable[[PlayerState, Any], PlayerState]] = {
    PlayerRegistered: lambda _, event: PlayerState(player=event.player, name_digest=event.name_digest),
    PlayerRenamed: lambda state, event: replace(state, name_digest=event.name_digest),
    RoleGranted: _granted,
    RoleRevoked: _revoked,
    PlayerWarned: lambda state, _: replace(state, warnings=state.warnings + 1),
    PlayerMuted: lambda state, event: replace(state, muted_until=event.until),
    PlayerBanned: lambda state, event: replace(state, banned_until=event.until, epoch=event.epoch),
    PlayerErased: lambda state, event: replace(state, epoch=event.epoch, erased=True, name_digest="", roles=()),
}
