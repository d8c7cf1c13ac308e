"""A card is played: who may, what follows from it, and how a match ends."""

from __future__ import annotations

from circolo_contracts.cardgames import (
    CardPlayed,
    DealEnded,
    DealScore,
    MatchEnded,
    MatchEvent,
    Outcome,
    PlayCard,
    SeedRevealed,
)  # fmt: skip
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Actor
from circolo_events.decider import Context
from msgspec import UNSET

from .games.deal import Deal, Move
from .start import deal_started
from .state import MatchState


def play_card(state: MatchState, command: PlayCard, context: Context) -> list[MatchEvent] | RefusalCode:
    """Refusals are tested in the order of the house: seat, match, version, turn, clock, card."""
    seat = seat_of_actor(state, context.actor)
    if seat is None:
        return RefusalCode.NOT_IN_GAME
    if not state.is_running:
        return RefusalCode.GAME_NOT_RUNNING
    if context.expected is not UNSET and context.expected < state.turn_version:
        return RefusalCode.STALE_VERSION
    if seat != state.turn:
        return RefusalCode.NOT_YOUR_TURN
    if _is_late(state, context):
        return RefusalCode.LATE
    move = Move(command.card, seat, None if command.capture is UNSET else tuple(command.capture))
    refusal = state.rules.refusal(state.on_turn(), move)
    return refusal if refusal is not None else played(state, move, context.now)


def seat_of_actor(state: MatchState, actor: Actor) -> int | None:
    """A player's own seat, or the CPU's seat if a CPU sits there; nobody can speak for another seat."""
    if actor.kind == "player":
        return state.seat_of(actor.id)
    if actor.kind == "cpu":
        return next((seat for seat in range(len(state.seats)) if actor.id == str(seat) and state.is_cpu(seat)), None)
    return None


def _is_late(state: MatchState, context: Context) -> bool:
    """By the gateway's stamp, clamped to [the turn's opening, now]: what was sent in time counts until the close."""
    stamp = min(max(context.stamp, state.turn_at), context.now)
    return state.turn_due is not None and stamp > state.turn_due


def played(state: MatchState, move: Move, now: int, *, automatic: bool = False) -> list[MatchEvent]:
    """A legal card and everything that follows from it, up to the next choice of somebody."""
    at = max(now, state.turn_at)
    rules, deal = state.rules, state.on_turn()
    card = CardPlayed(at, move.card, move.seat, automatic)
    events: list[MatchEvent] = [card]
    deal = rules.evolve(deal, card)
    while (following := rules.follows(deal)) is not None:
        events.append(following)
        deal = rules.evolve(deal, following)
    if rules.is_over(deal):
        events += _deal_over(state, deal, at)
    return events


def _deal_over(state: MatchState, deal: Deal, at: int) -> list[MatchEvent]:
    points = state.rules.points(deal, state.teams)
    team = state.rules.winner(points)
    winner = UNSET if team is None else team
    deals = (*state.deals, DealScore(state.deal_no, list(points), winner))
    standing = state.rules.standing(deals, state.sides, state.settings)
    ended = DealEnded(state.deal_no, list(points), list(standing.score), winner)
    if standing.outcome is not None:
        return [ended, *match_over(state, standing.outcome, at, winner=standing.winner)]
    seats = len(state.seats)
    following = deal_started(
        bytes.fromhex(state.seed), seats, (state.dealer + 1) % seats,
        deal_no=state.deal_no + 1, shuffle_no=state.shuffle_no + 1,
    )  # fmt: skip
    return [ended, following]


def match_over(
    state: MatchState, outcome: Outcome, at: int, *, winner: int | None = None, abandoned_by: int | None = None
) -> list[MatchEvent]:
    """The end and, with it, the seed."""
    ended = MatchEnded(
        at=max(at, state.turn_at), last_dealer=state.dealer, outcome=outcome, room=state.room,
        abandoned_by=UNSET if abandoned_by is None else abandoned_by, winner=UNSET if winner is None else winner,
    )  # fmt: skip
    return [ended, SeedRevealed(state.seed)]


def abandoned(state: MatchState, seat: int, now: int) -> list[MatchEvent]:
    """The first one who leaves ends the match; between two sides the other one is its winner."""
    winner = 1 - state.teams[seat] if state.sides == 2 else None
    return match_over(state, "ABANDONED", now, winner=winner, abandoned_by=seat)
