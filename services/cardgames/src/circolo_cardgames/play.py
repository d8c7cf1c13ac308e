"""A card is played: who may, what follows from it, and how a match ends."""

from __future__ import annotations

from circolo_contracts.cardgames import (
    DealEnded,
    DealScore,
    Declaration,
    Declare,
    Declared,
    MatchEnded,
    MatchEvent,
    Outcome,
    PlayCard,
    SeedRevealed,
)  # fmt: skip
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import AbandonReason
from circolo_contracts.wire import Actor
from circolo_events.decider import Context, Foreseen
from msgspec import UNSET, UnsetType

from .evolve import evolve
from .games.deal import Deal, Move
from .games.rules import Standing
from .start import deal_started
from .state import MatchState


def play_card(state: MatchState, command: PlayCard, context: Context) -> list[MatchEvent] | RefusalCode:
    """Refusals are tested in the order of the house: seat, match, version, turn, clock, card."""
    seat = _seat_on_turn(state, context)
    if isinstance(seat, RefusalCode):
        return seat
    move = Move(command.card, seat, None if command.capture is UNSET else tuple(command.capture))
    refusal = state.rules.refusal(state.on_turn(), move)
    return refusal if refusal is not None else played(state, move, context.now)


def declare(state: MatchState, command: Declare, context: Context) -> list[MatchEvent] | RefusalCode:
    """Like a card it needs the turn; the turn stays where it is."""
    seat = _seat_on_turn(state, context)
    if isinstance(seat, RefusalCode):
        return seat
    held = next((each for each in state.rules.declarable(state.on_turn()) if _names(command, each)), None)
    if held is None:
        return RefusalCode.ILLEGAL_DECLARATION
    return [Declared(max(context.now, state.turn_at), held, seat)]


def _names(command: Declare, declaration: Declaration) -> bool:
    same_kind = command.kind == declaration.kind and command.rank == declaration.rank
    return same_kind and (command.suit == declaration.suit or (command.suit is UNSET and command.rank is not UNSET))


def _seat_on_turn(state: MatchState, context: Context) -> int | RefusalCode:
    seat = seat_of_actor(state, context.actor)
    if seat is None:
        return RefusalCode.NOT_IN_GAME
    if not state.is_running:
        return RefusalCode.GAME_NOT_RUNNING
    if context.expected is not UNSET and context.expected < state.turn_version:
        return RefusalCode.STALE_VERSION
    if seat != state.turn:
        return RefusalCode.NOT_YOUR_TURN
    return RefusalCode.LATE if _is_late(state, context) else seat


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
    rules = state.rules
    card = rules.played(state.on_turn(), move, at, automatic=automatic)
    after = evolve(state, card)
    events: list[MatchEvent] = [card]
    states = [after]
    while (following := rules.follows(after.on_turn())) is not None:
        after = evolve(after, following)
        events.append(following)
        states.append(after)
    if rules.is_over(after.on_turn()):
        events += _deal_over(state, after.on_turn(), at)
    return Foreseen(events, states)


def _deal_over(state: MatchState, deal: Deal, at: int) -> list[MatchEvent]:
    ended, standing = deal_ended(state, deal)
    if standing.outcome is not None:
        return [ended, *match_over(state, standing.outcome, at, winner=standing.winner)]
    seats = len(state.seats)
    following = deal_started(
        state.rules, bytes.fromhex(state.seed), seats, (state.dealer + 1) % seats,
        deal_no=state.deal_no + 1, shuffle_no=state.shuffle_no + 1,
    )  # fmt: skip
    return [ended, *following]


def deal_ended(state: MatchState, deal: Deal) -> tuple[DealEnded, Standing]:
    """The score sheet of a complete deal, and where the match is after it."""
    count = state.rules.count(deal, state.teams)
    points, winner = list(count.points), UNSET if count.winner is None else count.winner
    sheet = list(count.sheet) if count.sheet else UNSET
    standing = state.rules.standing((*state.deals, DealScore(state.deal_no, points, winner, sheet)), state.sides)
    return DealEnded(state.deal_no, points, list(standing.score), sheet, winner), standing


def match_over(
    state: MatchState,
    outcome: Outcome,
    at: int,
    *,
    winner: int | None = None,
    abandoned_by: int | UnsetType = UNSET,
    reason: AbandonReason | UnsetType = UNSET,
) -> list[MatchEvent]:
    """The end and, with it, the seed."""
    ended = MatchEnded(
        at=max(at, state.turn_at), last_dealer=state.dealer, outcome=outcome, room=state.room,
        abandoned_by=abandoned_by, reason=reason, winner=UNSET if winner is None else winner,
    )  # fmt: skip
    return [ended, SeedRevealed(state.seed)]


def abandoned(state: MatchState, seat: int, now: int, reason: AbandonReason) -> list[MatchEvent]:
    """The first one who is out ends the match; between two sides the other one is its winner."""
    winner = 1 - state.teams[seat] if state.sides == 2 else None
    return match_over(state, "ABANDONED", now, winner=winner, abandoned_by=seat, reason=reason)
