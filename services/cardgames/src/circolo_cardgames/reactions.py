"""What cardgames does when a room starts or stops a game: a command to the game's own stream."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.cardgames import AbandonSeat, StartMatch, StopMatch
from circolo_contracts.expulsion import ExpulsionDecided
from circolo_contracts.games import CATALOGUE, SOLITARIO
from circolo_contracts.ids import id_of, stream_of
from circolo_contracts.rooms import GameRequested, GameStopRequested, PlayerLeft
from circolo_contracts.solitaire import StartSolitaire
from circolo_events.reaction import Send
from circolo_events.registry import EventRegistry
from circolo_events.store import Recorded
from msgspec import UNSET

SERVICE = "cardgames"
MATCH, SOLITAIRE = "match", SOLITARIO.stream_kind
RoomOrder = GameRequested | GameStopRequested | PlayerLeft | ExpulsionDecided
ROOM_ORDERS = EventRegistry.of_unions(RoomOrder)
"""What cardgames reads of the rooms' log."""


def on_room_order(recorded: Recorded, event: RoomOrder) -> Sequence[Send]:
    """Nothing for the games of another service, and nothing when somebody left whose game does not end by it."""
    if isinstance(event, GameStopRequested):
        return _stop(event)
    if isinstance(event, PlayerLeft):
        return [] if event.game_id is UNSET else _out(event.game_id, AbandonSeat(event.player, "LEFT"))
    if isinstance(event, ExpulsionDecided):
        return _out(event.game_id, AbandonSeat(event.player, "EXPELLED"))
    descriptor = CATALOGUE.get(event.game)
    if descriptor is None or descriptor.service != SERVICE:
        return []
    stream, room = stream_of(descriptor.stream_kind, event.game_id), id_of(recorded.stream)
    start: StartMatch | StartSolitaire
    if descriptor.stream_kind == SOLITAIRE:
        start = StartSolitaire(event.game, event.game_no, room, event.seats, event.settings)
    else:
        start = StartMatch(
            event.game, event.game_no, room, event.seats, event.settings, event.dealer, event.ranked is True
        )
    return [Send(SERVICE, stream, start, "start")]


def _out(game_id: str, command: AbandonSeat) -> Sequence[Send]:
    """Only a match has seats to abandon: for another service's game it is refused here as NOT_FOUND."""
    return [Send(SERVICE, stream_of(MATCH, game_id), command, "abandon")]


def _stop(event: GameStopRequested) -> Sequence[Send]:
    """The order names the game's kind. An old one does not: it meant a match, the only kind that there was, and for
    another service's game it is refused here as NOT_FOUND."""
    kind = MATCH
    if event.game is not UNSET:
        descriptor = CATALOGUE.get(event.game)
        if descriptor is None or descriptor.service != SERVICE:
            return []
        kind = descriptor.stream_kind
    return [Send(SERVICE, stream_of(kind, event.game_id), StopMatch(), "stop")]
