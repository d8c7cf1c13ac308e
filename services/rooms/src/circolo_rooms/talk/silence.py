"""When a table is silent: in four-handed briscola during the first trick of each deal (document 004)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from circolo_contracts.cardgames import DealStarted, MatchEnded, MatchStarted, TrickEnded
from circolo_contracts.games import BRISCOLA, CATALOGUE, SettingValue
from circolo_contracts.ids import RoomId, chat_stream, id_of
from circolo_events.reaction import Send
from circolo_events.registry import EventRegistry
from circolo_events.store import Recorded

from .commands import FreeTalk, HearMatch, HushTalk

HEARD = EventRegistry.of_unions(MatchStarted | DealStarted | TrickEnded | MatchEnded)
"""What chats hear of the matches' log."""
CUT_SHORT = ("ABANDONED", "IDLE", "STOPPED")
"""Ends that may come within a first trick."""
SEATS = 4


def begins_silent(game: str, settings: Mapping[str, SettingValue]) -> bool:
    """Whether partners of such a table must not talk during a deal's first trick."""
    return game == BRISCOLA.kind and CATALOGUE[game].seat_count(settings) == SEATS


def on_match(recorded: Recorded, event: Any) -> Sequence[Send]:
    """A deal after the first, and a trick, do not say which room or game they are of: a process looks that up."""
    if isinstance(event, MatchStarted):
        if not begins_silent(event.game, event.settings):
            return []
        hush = HushTalk(game_id=event.game_id, game_no=event.game_no)
        return [Send("rooms", chat_stream(RoomId(event.room)), hush, "hush")]
    if isinstance(event, MatchEnded):
        if event.outcome not in CUT_SHORT:
            return []
        free = FreeTalk(game_id=id_of(recorded.stream))
        return [Send("rooms", chat_stream(RoomId(event.room)), free, "free")]
    if isinstance(event, DealStarted):
        return [Send("rooms", recorded.stream, HearMatch(silent=True), "hush")] if event.deal_no > 1 else []
    if event.trick_no > 1 or len(event.drawn) != SEATS:  # only at such a table four draw
        return []
    return [Send("rooms", recorded.stream, HearMatch(silent=False), "free")]
