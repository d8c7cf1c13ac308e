"""What cardgames does when a room starts or stops a game. The effect is a command to the match's own stream."""

from __future__ import annotations

from circolo_contracts.cardgames import StartMatch, StopMatch
from circolo_contracts.games import CATALOGUE
from circolo_contracts.ids import RoomId, Stream, stream_of
from circolo_contracts.rooms import GameRequested, GameStopRequested

SERVICE = "cardgames"
STREAM_KIND = "match"


def start_requested_match(room: RoomId, event: GameRequested) -> tuple[Stream, StartMatch] | None:
    """None for the games of another service. ``room`` is the id of the event's stream."""
    descriptor = CATALOGUE.get(event.game)
    if descriptor is None or descriptor.service != SERVICE:
        return None
    command = StartMatch(
        game=event.game, game_no=event.game_no, room=room, seats=event.seats, settings=event.settings,
        dealer=event.dealer,
    )  # fmt: skip
    return stream_of(STREAM_KIND, event.game_id), command


def stop_match(event: GameStopRequested) -> tuple[Stream, StopMatch]:
    """Also asked for another service's game, whose id is no match here: that is refused as NOT_FOUND."""
    return stream_of(STREAM_KIND, event.game_id), StopMatch()
