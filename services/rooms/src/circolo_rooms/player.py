"""``player-<id>``: who a player is. His name is elsewhere and can be erased; here is only its digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from circolo_contracts.ids import id_of
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import PlayerEvent, PlayerRegistered, PlayerRenamed, PlayerView
from circolo_events.decider import PUBLIC, Context, Deadline, Rejection, Viewer
from msgspec import Struct
from msgspec.structs import replace

from .commands import ChangeName, Identify, RegisterPlayer

PlayerCommand = RegisterPlayer | ChangeName | Identify


class PlayerState(Struct, frozen=True):
    version: int = 0
    player: str = ""
    name_digest: str = ""


class PlayerDecider:
    initial = PlayerState()

    def decide(self, state: PlayerState, command: PlayerCommand, context: Context) -> Sequence[PlayerEvent] | Rejection:
        if isinstance(command, RegisterPlayer):
            if context.actor.kind != "service" or state.version:
                return Rejection(RefusalCode.NOT_ALLOWED)
            return [PlayerRegistered(at=context.now, name_digest=command.name_digest, player=id_of(context.stream))]
        if not state.version:
            return Rejection(RefusalCode.UNAUTHENTICATED)
        if context.actor.kind != "player" or context.actor.id != state.player:
            return Rejection(RefusalCode.NOT_ALLOWED)
        if isinstance(command, ChangeName):
            return [PlayerRenamed(name_digest=command.name_digest)]
        return []

    def evolve(self, state: PlayerState, event: PlayerEvent) -> PlayerState:
        version = state.version + 1
        if isinstance(event, PlayerRegistered):
            return PlayerState(version, event.player, event.name_digest)
        return replace(state, version=version, name_digest=event.name_digest)

    def audiences(self, state: PlayerState) -> Sequence[Viewer]:
        return (PUBLIC,)

    def viewer(self, state: PlayerState, player: str) -> Viewer | Rejection:
        return PUBLIC

    def view(self, state: PlayerState, viewer: Viewer) -> PlayerView:
        return PlayerView(player=state.player, version=state.version)

    def tell(self, event: PlayerEvent, before: PlayerState, after: PlayerState, viewer: Viewer) -> Sequence[Struct]:
        return ()

    def deadlines(self, state: PlayerState) -> Mapping[str, Deadline]:
        return {}
