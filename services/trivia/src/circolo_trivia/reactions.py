"""What trivia does when a room starts or stops a game, and when its people come and go while a night is on."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.cardgames import StopMatch
from circolo_contracts.direction import PlayerErased
from circolo_contracts.games import TRIVIA
from circolo_contracts.ids import id_of, kind_of, stream_of
from circolo_contracts.rooms import (
    GameRequested,
    GameStopRequested,
    HostChanged,
    PlayerConnected,
    PlayerDisconnected,
    PlayerLeft,
)
from circolo_contracts.trivia import OrderTrivia
from circolo_events.reaction import Send
from circolo_events.registry import EventRegistry
from circolo_events.store import Recorded
from msgspec import UNSET, Struct, UnsetType

from .commands import ForgetQuestions, MarkAway, MarkBack, MarkLeft, MoveHost, RetireGame
from .errands import BANK, SERVICE

RoomOrder = (
    GameRequested | GameStopRequested | HostChanged | PlayerConnected | PlayerDisconnected | PlayerLeft | PlayerErased
)
ROOM_ORDERS = EventRegistry.of_unions(RoomOrder)
"""What trivia reads of the rooms' log."""


def on_room_order(recorded: Recorded, event: RoomOrder) -> Sequence[Send]:
    """Nothing for the games of another service."""
    if isinstance(event, GameRequested):
        return [*_retire(event), *_order(id_of(recorded.stream), event)]
    if isinstance(event, GameStopRequested):
        stream = stream_of(TRIVIA.stream_kind, event.game_id)
        return [Send(SERVICE, stream, StopMatch(), "stop")] if event.game == TRIVIA.kind else []
    if isinstance(event, PlayerErased):
        return [Send(SERVICE, stream_of(BANK, id_of(recorded.stream)), ForgetQuestions(), "forget")]
    if isinstance(event, HostChanged):
        return _during(event.during, MoveHost(event.player))
    if isinstance(event, PlayerConnected):
        return _during(event.during, MarkBack(event.player))
    if isinstance(event, PlayerDisconnected):
        return _during(event.during, MarkAway(event.at, event.player))
    return _during(event.during, MarkLeft(event.player))


def _order(room: str, event: GameRequested) -> Sequence[Send]:
    if event.game != TRIVIA.kind:
        return []
    order = OrderTrivia(
        game=event.game, game_no=event.game_no, host="" if event.host is UNSET else event.host, room=room,
        seats=event.seats, settings=event.settings, away=event.away, totals=event.totals,
    )  # fmt: skip
    return [Send(SERVICE, stream_of(TRIVIA.stream_kind, event.game_id), order, "start")]


def _retire(event: GameRequested) -> Sequence[Send]:
    """The night before, whatever the room plays next."""
    return _during(event.previous, RetireGame(event.game_id), "retire")


def _during(stream: str | UnsetType, command: Struct, rule: str = "people") -> Sequence[Send]:
    if stream is UNSET or kind_of(stream) != TRIVIA.stream_kind:
        return []
    return [Send(SERVICE, stream, command, rule)]
