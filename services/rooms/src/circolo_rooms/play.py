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
    StartGame,
)
from circolo_events.decider import Context, Rejection
from msgspec import UNSET
from msgspec.structs import replace

from .state import RoomState


def start(state: RoomState, _command: StartGame, context: Context) -> Sequence[RoomEvent] | Rejection:
    seats = [occupant for occupant in state.seats if occupant is not None]
    if len(seats) < len(state.seats):
        return Rejection(RefusalCode.SEATS_EMPTY)
    requested = GameRequested(
        at=context.now, game=state.game, game_id=game_id_from(context.entropy), game_no=state.game_no + 1, seats=seats,
        settings=state.settings, dealer=UNSET if state.next_dealer is None else state.next_dealer,
    )  # fmt: skip
    return [requested]


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
    if state.stopping:
        return []
    return [GameStopRequested(at=context.now, game=state.game, game_id=state.game_id, player=context.actor.id)]


def finish(state: RoomState, command: FinishGame, context: Context) -> Sequence[RoomEvent] | Rejection:
    """Only the running game counts. A room that everybody has left meanwhile closes."""
    if state.phase != "PLAYING" or command.game_id != state.game_id:
        return []
    dealer = command.next_dealer if command.next_dealer is UNSET else command.next_dealer % len(state.seats)
    events: list[RoomEvent] = [
        GameFinished(at=context.now, game_id=command.game_id, outcome=command.outcome, next_dealer=dealer)
    ]
    if command.idle:
        events.append(RoomClosed(at=context.now, code=state.code, reason="IDLE_GAME"))
    elif not state.members:
        events.append(RoomClosed(at=context.now, code=state.code, reason="EMPTY"))
    return events


# ---------------------------------------------------------------- what these events change


def requested(state: RoomState, event: GameRequested) -> RoomState:
    return replace(
        state, phase="PLAYING", game_id=event.game_id, game_no=event.game_no, latest_game=event.game, stopping=False
    )


def stop_requested(state: RoomState, _event: GameStopRequested) -> RoomState:
    return replace(state, stopping=True)


def finished(state: RoomState, event: GameFinished) -> RoomState:
    """Seats that waited for somebody who left are free again; a game that never started keeps the dealer."""
    here = {m.player for m in state.members}
    seats = tuple(s if s is not None and (s.player is UNSET or s.player in here) else None for s in state.seats)
    dealer = state.next_dealer if event.next_dealer is UNSET else event.next_dealer
    return replace(state, phase="LOBBY", seats=seats, stopping=False, next_dealer=dealer)
