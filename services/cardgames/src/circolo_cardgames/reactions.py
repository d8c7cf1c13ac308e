"""What cardgames does when a room starts or stops a game: a command to the match's own stream."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.cardgames import StartMatch, StopMatch
from circolo_contracts.games import CATALOGUE
from circolo_contracts.ids import id_of, stream_of
from circolo_contracts.rooms import GameRequested, GameStopRequested
from circolo_events.reaction import Send
from circolo_events.registry import EventRegistry
from circolo_events.store import Recorded

SERVICE = "cardgames"
STREAM_KIND = "match"
ROOM_ORDERS = EventRegistry.of_unions(GameRequested | GameStopRequested)
"""What cardgames reads of the rooms' log."""


def on_room_order(recorded: Recorded, event: GameRequested | GameStopRequested) -> Sequence[Send]:
    """Nothing for the games of another service.

    A stop does not say which game it is about; for another service's it is refused here as NOT_FOUND.
    """
    stream = stream_of(STREAM_KIND, event.game_id)
    if isinstance(event, GameStopRequested):
        return [Send(SERVICE, stream, StopMatch(), "stop")]
    descriptor = CATALOGUE.get(event.game)
    if descriptor is None or descriptor.service != SERVICE:
        return []
    start = StartMatch(
        game=event.game, game_no=event.game_no, room=id_of(recorded.stream), seats=event.seats,
        settings=event.settings, dealer=event.dealer,
    )  # fmt: skip
    return [Send(SERVICE, stream, start, "start")]
