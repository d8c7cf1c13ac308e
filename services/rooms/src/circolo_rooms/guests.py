"""Signing in as a guest, being renamed, keeping a token alive: where a name meets its event."""

from __future__ import annotations

from circolo_contracts.ids import id_of
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import RefreshToken, RenamePlayer, SignInAsGuest
from circolo_contracts.wire import Actor, Answer, Command, Done, Refused
from circolo_events import canonical
from circolo_events.decider import Rejection
from circolo_events.runtime import Runtime
from msgspec import Raw
from msgspec.structs import replace

from .commands import ChangeName, Identify, RegisterPlayer
from .errands import ROOMS, UNDECIDED, Handler, instead, reading
from .names import display_name
from .player import PlayerState
from .profiles import Profiles
from .tokens import TokenIssuer


class Guests:
    def __init__(self, runtime: Runtime, profiles: Profiles, tokens: TokenIssuer) -> None:
        self.runtime = runtime
        self.profiles = profiles
        self.tokens = tokens

    def handlers(self) -> dict[str, Handler]:
        return {
            "SignInAsGuest": reading(SignInAsGuest, ("player",), self.sign_in),
            "RenamePlayer": reading(RenamePlayer, ("player",), self.rename),
            "RefreshToken": reading(RefreshToken, ("player",), self.refresh),
        }

    async def sign_in(self, stream: str, command: Command, wish: SignInAsGuest) -> Answer:
        """To the stream of a new player; the same command again signs the same player in again."""
        return await self._with_token(stream, await self._name(stream, command, wish.name, RegisterPlayer, ROOMS))

    async def rename(self, stream: str, command: Command, wish: RenamePlayer) -> Answer:
        return await self._name(stream, command, wish.name, ChangeName, command.actor)

    async def refresh(self, stream: str, command: Command, _wish: RefreshToken) -> Answer:
        """Also with a token of an earlier epoch, by who was banned: the new one says what he is now."""
        return await self._with_token(stream, await self.runtime.execute(stream, instead(command, Identify())))

    async def _name(
        self, stream: str, command: Command, text: str, event_of: type[RegisterPlayer | ChangeName], actor: Actor
    ) -> Answer:
        """Draft, event, profile. Whatever dies in between is mended by a repetition or by the sweep."""
        player = id_of(stream)
        name = display_name(text)
        if isinstance(name, Rejection):
            return Refused(name.code, field=name.field)
        draft = await self.profiles.draft(command.id, player, name)
        if draft.name != name:
            return Refused(RefusalCode.KEY_REUSED)
        answer = await self.runtime.execute(stream, instead(command, event_of(draft.digest), actor=actor))
        if isinstance(answer, Done):
            await self.profiles.publish(command.id, answer.version)
            if answer.replayed and await self.profiles.named_by(command.id, player) not in (name, None):
                return Refused(RefusalCode.KEY_REUSED)
        elif isinstance(answer, Refused) and answer.code not in UNDECIDED:
            await self.profiles.discard(command.id, player)
        return answer

    async def _with_token(self, stream: str, answer: Answer) -> Answer:
        """Whoever was erased since gets none, also for a repetition of what he did before."""
        if not isinstance(answer, Done):
            return answer
        player: PlayerState = self.runtime.cached(stream) or await self.runtime.state(stream)
        if not player.is_here:
            return Refused(RefusalCode.UNAUTHENTICATED)
        token = self.tokens.issue(player.player, epoch=player.epoch, roles=player.roles)
        return replace(answer, extra=Raw(canonical.encode(token)))
