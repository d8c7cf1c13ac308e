"""The record of a solitario: a line a move, with the cards that it uncovered in brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from circolo_contracts.cardgames import AbandonGame, IdleTimeout, MatchEnded, SeedRevealed, StopMatch
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.solitaire import (
    CardMoved,
    CardsRemoved,
    SolitaireEvent,
    SolitaireStarted,
    StockTurned,
    WasteTurned,
)
from circolo_service.export import Unreadable
from msgspec import UNSET

from circolo_cardgames.games.solitario.notation import written
from circolo_cardgames.rehearsal import SERVICE
from circolo_cardgames.solitaire.rehearsal import SolitaireRehearsal
from circolo_cardgames.state import IDLE_GRAIN_MS, IDLE_MS

from .read import Body, Tags, compare, game_number, promised, seat_in, settings_in
from .write import headers, page, result_of

_MOVE = re.compile(r"\d+\. (\S+)(?: \([^)]*\))?")


def patience_record(events: Sequence[SolitaireEvent]) -> str:
    """Of events that begin with ``SolitaireStarted``. Raises Unreadable for one that is not over."""
    started = events[0]
    assert isinstance(started, SolitaireStarted)
    if not isinstance(events[-1], SeedRevealed):
        raise Unreadable("this solitario is not over yet: its seed is still secret")
    ended = next(event for event in events if isinstance(event, MatchEnded))
    return page(headers(started, [SeatOccupant(player=started.player)], ended, {}), body_of(events))


def body_of(events: Sequence[SolitaireEvent]) -> Iterator[str]:
    number = 0
    for event in events:
        if isinstance(event, SolitaireStarted):
            yield f"open: {' '.join(event.opened)}"
        elif isinstance(event, MatchEnded):
            yield result_of(event)
        elif isinstance(event, (CardsRemoved, CardMoved, StockTurned, WasteTurned)):
            number += 1
            seen = event.revealed if isinstance(event, CardsRemoved) else []
            seen = [event.card] if isinstance(event, StockTurned) else seen
            yield f"{number}. {written(event)}" + (f" ({' '.join(seen)})" if seen else "")


def read_patience(tags: Tags, body: Body) -> list[SolitaireEvent]:
    """The solitario, played again by the rules. Raises Unreadable, naming the line."""
    game_id, seed = promised(tags)
    who = seat_in(tags, 0).player
    if who is UNSET:
        raise Unreadable("a CPU plays no solitario")
    played = SolitaireRehearsal(
        settings_in(tags["Game"], tags), seed=seed, game_id=game_id, room=tags.get("Room", ""),
        game_no=game_number(tags), player=who,
    )  # fmt: skip
    for place, line in body:
        move = _MOVE.fullmatch(line)
        if move is not None:
            try:
                played.play(move[1])
            except ValueError as error:
                raise Unreadable(f"line {place}: {error}") from error
    _end(played, tags.get("Result", ""))
    compare(body, list(body_of(played.events)))
    return played.events


def _end(played: SolitaireRehearsal, result: str) -> None:
    """What ended it before the last move."""
    if result == "ABANDONED by seat 0":
        played.do(AbandonGame())
    elif result == "STOPPED":
        played.do(StopMatch(), SERVICE)
    elif result == "IDLE":
        played.now += IDLE_MS + IDLE_GRAIN_MS
        played.do(IdleTimeout(played.state.idle_version), SERVICE)
