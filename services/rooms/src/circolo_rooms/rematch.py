"""Rematches without end: the table head invites, every seat accepts, the seats stay and the deal goes round.

A table may play again as long as it stays as it was: whoever leaves or changes his seat, and every other change of the
table, ends the series and the open invitation with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rematch import (
    AcceptRematch,
    OfferRematch,
    RematchAccepted,
    RematchOffered,
    RematchView,
    RematchWithdrawn,
    WithdrawRematch,
)
from circolo_contracts.rooms import RoomEvent
from circolo_events.decider import Context, Rejection
from msgspec.structs import replace

from .play import requested_now
from .state import Invitation, RoomState


def offer(state: RoomState, _command: OfferRematch, context: Context) -> Sequence[RoomEvent] | Rejection:
    """While an invitation is open, another one is a yes to it: two at once make one rematch."""
    if not state.again:
        return Rejection(RefusalCode.NO_REMATCH)
    head = context.actor.id
    if state.invitation is None:
        offered = RematchOffered(at=context.now, game_id=state.game_id, player=head)
        return [offered, *_begun(invited(state, offered), context)]
    return [] if state.seat_of(head) is None else _yes(state, head, context)


def accept(state: RoomState, _command: AcceptRematch, context: Context) -> Sequence[RoomEvent] | Rejection:
    if state.seat_of(context.actor.id) is None:
        return Rejection(RefusalCode.NOT_IN_GAME)
    if state.invitation is None:
        return Rejection(RefusalCode.NOT_OFFERED)
    return _yes(state, context.actor.id, context)


def withdraw(state: RoomState, _command: WithdrawRematch, context: Context) -> Sequence[RoomEvent] | Rejection:
    player, invitation = context.actor.id, state.invitation
    if invitation is None:
        return Rejection(RefusalCode.NOT_OFFERED)
    if player not in (state.host, invitation.offered_by, *invitation.accepted):
        return []
    return [RematchWithdrawn(at=context.now, player=player)]


def _yes(state: RoomState, player: str, context: Context) -> Sequence[RoomEvent]:
    if state.invitation is not None and player in state.invitation.accepted:
        return []
    accepted = RematchAccepted(at=context.now, player=player)
    return [accepted, *_begun(said_yes(state, accepted), context)]


def _begun(state: RoomState, context: Context) -> Sequence[RoomEvent]:
    """The game, when nobody is missing any more."""
    yes = () if state.invitation is None else state.invitation.accepted
    return [requested_now(state, context)] if all(player in yes for player in state.people) else []


def seen(state: RoomState) -> RematchView | None:
    if state.invitation is None:
        return None
    return RematchView(accepted=list(state.invitation.accepted), offered_by=state.invitation.offered_by)


# ---------------------------------------------------------------- what these events change


def invited(state: RoomState, event: RematchOffered) -> RoomState:
    sits = state.seat_of(event.player) is not None
    return replace(state, invitation=Invitation(event.player, (event.player,) if sits else ()))


def said_yes(state: RoomState, event: RematchAccepted) -> RoomState:
    if state.invitation is None:
        return state
    accepted = (*state.invitation.accepted, event.player)
    return replace(state, invitation=replace(state.invitation, accepted=accepted))


def withdrawn(state: RoomState, event: RematchWithdrawn) -> RoomState:
    invitation = state.invitation
    if invitation is None or event.player in (state.host, invitation.offered_by):
        return replace(state, invitation=None)
    accepted = tuple(player for player in invitation.accepted if player != event.player)
    return replace(state, invitation=replace(invitation, accepted=accepted))


def unless_changed(before: RoomState, after: RoomState) -> RoomState:
    """Another table than before is no table for a rematch."""
    same = (before.seats, before.game, before.settings) == (after.seats, after.game, after.settings)
    if same or not (after.again or after.invitation):
        return after
    return replace(after, again=False, invitation=None)
