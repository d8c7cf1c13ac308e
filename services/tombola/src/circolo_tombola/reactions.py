"""What tombola does when something happens in a room: commands to the game's own stream."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.cardgames import StopMatch
from circolo_contracts.evening import SupersedeGame
from circolo_contracts.games import TOMBOLA
from circolo_contracts.ids import id_of, kind_of, stream_of
from circolo_contracts.rooms import (
    GameRequested,
    GameStopRequested,
    HostChanged,
    PlayerDisconnected,
    PlayerLeft,
)
from circolo_contracts.tombola import ChangeHost, HostAway, StartTombola
from circolo_events.reaction import Send
from circolo_events.registry import EventRegistry
from circolo_events.store import Recorded
from msgspec import UNSET, UnsetType

SERVICE = TOMBOLA.service
GAME, MARKS = TOMBOLA.stream_kind, "marks"
RoomOrder = GameRequested | GameStopRequested | HostChanged | PlayerDisconnected | PlayerLeft
ROOM_ORDERS = EventRegistry.of_unions(RoomOrder)
"""What tombola reads of the rooms' log. A display that goes is no event there: it holds no presence."""


def on_room_order(recorded: Recorded, event: RoomOrder) -> Sequence[Send]:
    """Nothing for the games of another service."""
    if isinstance(event, GameRequested):
        return [*_superseding(event), *_starting(event, id_of(recorded.stream))]
    if isinstance(event, GameStopRequested):
        if event.game != TOMBOLA.kind:
            return []
        return [Send(SERVICE, stream_of(GAME, event.game_id), StopMatch(), "stop")]
    stream = _tombola(event.during)
    if stream is None:
        return []
    if isinstance(event, HostChanged):
        return [Send(SERVICE, stream, ChangeHost(event.away is True, event.player), "host")]
    return [Send(SERVICE, stream, HostAway(event.player), "away")]


def _starting(event: GameRequested, room: str) -> Sequence[Send]:
    if event.game != TOMBOLA.kind or event.host is UNSET:
        return []
    start = StartTombola(event.game, event.game_no, event.host, room, event.seats, event.settings)
    return [Send(SERVICE, stream_of(GAME, event.game_id), start, "start")]


def _superseding(event: GameRequested) -> Sequence[Send]:
    """Whatever the room plays next."""
    stream = _tombola(event.previous)
    return [] if stream is None else [Send(SERVICE, stream, SupersedeGame(event.game_id), "supersede")]


def _tombola(stream: str | UnsetType) -> str | None:
    return stream if stream is not UNSET and kind_of(stream) == GAME else None
