"""When a game is on: the start, the host's stop, the result that brings everybody back to the lobby."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    EndGame,
    FinishGame,
    GameFinished,
    GameRequested,
    GameStopRequested,
    RoomClosed,
    RoomEvent,
    SeatOccupant,
    StartGame,
)
from circolo_events.decider import Context, Rejection
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from .entry import parting
from .state import RoomState


def start(state: RoomState, _command: StartGame, context: Context) -> Sequence[RoomEvent] | Rejection:
    """Nobody at a ranked table is drawn into another game by somebody else: there every seat accepts a rematch."""
    if not _enough_sit(state):
        return Rejection(RefusalCode.SEATS_EMPTY)
    if state.ranked and state.again:
        return Rejection(RefusalCode.REMATCH_ONLY)
    return [requested_now(state, context)]


def requested_now(state: RoomState, context: Context) -> GameRequested:
    """The next game of a table at which enough people sit."""
    is_party = state.descriptor.is_party
    return GameRequested(
        at=context.now, game=state.game, game_id=game_id_from(context.entropy), game_no=state.game_no + 1,
        seats=_seats_in_play(state), settings=state.settings, away=_away(state) if is_party else UNSET,
        dealer=UNSET if state.next_dealer is None else state.next_dealer, host=state.host if is_party else UNSET,
        previous=state.party, ranked=state.ranked or UNSET, totals=_totals(state),
    )  # fmt: skip


def _enough_sit(state: RoomState) -> bool:
    taken = sum(occupant is not None for occupant in state.seats)
    return taken >= (state.descriptor.least_people or len(state.seats))


def _seats_in_play(state: RoomState) -> list[SeatOccupant]:
    """Up to the last one that is taken: an empty one among them keeps the others' numbers."""
    last = max((number for number, occupant in enumerate(state.seats) if occupant is not None), default=-1)
    return [occupant or SeatOccupant() for occupant in state.seats[: last + 1]]


def _away(state: RoomState) -> list[str] | UnsetType:
    """Who sits and is not connected, by seat."""
    there = {member.player for member in state.members if member.connected}
    return [player for player in state.people if player not in there] or UNSET


def _totals(state: RoomState) -> list[int] | UnsetType:
    return list(state.totals) if state.totals and state.descriptor.adds_up else UNSET


def game_id_from(entropy: bytes) -> str:
    """A version 4 UUID as 32 hex digits, of the first 16 bytes."""
    raw = bytearray(entropy[:16])
    raw[6] = raw[6] & 0x0F | 0x40
    raw[8] = raw[8] & 0x3F | 0x80
    return raw.hex()


def end(state: RoomState, _command: EndGame, context: Context) -> Sequence[RoomEvent] | Rejection:
    """Asked once is enough: until the game's service has stopped it, a second wish is no event."""
    if state.phase != "PLAYING":
        return Rejection(RefusalCode.NO_GAME)
    if state.ranked:
        return Rejection(RefusalCode.RANKED)
    if state.stopping:
        return []
    return [GameStopRequested(at=context.now, game=state.game, game_id=state.game_id, player=context.actor.id)]


def finish(state: RoomState, command: FinishGame, context: Context) -> Sequence[RoomEvent] | Rejection:
    """Only the running game counts. Who was put out of it leaves; a room that everybody has left closes."""
    if state.phase != "PLAYING" or command.game_id != state.game_id:
        return []
    dealer = command.next_dealer if command.next_dealer is UNSET else command.next_dealer % len(state.seats)
    over = GameFinished(
        at=context.now, game_id=command.game_id, outcome=command.outcome, next_dealer=dealer, totals=command.totals
    )
    if command.idle:
        return [over, RoomClosed(at=context.now, code=state.code, reason="IDLE_GAME")]
    if not state.members:
        return [over, RoomClosed(at=context.now, code=state.code, reason="EMPTY")]
    out = _put_out(state, command)
    return [over] if out is None else [over, *parting(finished(state, over), out, context.now)]


def _put_out(state: RoomState, command: FinishGame) -> str | None:
    """Who has to leave the room: whom the others expelled and, at a ranked table, whose time ran out."""
    seat = command.abandoned_by
    if seat is UNSET or not (command.reason == "EXPELLED" or (command.reason == "TIMEOUT" and state.ranked)):
        return None
    occupant = state.seats[seat] if 0 <= seat < len(state.seats) else None
    if occupant is None or occupant.player is UNSET or state.member(occupant.player) is None:
        return None
    return occupant.player


# ---------------------------------------------------------------- what these events change


def requested(state: RoomState, event: GameRequested) -> RoomState:
    return replace(
        state, phase="PLAYING", game_id=event.game_id, game_no=event.game_no, latest_game=event.game, stopping=False,
        again=False, invitation=None,
    )  # fmt: skip


def stop_requested(state: RoomState, _event: GameStopRequested) -> RoomState:
    return replace(state, stopping=True)


def finished(state: RoomState, event: GameFinished) -> RoomState:
    """Seats that waited for somebody who left are free again, votes are void, the table may play again if nobody has
    left it; a game that never started keeps the dealer."""
    here = {m.player for m in state.members}
    seats = tuple(s if s is not None and (s.player is UNSET or s.player in here) else None for s in state.seats)
    dealer = state.next_dealer if event.next_dealer is UNSET else event.next_dealer
    return replace(
        state, phase="LOBBY", seats=seats, stopping=False, next_dealer=dealer, ballots=(), expelled="",
        again=seats == state.seats and _enough_sit(state) and event.outcome != "CANCELLED",
        totals=state.totals if event.totals is UNSET else tuple(event.totals),
    )  # fmt: skip
