"""What follows from the direction's decisions, and from a player's wish to be forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from circolo_contracts.direction import PlayerBanned, PlayerErased, PlayerMuted, PlayerWarned, Verdict
from circolo_contracts.ids import report_stream
from circolo_events.reaction import Send
from circolo_events.registry import EventRegistry
from circolo_events.store import Recorded
from msgspec import UNSET

from .commands import CloseReport, PutOut

DECISIONS = EventRegistry.of_unions(PlayerWarned | PlayerMuted | PlayerBanned | PlayerErased)
VERDICTS: dict[type, Verdict] = {PlayerWarned: "WARNED", PlayerMuted: "MUTED", PlayerBanned: "BANNED"}


def on_decision(recorded: Recorded, event: Any) -> Sequence[Send]:
    """The report that it decides is closed by it; who is banned or gone leaves his rooms."""
    sends = []
    if isinstance(event, PlayerBanned | PlayerErased):
        put_out = PutOut(ranked_only=isinstance(event, PlayerBanned))
        sends.append(Send("rooms", recorded.stream, put_out, "put out"))
    if not isinstance(event, PlayerErased) and event.report is not UNSET:
        until = UNSET if isinstance(event, PlayerWarned) else event.until
        close = CloseReport(by=event.by, verdict=VERDICTS[type(event)], until=until)
        sends.append(Send("rooms", report_stream(event.report), close, "close"))
    return sends
