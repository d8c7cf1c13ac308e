"""What has to hold in a finished tombola, checked from its events alone by replaying them through the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from circolo_contracts.cardgames import MatchEnded, SeedRevealed
from circolo_contracts.chance import keeps_promise
from circolo_contracts.evening import GameSuperseded
from circolo_contracts.tombola import NumberDrawn, PrizeAwarded, TombolaEvent, TombolaStarted
from circolo_service.export import Unreadable
from circolo_service.proof import Check
from msgspec import UNSET

from .claims import awarded
from .prizes import completed
from .start import tickets
from .state import TombolaState, evolve
from .tickets.dealing import draw_order


def check(game_id: str, events: Sequence[TombolaEvent]) -> Iterator[Check]:
    """Every check in the order of the game, up to the first that is false.

    Raises Unreadable when this is no game that was started and is over: its seed is still secret.
    """
    for step in _all(game_id, events):
        yield step
        if not step.holds:
            return


def _all(game_id: str, events: Sequence[TombolaEvent]) -> Iterator[Check]:
    started = events[0]
    if not isinstance(started, TombolaStarted):
        raise Unreadable("this tombola never started")
    revealed = next((event for event in events if isinstance(event, SeedRevealed)), None)
    if revealed is None:
        raise Unreadable("this tombola is not over yet: its seed is still secret")
    yield from _promise(game_id, started, revealed)
    state = evolve(TombolaState(), started)
    for event in events[1:]:
        wrong = _wrong(state, event)
        if wrong:
            yield Check(False, wrong)
            return
        if isinstance(event, PrizeAwarded):
            where = "the whole ticket" if event.row is UNSET else f"row {event.row + 1}"
            yield Check(True, f"{event.prize} of seat {event.seat}: {where}, complete by draw {event.winning_draw}")
        if isinstance(event, MatchEnded):
            yield Check(True, f"{len(state.called)} numbers were called, each as its place in the order says")
            yield Check(True, f"the game ends {event.outcome}")
        state = evolve(state, event)


def _promise(game_id: str, started: TombolaStarted, revealed: SeedRevealed) -> Iterator[Check]:
    kept = started.game_id == game_id and keeps_promise(started.commitment, game_id, revealed.seed)
    yield Check(kept, f"the seed {revealed.seed} is the one promised by {started.commitment}")
    yield Check(revealed.seed == started.seed, "the seed that was revealed is the one that was used")
    seed = bytes.fromhex(revealed.seed)
    dealt = tickets(seed, [who.player for who in started.seats])
    count = sum(bool(rows) for rows in dealt)
    yield Check(started.tickets == dealt, f"the {count} tickets are those of the seed, each seat its own")
    yield Check(started.draws == list(draw_order(seed)), "the order of the ninety numbers is that of the seed")


def _wrong(state: TombolaState, event: TombolaEvent) -> str | None:
    """What is false about this event in this state; None when it is as it must be."""
    if isinstance(event, NumberDrawn):
        return _wrong_draw(state, event)
    if isinstance(event, PrizeAwarded):
        return _wrong_award(state, event)
    if isinstance(event, MatchEnded):
        if not state.is_running:
            return "the game ends twice"
        won = state.won.get("TOMBOLA")
        winner = won.awards[0].seat if won is not None else UNSET
        right = event.outcome == "WON" and event.winner == winner if won is not None else event.outcome != "WON"
        return None if right else f"the game cannot end {event.outcome} here"
    if isinstance(event, GameSuperseded) and (state.is_running or state.superseded):
        return "another game cannot take this one's place here"
    return None


def _wrong_draw(state: TombolaState, event: NumberDrawn) -> str | None:
    seq = len(state.called) + 1
    if not state.is_running or seq > len(state.draws):
        return f"no number can be called here: {event.number}"
    if (event.seq, event.number) != (seq, state.draws[seq - 1]):
        return f"call {seq} was {event.number} as number {event.seq}, and should have been {state.draws[seq - 1]}"
    return None


def _wrong_award(state: TombolaState, event: PrizeAwarded) -> str | None:
    """By the numbers called before it. The first award of a prize fixes its draw."""
    claimed = f"{event.prize} of seat {event.seat}"
    ticket = state.tickets[event.seat] if 0 <= event.seat < len(state.tickets) else None
    had = None if ticket is None else completed(ticket, event.prize, state.called)
    if ticket is None or had is None:
        return f"{claimed}: the ticket does not have it"
    won = state.won.get(event.prize)
    if won is None and not state.is_running:
        return f"{claimed}: it lapsed with the end of the game"
    if won is not None and (not state.shares_draws or had.draw > won.draw):
        return f"{claimed}: it was won by draw {won.draw} already"
    if won is not None and any(award.seat == event.seat for award in won.awards):
        return f"{claimed}: it was awarded twice"
    draw = had.draw if won is None else won.draw
    right = awarded(ticket, event.seat, event.prize, had, draw, event.at)
    return None if event == right else f"{claimed}: {event} should have been {right}"
