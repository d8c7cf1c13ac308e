"""Who is waited for: a question closes early when everybody has answered whom one can expect to.

A seat without a connection is expected for ten seconds more, one that left the room is not. When nobody at all is
connected, the time runs out as it was announced.
"""

from __future__ import annotations

from .state import AWAY_MS, TriviaState


def pending(state: TriviaState) -> list[int]:
    """Seats that could still say something in this phase and have not, without those that left the room."""
    if state.phase == "OPEN":
        silent = [seat for seat in state.taken() if seat not in state.answers]
    elif state.mode == "TUTTO_O_NIENTE" and state.phase in ("STAKE", "ANSWER"):
        spoken = state.stakes if state.phase == "STAKE" else state.finals
        silent = [seat for team, seat in state.captains.items() if team not in spoken]
    else:
        return []
    return [seat for seat in silent if not state.seats[seat].left]


def is_complete(state: TriviaState, now: int) -> bool:
    """Whether the phase need not wait any longer; ``now`` in ms since 1970."""
    waited = pending(state)
    if not waited:
        return _somebody_spoke(state)
    return _somebody_is_there(state) and all(_given_up_at(state, seat, now) <= now for seat in waited)


def away_due(state: TriviaState) -> int | None:
    """When the last of those that are gone is given up, if nobody else is waited for; ms since 1970."""
    waited = pending(state)
    gone = [state.seats[seat].gone_at for seat in waited]
    if not waited or not _somebody_is_there(state):
        return None
    since = [at for at in gone if at is not None]
    return max(since) + AWAY_MS if len(since) == len(gone) else None


def _given_up_at(state: TriviaState, seat: int, now: int) -> int:
    gone_at = state.seats[seat].gone_at
    return now + 1 if gone_at is None else gone_at + AWAY_MS


def _somebody_is_there(state: TriviaState) -> bool:
    return any(seat.is_there for seat in state.seats)


def _somebody_spoke(state: TriviaState) -> bool:
    """Nobody is waited for: because all have spoken, and not because all have left."""
    return bool(state.answers or state.finals or (state.phase == "STAKE" and state.stakes))
