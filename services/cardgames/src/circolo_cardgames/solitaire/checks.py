"""What has to hold in a solitario that is over, checked from its events alone by replaying them through the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from circolo_contracts.cardgames import MatchEnded, SeedRevealed
from circolo_contracts.games import SOLITARIO, complete_settings
from circolo_contracts.solitaire import (
    CardMoved,
    CardsRemoved,
    MoveCard,
    RemoveCards,
    SolitaireEvent,
    SolitaireStarted,
    StockTurned,
    TurnStock,
    WasteTurned,
)
from circolo_service.export import Unreadable
from circolo_service.proof import Check

from ..deck.commitment import keeps_promise
from ..deck.shuffle import shuffled_deck
from ..games.solitario import rules_of
from ..games.solitario.notation import written
from ..games.solitario.position import Move, Played
from .decider import over
from .state import SolitaireState, evolve


def check(game_id: str, events: Sequence[SolitaireEvent]) -> Iterator[Check]:
    """Every check in the order of play, up to the first that is false.

    Raises Unreadable when this is no solitario that was started and is over: its seed is still secret.
    """
    for step in _all(game_id, events):
        yield step
        if not step.holds:
            return


def _all(game_id: str, events: Sequence[SolitaireEvent]) -> Iterator[Check]:
    started, revealed = events[0], events[-1]
    if not isinstance(started, SolitaireStarted):
        raise Unreadable("this solitario never started")
    if not isinstance(revealed, SeedRevealed):
        raise Unreadable("this solitario is not over yet: its seed is still secret")
    if started.game != SOLITARIO.kind or complete_settings(SOLITARIO, started.settings) != started.settings:
        raise Unreadable(f"this is no solitario with the settings {started.settings}")
    yield from _promise(game_id, started, revealed)
    state = evolve(SolitaireState(), started)
    for moves, event in enumerate(events[1:]):
        wrong = _wrong(state, event, moves + 1)
        if wrong:
            yield Check(False, wrong)
            return
        if isinstance(event, MatchEnded):
            lying = state.lying().cards()
            yield Check(True, f"{moves} moves, each legal, each uncovered card as it was dealt")
            yield Check(len(lying) == 40 and len(set(lying)) == 40, "all 40 cards are there, each once")
            yield Check(True, f"the solitario ends {event.outcome}")
        state = evolve(state, event)


def _promise(game_id: str, started: SolitaireStarted, revealed: SeedRevealed) -> Iterator[Check]:
    kept = started.game_id == game_id and keeps_promise(started.commitment, game_id, revealed.seed)
    yield Check(kept, f"the seed {revealed.seed} is the one promised by {started.commitment}")
    yield Check(revealed.seed == started.seed, "the seed that was revealed is the one that was used")
    deck = shuffled_deck(bytes.fromhex(revealed.seed), 1)
    yield Check(tuple(started.deck) == deck, "the deck is shuffle 1 of the seed")
    opened = rules_of(started.settings).opened(deck)
    yield Check(started.opened == opened, f"what lay open was dealt: {' '.join(started.opened)}")


def _wrong(state: SolitaireState, event: SolitaireEvent, number: int) -> str | None:
    """What is false about this event in this state; None when it is as it must be."""
    if isinstance(event, (CardsRemoved, CardMoved, StockTurned, WasteTurned)):
        return _wrong_move(state, event, number)
    if isinstance(event, MatchEnded):
        return _wrong_end(state, event)
    if isinstance(event, SeedRevealed) and state.result is not None and not state.revealed:
        return None
    return f"{type(event).__name__} cannot be here"


def _wrong_move(state: SolitaireState, event: Played, number: int) -> str | None:
    if not state.is_running or _outcome(state) is not None:
        return f"move {number}: the solitario was over"
    move = _asked(event)
    if state.rules.refusal(state.lying(), move) is not None:
        return f"move {number}: {written(move)} was not allowed"
    right = state.rules.played(state.lying(), move, event.at)
    return None if event == right else f"move {number}: {event} should have been {right}"


def _asked(event: Played) -> Move:
    if isinstance(event, CardsRemoved):
        return RemoveCards(event.cards)
    return MoveCard(event.card, event.to) if isinstance(event, CardMoved) else TurnStock()


def _wrong_end(state: SolitaireState, event: MatchEnded) -> str | None:
    if not state.is_running:
        return "the solitario ends twice"
    outcome = _outcome(state)
    stands = event.outcome == outcome if outcome else event.outcome in ("ABANDONED", "STOPPED", "IDLE")
    if not stands:
        return f"the solitario stands {outcome or 'open'} and cannot end {event.outcome}"
    right, _ = over(state, event.outcome, event.at)
    return None if event == right else f"{event} should have been {right}"


def _outcome(state: SolitaireState) -> str | None:
    """What the position says by itself; None while something may come of it."""
    rules, lying = state.rules, state.lying()
    return "WON" if rules.is_won(lying) else "BLOCKED" if rules.is_blocked(lying) else None
