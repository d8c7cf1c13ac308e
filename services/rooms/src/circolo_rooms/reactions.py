"""What follows from events: a game's end brings its room back to the lobby, a room's beginning and end its code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from circolo_contracts.cardgames import GameCancelled, MatchEnded
from circolo_contracts.codes import ClaimCode, ReleaseCode
from circolo_contracts.ids import RoomCode, RoomId, code_stream, id_of, room_stream
from circolo_contracts.rooms import FinishGame, RoomClosed, RoomCreated
from circolo_events.reaction import Send
from circolo_events.registry import EventRegistry
from circolo_events.store import Recorded

RESULTS = EventRegistry.of_unions(MatchEnded | GameCancelled)
"""What rooms reads of a game service's log."""
OWN = EventRegistry.of_unions(RoomCreated | RoomClosed)


def on_result(recorded: Recorded, event: Any) -> Sequence[Send]:
    """The next dealer sits to the right of the last one; the room counts him round its table."""
    if isinstance(event, MatchEnded):
        finish = FinishGame(
            game_id=id_of(recorded.stream), idle=event.outcome == "IDLE", outcome=event.outcome,
            next_dealer=event.last_dealer + 1, abandoned_by=event.abandoned_by, reason=event.reason,
            totals=event.totals,
        )  # fmt: skip
    else:
        finish = FinishGame(game_id=id_of(recorded.stream), idle=False, outcome="CANCELLED")
    return [Send("rooms", room_stream(RoomId(event.room)), finish, "finish")]


def on_room(recorded: Recorded, event: Any) -> Sequence[Send]:
    order = ClaimCode if isinstance(event, RoomCreated) else ReleaseCode
    return [Send("rooms", code_stream(RoomCode(event.code)), order(id_of(recorded.stream)), "code")]
