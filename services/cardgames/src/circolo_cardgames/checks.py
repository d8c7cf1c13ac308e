"""What has to hold in a finished match, checked from its events alone by replaying them through the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from circolo_contracts.cardgames import (
    CardPlayed,
    DealEnded,
    DealStarted,
    DealVoided,
    Declared,
    HandsDealt,
    MatchEnded,
    MatchEvent,
    MatchStarted,
    SeedRevealed,
    TableTaken,
    TrickEnded,
)
from circolo_contracts.games import CATALOGUE
from circolo_service.export import Unreadable
from circolo_service.proof import Check
from msgspec import UNSET

from .deck.commitment import keeps_promise
from .deck.dealing import leader_after
from .deck.shuffle import first_dealer, shuffled_deck
from .evolve import evolve
from .games import GAMES
from .games.deal import Move
from .play import deal_ended
from .state import MatchState


def check(game_id: str, events: Sequence[MatchEvent]) -> Iterator[Check]:
    """Every check in the order of the match, up to the first that is false.

    Raises Unreadable when this is no match that was started and is over: its seed is still secret.
    """
    for step in _all(game_id, events):
        yield step
        if not step.holds:
            return


def _all(game_id: str, events: Sequence[MatchEvent]) -> Iterator[Check]:
    started, revealed = events[0], events[-1]
    if not isinstance(started, MatchStarted):
        raise Unreadable("this match never started")
    if not isinstance(revealed, SeedRevealed):
        raise Unreadable("this match is not over yet: its seed is still secret")
    if started.game not in GAMES or len(started.seats) != CATALOGUE[started.game].seat_count(started.settings):
        raise Unreadable(f"this is no match of {started.game} for {len(started.seats)}")
    yield from _promise(game_id, started, revealed)
    state = evolve(MatchState(), started)
    cards = tricks = 0
    for event in events[1:]:
        wrong = _wrong(state, event)
        if wrong:
            yield Check(False, wrong)
            return
        if isinstance(event, DealStarted):
            cards, tricks = 0, 0
            yield Check(True, f"deal {event.deal_no}: the deck is shuffle {event.shuffle_no} of the seed")
        cards += isinstance(event, CardPlayed)
        tricks += isinstance(event, TrickEnded)
        if isinstance(event, (DealEnded, MatchEnded)) and cards:
            yield from _summary(state, cards, tricks)
            cards = 0
        if isinstance(event, DealEnded):
            yield Check(True, f"deal {event.deal_no}: the points are {'-'.join(map(str, event.points))}")
        if isinstance(event, MatchEnded):
            yield Check(True, f"the match ends {event.outcome}, score {'-'.join(map(str, state.score))}")
        state = evolve(state, event)


def _promise(game_id: str, started: MatchStarted, revealed: SeedRevealed) -> Iterator[Check]:
    kept = started.game_id == game_id and keeps_promise(started.commitment, game_id, revealed.seed)
    yield Check(kept, f"the seed {revealed.seed} is the one promised by {started.commitment}")
    yield Check(revealed.seed == started.seed, "the seed that was revealed is the one that was used")
    drawn = first_dealer(bytes.fromhex(started.seed), len(started.seats))
    if started.game_no == 1:
        yield Check(started.dealer == drawn, f"the first dealer, seat {started.dealer}, was drawn from the seed")
    else:
        yield Check(True, f"the first dealer, seat {started.dealer}, was handed on by the game before")


def _summary(state: MatchState, cards: int, tricks: int) -> Iterator[Check]:
    deal = f"deal {state.deal_no}"
    yield Check(True, f"{deal}: {cards} cards, each legal and from the hand of the seat on turn")
    if tricks:
        yield Check(True, f"{deal}: {tricks} tricks with the right winner, points and cards drawn")
    lying = state.on_turn().cards()
    yield Check(len(lying) == 40 and len(set(lying)) == 40, f"{deal}: all 40 cards are there, each once")


def _wrong(state: MatchState, event: MatchEvent) -> str | None:
    """What is false about this event in this state; None when it is as it must be."""
    if isinstance(event, DealStarted):
        return _wrong_deal(state, event)
    if isinstance(event, DealVoided):
        return _wrong_void(state, event)
    if isinstance(event, (CardPlayed, Declared)):
        return _wrong_choice(state, event)
    if isinstance(event, (TrickEnded, HandsDealt, TableTaken)):
        right = state.rules.follows(state.on_turn()) if state.deal is not None else None
        return None if event == right else f"deal {state.deal_no}: {event} should have been {right}"
    if isinstance(event, DealEnded):
        if not _is_over(state):
            return f"deal {event.deal_no} cannot end here"
        right_end, _ = deal_ended(state, state.on_turn())
        return None if event == right_end else f"deal {event.deal_no}: should have ended {right_end}"
    if isinstance(event, MatchEnded):
        return _wrong_end(state, event)
    if isinstance(event, SeedRevealed) and state.result is not None and not state.revealed:
        return None
    return f"{type(event).__name__} cannot be here"


def _wrong_choice(state: MatchState, event: CardPlayed | Declared) -> str | None:
    deal = f"deal {state.deal_no}"
    if event.seat != state.turn:
        what = "declared" if isinstance(event, Declared) else f"played {event.card}"
        return f"{deal}: seat {event.seat} {what} out of turn"
    if isinstance(event, Declared):
        legal = event.declaration in state.rules.declarable(state.on_turn())
        return None if legal else f"{deal}: seat {event.seat} could not declare {event.declaration}"
    move = Move(event.card, event.seat, None if event.captured is UNSET else tuple(event.captured))
    if state.rules.refusal(state.on_turn(), move):
        return f"{deal}: {event.card} was not seat {event.seat}'s to play"
    right = state.rules.played(state.on_turn(), move, event.at, automatic=event.automatic)
    return None if event == right else f"{deal}: {event} should have been {right}"


def _wrong_void(state: MatchState, event: DealVoided) -> str | None:
    deal = f"deal {event.deal_no}"
    if not state.is_running or state.deal is None or state.deal.played or not state.rules.is_void(state.deal):
        return f"{deal} is not void"
    right = DealVoided(state.deal_no, list(state.deal.table), state.shuffle_no)
    return None if event == right else f"{deal}: {event} should have been {right}"


def _wrong_deal(state: MatchState, event: DealStarted) -> str | None:
    seats = len(state.seats)
    expected = state.deal_no if state.voided else state.deal_no + 1
    if not state.is_running or event.deal_no != expected or len(state.deals) != expected - 1:
        return f"deal {event.deal_no} cannot begin here"
    dealer = state.dealer if state.deal is None or state.voided else (state.dealer + 1) % seats
    if (event.dealer, event.leader) != (dealer, leader_after(dealer, seats)):
        return f"deal {event.deal_no}: seat {dealer} should have dealt"
    if event.shuffle_no != state.shuffle_no + 1:
        return f"deal {event.deal_no}: shuffle {event.shuffle_no} does not follow shuffle {state.shuffle_no}"
    if tuple(event.deck) != shuffled_deck(bytes.fromhex(state.seed), event.shuffle_no):
        return f"deal {event.deal_no}: the deck is not shuffle {event.shuffle_no} of the seed"
    return None


def _is_over(state: MatchState) -> bool:
    """The present deal is played to its last card and not counted yet."""
    return state.is_running and len(state.deals) < state.deal_no and state.rules.is_over(state.on_turn())


def _wrong_end(state: MatchState, event: MatchEnded) -> str | None:
    if not state.is_running:
        return "the match ends twice"
    standing = state.rules.standing(state.deals, state.sides)
    if event.outcome in ("WON", "TIED"):
        winner = UNSET if standing.winner is None else standing.winner
        right = event.outcome == standing.outcome and event.winner == winner
        return None if right else f"the match should stand {standing.outcome} by {standing.winner}"
    return None if standing.outcome is None else f"the match was decided and cannot end {event.outcome}"
