"""A patience with everything that is hidden, and what each event changes in it."""

from __future__ import annotations

from circolo_contracts.cardgames import GameCancelled, MatchEnded, MatchResult, SeedRevealed
from circolo_contracts.games import SettingValue
from circolo_contracts.solitaire import SolitaireEvent, SolitaireStarted
from msgspec import Struct, field
from msgspec.structs import replace

from ..games.solitario import rules_of
from ..games.solitario.position import PatienceRules, Played, Position
from ..state import IDLE_GRAIN_MS


class SolitaireState(Struct, frozen=True):
    """``version`` 0: there is no such patience (yet)."""

    version: int = 0
    commitment: str = ""
    game: str = ""
    game_id: str = ""
    game_no: int = 0
    idle_at: int = 0
    """From when 24 hours are counted; the event of ``idle_version`` set it."""
    idle_version: int = 0
    played_at: int = 0
    """When the last move was made, ms since 1970."""
    player: str = ""
    position: Position | None = None
    """None only for one that never started."""
    result: MatchResult | None = None
    revealed: bool = False
    room: str = ""
    seed: str = ""
    settings: dict[str, SettingValue] = field(default_factory=dict)
    started_at: int = 0

    @property
    def is_running(self) -> bool:
        return self.version > 0 and self.result is None

    @property
    def rules(self) -> PatienceRules:
        return rules_of(self.settings)

    def lying(self) -> Position:
        """Of a patience that was started."""
        assert self.position is not None
        return self.position


def evolve(state: SolitaireState, event: SolitaireEvent) -> SolitaireState:
    """Events record results, so nothing is decided here and no seed is used."""
    version = state.version + 1
    if isinstance(event, SolitaireStarted):
        return _started(event, version)
    if isinstance(event, MatchEnded):
        result = MatchResult(event.outcome, event.abandoned_by, event.winner, event.reason)
        return replace(state, version=version, result=result)
    if isinstance(event, SeedRevealed):
        return replace(state, version=version, revealed=True)
    if isinstance(event, GameCancelled):
        return SolitaireState(
            version=version, game=event.game, game_id=event.game_id, result=MatchResult("CANCELLED"), revealed=True,
            room=event.room, started_at=event.at,
        )  # fmt: skip
    return _played(state, event, version)


def _started(event: SolitaireStarted, version: int) -> SolitaireState:
    return SolitaireState(
        version=version, commitment=event.commitment, game=event.game, game_id=event.game_id, game_no=event.game_no,
        idle_at=event.at, idle_version=version, played_at=event.at, player=event.player,
        position=rules_of(event.settings).deal(event.deck, int(event.settings["redeals"])),
        room=event.room, seed=event.seed, settings=event.settings, started_at=event.at,
    )  # fmt: skip


def _played(state: SolitaireState, event: Played, version: int) -> SolitaireState:
    position = state.rules.evolve(state.lying(), event)
    if event.at - state.idle_at >= IDLE_GRAIN_MS:
        return replace(
            state, version=version, position=position, played_at=event.at, idle_at=event.at, idle_version=version
        )
    return replace(state, version=version, position=position, played_at=event.at)
