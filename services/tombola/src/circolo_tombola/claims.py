"""Whether a ticket gets the prize that its holder claims: judged by the numbers drawn, never by marks.

The first accepted claim fixes the prize's winning draw: the one that completed it on that ticket, however late the
claim came. Under SHARED_DRAW every ticket that had it by then may claim it too, until the room plays another game;
under FIRST_CLAIM nobody else. Prizes may be won in any order, by one row or many, by one person all five. What nobody
has won when the tombola is accepted lapses.
"""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.tombola import PRIZES, Prize, PrizeAwarded, TombolaEvent
from msgspec import UNSET

from .ending import over
from .prizes import Completed, completed
from .state import TombolaState, evolve
from .tickets.ticket import Ticket, numbers_of


def claim(state: TombolaState, player: str, prize: Prize, now: int) -> list[TombolaEvent] | RefusalCode:
    seat = state.seat_of(player)
    if seat is None:
        return RefusalCode.NO_TICKET
    refusal = _whole_game(state)
    return refusal if refusal is not None else _judged(state, seat, prize, max(now, state.acted_at))


def claim_all(state: TombolaState, player: str, now: int) -> list[TombolaEvent] | RefusalCode:
    """From the ambo up, so that a cinquina counts before the tombola that closes everything.

    Refused when nothing is awarded: by what the lowest prize was refused that this seat has not won.
    """
    seat = state.seat_of(player)
    if seat is None:
        return RefusalCode.NO_TICKET
    refusal = _whole_game(state)
    if refusal is not None:
        return refusal
    events: list[TombolaEvent] = []
    refusals = []
    for prize in PRIZES:
        judged = _judged(state, seat, prize, max(now, state.acted_at))
        if isinstance(judged, RefusalCode):
            refusals.append(judged)
            continue
        events += judged
        for event in judged:
            state = evolve(state, event)
    if events:
        return events
    return next((why for why in refusals if why is not RefusalCode.ALREADY_WON_BY_YOU), refusals[0])


def _whole_game(state: TombolaState) -> RefusalCode | None:
    return RefusalCode.STALE_GAME if state.superseded else None


def _judged(state: TombolaState, seat: int, prize: Prize, at: int) -> list[TombolaEvent] | RefusalCode:
    ticket = state.tickets[seat]
    assert ticket is not None
    won = state.won.get(prize)
    if won is not None and any(award.seat == seat for award in won.awards):
        return RefusalCode.ALREADY_WON_BY_YOU
    had = completed(ticket, prize, state.called)
    if won is not None:
        if not state.shares_draws:
            return RefusalCode.PRIZE_TAKEN
        if had is None or had.draw > won.draw:
            return RefusalCode.NOT_ON_WINNING_DRAW
        return [awarded(ticket, seat, prize, had, won.draw, at)]
    if not state.is_running:
        return RefusalCode.GAME_ENDED
    if had is None:
        return RefusalCode.NOT_SATISFIED
    award = awarded(ticket, seat, prize, had, had.draw, at)
    return [award, *over(state, "WON", at, winner=seat)] if prize == "TOMBOLA" else [award]


def awarded(ticket: Ticket, seat: int, prize: Prize, had: Completed, winning_draw: int, at: int) -> PrizeAwarded:
    """With the row that everybody may see now, or the whole ticket."""
    numbers: Sequence[int] = numbers_of(ticket) if had.row is None else ticket[had.row]
    return PrizeAwarded(
        at=at, numbers=list(numbers), prize=prize, seat=seat, winning_draw=winning_draw,
        row=UNSET if had.row is None else had.row,
    )  # fmt: skip
