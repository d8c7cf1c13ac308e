"""What may be seen of a room, and by whom. There is one audience: whoever may look sees the same."""

from __future__ import annotations

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import MemberView, RoomEvent, RoomHappening, RoomView, SeatOccupant, SeatView
from circolo_events.decider import PUBLIC, Rejection, Viewer
from msgspec import UNSET

from .expulsion import votes
from .rematch import seen
from .state import RoomState


def viewer(state: RoomState, player: str) -> Viewer | Rejection:
    """A private room is for its members (spectators entered by the code too) and for who has a seat kept there."""
    if state.visibility == "PUBLIC" or state.member(player) is not None:
        return PUBLIC
    if player and state.seat_of(player) is not None:
        return PUBLIC
    return Rejection(RefusalCode.NOT_ALLOWED)


def view(state: RoomState) -> RoomView:
    rematch = seen(state)
    return RoomView(
        code=state.code,
        created_at=state.created_at,
        game=state.game,
        game_no=state.game_no,
        host=state.host,
        members=[MemberView(connected=m.connected, player=m.player, spectator=m.spectator) for m in state.members],
        phase=state.phase,
        room=state.room,
        seats=[_seat(state, number, occupant) for number, occupant in enumerate(state.seats)],
        settings=state.settings,
        version=state.version,
        visibility=state.visibility,
        expires_at=UNSET if state.expiry is None else state.expiry.due_at,
        game_id=state.game_id or UNSET,
        latest_game=state.latest_game or UNSET,
        ranked=state.ranked,
        rematch=UNSET if rematch is None else rematch,
        votes=votes(state),
    )


def _seat(state: RoomState, number: int, occupant: SeatOccupant | None) -> SeatView:
    team = state.team_of(number)
    if occupant is None:
        return SeatView(seat=number, team=team)
    return SeatView(seat=number, team=team, cpu=occupant.cpu, player=occupant.player)


def tell(event: RoomEvent, after: RoomState) -> RoomHappening:
    """An allow-list: whom it is about and at which seat; of a vote to expel, whose it is and for what."""
    return RoomHappening(
        at_version=after.version, kind=type(event).__name__, in_favour=getattr(event, "in_favour", UNSET),
        player=getattr(event, "player", UNSET), seat=getattr(event, "seat", UNSET),
        voter=getattr(event, "voter", UNSET),
    )  # fmt: skip
