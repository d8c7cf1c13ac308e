"""From the events of a finished match to its record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from circolo_contracts.cardgames import (
    CardPlayed,
    DealEnded,
    DealStarted,
    DealVoided,
    Declared,
    MatchEnded,
    MatchEvent,
    MatchStarted,
    SeedRevealed,
)
from circolo_contracts.games import SettingValue
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.solitaire import SolitaireStarted
from circolo_service.export import Unreadable
from msgspec import UNSET

from circolo_cardgames.notation import written

FORMAT = "circolo-record-1"


def match_record(events: Sequence[MatchEvent]) -> str:
    """Raises Unreadable for a match that never started or is not over: its seed is still secret."""
    started = events[0] if events else None
    if not isinstance(started, MatchStarted):
        raise Unreadable("this match never started")
    if not isinstance(events[-1], SeedRevealed):
        raise Unreadable("this match is not over yet: its seed is still secret")
    ended = next(event for event in events if isinstance(event, MatchEnded))
    more: dict[str, object] = {"Dealer": started.dealer}
    if started.ranked is True:
        more["Ranked"] = "true"
    return page(headers(started, started.seats, ended, more), body_of(events))


def page(tags: Mapping[str, object], body: Iterable[str]) -> str:
    return "\n".join([*(f'[{name} "{value}"]' for name, value in tags.items()), "", *body]) + "\n"


def headers(
    started: MatchStarted | SolitaireStarted, seats: Sequence[SeatOccupant], ended: MatchEnded, more: dict[str, object]
) -> dict[str, object]:
    """Everything that the game can be dealt again from, and how it ended."""
    return {
        "Format": FORMAT, "Game": started.game, "GameId": started.game_id, "Room": started.room,
        "GameNo": started.game_no, "Started": _moment(started.at), "Ended": _moment(ended.at),
        **{f"Seat{seat}": _occupant(who) for seat, who in enumerate(seats)},
        **{f"Setting.{name}": _word(value) for name, value in started.settings.items()},
        **more, "Commitment": started.commitment, "Seed": started.seed, "Result": result_of(ended),
    }  # fmt: skip


def body_of(events: Sequence[MatchEvent]) -> Iterator[str]:
    number = 0
    for event in events:
        if isinstance(event, (CardPlayed, Declared)):
            number += 1
            yield f"{number}. {event.seat} {written(event)}{_marks(event)}"
        else:
            yield from _marker(event)


def _marks(event: CardPlayed | Declared) -> str:
    if isinstance(event, Declared):
        return ""
    return (" #" if event.sweep is True else "") + (" @" if event.automatic else "")


def _marker(event: MatchEvent) -> Iterator[str]:
    if isinstance(event, DealStarted):
        yield f"deal {event.deal_no}, shuffle {event.shuffle_no}, seat {event.dealer} deals"
    elif isinstance(event, DealVoided):
        yield f"deal {event.deal_no} is void: {' '.join(event.opened)}"
    elif isinstance(event, DealEnded):
        yield f"deal {event.deal_no} ends {_row(event.points)}, score {_row(event.won)}"
    elif isinstance(event, MatchEnded):
        yield result_of(event)


def result_of(event: MatchEnded) -> str:
    if event.abandoned_by is not UNSET:
        by_others = "" if event.reason in (UNSET, "LEFT") else f" ({event.reason})"
        return f"{event.outcome} by seat {event.abandoned_by}{by_others}"
    return event.outcome if event.winner is UNSET else f"{event.outcome} by team {event.winner}"


def _row(numbers: Sequence[int]) -> str:
    return "-".join(map(str, numbers))


def _moment(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _occupant(who: SeatOccupant) -> str:
    return f"cpu {who.cpu}" if who.player is UNSET else f"player {who.player}"


def _word(value: SettingValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
