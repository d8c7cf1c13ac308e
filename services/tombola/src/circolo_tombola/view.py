"""What may be seen of a tombola and told of it: allow-lists. A ticket is its seat's own; of others, what has won."""

from __future__ import annotations

from circolo_contracts.tombola import (
    PRIZES,
    CallerChanged,
    CallingChanged,
    CallingPaused,
    NumberDrawn,
    Prize,
    PrizeAwarded,
    PrizeState,
    PrizeWinner,
    TombolaEvent,
    TombolaHappening,
    TombolaSeat,
    TombolaView,
)
from circolo_events.decider import Viewer
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from .marks import Marks
from .state import TombolaState


class OwnView(Struct, frozen=True):
    """What a seat's view has beside the public one, under the names of ``TombolaView``."""

    seat: int
    ticket: list[list[int]]
    marks: list[int] | UnsetType = UNSET
    marks_version: int | UnsetType = UNSET


def view(state: TombolaState, viewer: Viewer, marks: Marks | None = None) -> TombolaView:
    """Before the end it has no seed, no draw to come and no number of another seat's ticket that has not won."""
    public, own = _public(state), own_view(state, viewer, marks)
    if own is None:
        return public
    return replace(public, seat=own.seat, ticket=own.ticket, marks=own.marks, marks_version=own.marks_version)


def own_view(state: TombolaState, viewer: Viewer, marks: Marks | None = None) -> OwnView | None:
    """None for who has no ticket; without marks when they are not at hand."""
    ticket = state.tickets[viewer.seat] if 0 <= viewer.seat < len(state.tickets) else None
    if ticket is None:
        return None
    rows = [list(row) for row in ticket]
    return OwnView(viewer.seat, rows) if marks is None else OwnView(viewer.seat, rows, marks.shown(), marks.version)


def _public(state: TombolaState) -> TombolaView:
    return TombolaView(
        called=list(state.called),
        calling=state.calling,
        commitment=state.commitment,
        every_seconds=state.every_seconds,
        game=state.game,
        game_id=state.game_id,
        host=state.host,
        prizes=[_prize(state, prize) for prize in PRIZES],
        room=state.room,
        seats=[TombolaSeat(who.player, seat) for seat, who in enumerate(state.seats) if who.player is not UNSET],
        settings=state.settings,
        started_at=state.started_at,
        status="RUNNING" if state.is_running else "ENDED",
        superseded=state.superseded,
        version=state.version,
        deadline=state.call_at or UNSET,
        paused=UNSET if state.paused is None else state.paused,
        result=UNSET if state.result is None else state.result,
        seed=state.seed if state.revealed and state.seed else UNSET,
    )


def _prize(state: TombolaState, prize: Prize) -> PrizeState:
    won = state.won.get(prize)
    if won is None:
        return PrizeState(prize, [])
    winners = [PrizeWinner(award.numbers, award.seat, award.row) for award in won.awards]
    return PrizeState(prize, winners, won.draw)


def tell(event: TombolaEvent, after: TombolaState) -> TombolaHappening:
    """The same for everybody."""
    kind, version = type(event).__name__, after.version
    if isinstance(event, NumberDrawn):
        return TombolaHappening(version, kind, number=event.number, seq=event.seq)
    if isinstance(event, PrizeAwarded):
        return TombolaHappening(
            version, kind, numbers=event.numbers, prize=event.prize, row=event.row, seat=event.seat,
            winning_draw=event.winning_draw,
        )  # fmt: skip
    if isinstance(event, CallingChanged):
        return TombolaHappening(version, kind, calling=event.calling, every_seconds=event.every_seconds)
    if isinstance(event, CallingPaused):
        return TombolaHappening(version, kind, reason=event.reason)
    if isinstance(event, CallerChanged):
        return TombolaHappening(version, kind, player=event.player)
    return TombolaHappening(version, kind)
