"""The decider of a solitario: who may do what, when it is over, and when nobody plays any more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from circolo_contracts.cardgames import AbandonGame, IdleTimeout, MatchEnded, Outcome, SeedRevealed, StopMatch
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.solitaire import (
    MoveCard,
    RemoveCards,
    SolitaireCommand,
    SolitaireEvent,
    SolitaireHappening,
    SolitaireView,
    StartSolitaire,
    TurnStock,
)
from circolo_events.decider import PUBLIC, Context, Deadline, Rejection, Viewer
from msgspec import UNSET

from ..games.solitario.position import Move
from ..state import IDLE_GRAIN_MS, IDLE_MS
from . import view
from .start import start
from .state import SolitaireState, evolve

COMMANDS = {command.__name__: command for command in get_args(SolitaireCommand)}
"""By their name on the wire."""


class Solitaire:
    """Implements ``circolo_events.decider.Decider``. The player sees no more than who watches: one audience."""

    initial = SolitaireState()

    def decide(
        self, state: SolitaireState, command: SolitaireCommand, context: Context
    ) -> Sequence[SolitaireEvent] | Rejection:
        decision = _decide(state, command, context)
        return Rejection(decision) if isinstance(decision, RefusalCode) else decision

    def evolve(self, state: SolitaireState, event: SolitaireEvent) -> SolitaireState:
        return evolve(state, event)

    def audiences(self, state: SolitaireState) -> Sequence[Viewer]:
        return (PUBLIC,)

    def viewer(self, state: SolitaireState, player: str) -> Viewer | Rejection:
        return Rejection(RefusalCode.NOT_FOUND) if state.version == 0 else PUBLIC

    def view(self, state: SolitaireState, viewer: Viewer) -> SolitaireView:
        return view.view(state)

    def tell(
        self, event: SolitaireEvent, before: SolitaireState, after: SolitaireState, viewer: Viewer
    ) -> Sequence[SolitaireHappening]:
        return (view.tell(event, after),)

    def deadlines(self, state: SolitaireState) -> Mapping[str, Deadline]:
        """``idle``: nobody plays any more. There is no clock."""
        if not state.is_running:
            return {}
        return {"idle": Deadline(state.idle_at + IDLE_MS + IDLE_GRAIN_MS, state.idle_version)}


def _decide(
    state: SolitaireState, command: SolitaireCommand, context: Context
) -> Sequence[SolitaireEvent] | RefusalCode:
    if isinstance(command, (RemoveCards, MoveCard, TurnStock, AbandonGame)):
        return RefusalCode.NOT_FOUND if state.version == 0 else _by_the_player(state, command, context)
    if context.actor.kind != "service":
        return RefusalCode.NOT_ALLOWED
    if isinstance(command, StartSolitaire):
        return RefusalCode.GAME_STARTED if state.version > 0 else start(command, context)
    if state.version == 0:
        return RefusalCode.NOT_FOUND
    if not state.is_running:
        return []
    if isinstance(command, StopMatch):
        return over(state, "STOPPED", context.now)
    return _idle_timeout(state, command, context)


def _by_the_player(
    state: SolitaireState, command: Move | AbandonGame, context: Context
) -> Sequence[SolitaireEvent] | RefusalCode:
    """Refusals in the order of the house: seat, game, version, then the move itself."""
    if context.actor.kind != "player" or context.actor.id != state.player or not state.player:
        return RefusalCode.NOT_IN_GAME
    if not state.is_running:
        return RefusalCode.GAME_NOT_RUNNING
    if isinstance(command, AbandonGame):
        return over(state, "ABANDONED", context.now)
    if context.expected is not UNSET and context.expected < state.version:
        return RefusalCode.STALE_VERSION
    refusal = state.rules.refusal(state.lying(), command)
    return refusal if refusal is not None else played(state, command, context.now)


def played(state: SolitaireState, move: Move, now: int) -> list[SolitaireEvent]:
    """A legal move, and the end when it is the last one: won, or nothing can come any more."""
    at = max(now, state.played_at)
    rules = state.rules
    event = rules.played(state.lying(), move, at)
    after = rules.evolve(state.lying(), event)
    if rules.is_won(after):
        return [event, *over(state, "WON", at)]
    return [event, *over(state, "BLOCKED", at)] if rules.is_blocked(after) else [event]


def over(state: SolitaireState, outcome: Outcome, at: int) -> list[SolitaireEvent]:
    """The end and, with it, the seed. Who played is seat 0 and team 0, for whoever counts results."""
    ended = MatchEnded(
        at=max(at, state.played_at), last_dealer=0, outcome=outcome, room=state.room,
        abandoned_by=0 if outcome == "ABANDONED" else UNSET, reason="LEFT" if outcome == "ABANDONED" else UNSET,
        winner=0 if outcome == "WON" else UNSET,
    )  # fmt: skip
    return [ended, SeedRevealed(state.seed)]


def _idle_timeout(state: SolitaireState, command: IdleTimeout, context: Context) -> Sequence[SolitaireEvent]:
    if command.version != state.idle_version or context.now < state.idle_at + IDLE_MS:
        return []
    return over(state, "IDLE", context.now)
