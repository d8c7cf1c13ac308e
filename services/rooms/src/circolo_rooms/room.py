"""``room-<id>``: the decider. Who may do a thing, and when, is in one table; what it does is in the modules named here.

A new part of the room's life is a module with its decisions and changes, and its lines in the two tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from circolo_contracts import expulsion as votes
from circolo_contracts import rematch as again
from circolo_contracts import rooms
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import RoomEvent, RoomHappening, RoomView
from circolo_events.decider import PUBLIC, Context, Deadline, Rejection, Viewer
from msgspec import Struct
from msgspec.structs import replace

from . import attendance, entry, expiry, expulsion, hosting, play, rematch, seats, sight, tables
from .commands import EnterRoom, ExpireRoom, OpenRoom
from .direction.commands import ShowOut
from .direction.showing_out import show_out
from .state import RoomState

Decision = Sequence[RoomEvent] | Rejection


class Rule(Struct, frozen=True):
    """Who may send a command, tested in this order before its module decides."""

    decide: Callable[[RoomState, Any, Context], Decision]
    service: bool = False
    """Only rooms' own processes; else only people."""
    member: bool = True
    """People: only who is in the room."""
    host: bool = False
    lobby: bool = False
    """Only between games."""
    quiet: bool = False
    """To a closed room it is a no-op and no refusal: what it wanted has happened."""


RULES: dict[type[Struct], Rule] = {
    EnterRoom: Rule(entry.enter, member=False),
    rooms.LeaveRoom: Rule(entry.leave),
    rooms.TakeSeat: Rule(seats.take_seat, lobby=True),
    rooms.AssignTeam: Rule(seats.assign_team, lobby=True),
    rooms.AddCpu: Rule(seats.add_cpu, host=True, lobby=True),
    rooms.RemoveCpu: Rule(seats.remove_cpu, host=True, lobby=True),
    rooms.ChangeSettings: Rule(tables.change, host=True, lobby=True),
    rooms.HandOverHost: Rule(hosting.hand_over, host=True),
    rooms.StartGame: Rule(play.start, host=True, lobby=True),
    rooms.EndGame: Rule(play.end, host=True),
    votes.VoteToExpel: Rule(expulsion.vote),
    again.OfferRematch: Rule(rematch.offer, host=True, lobby=True),
    again.AcceptRematch: Rule(rematch.accept, lobby=True),
    again.WithdrawRematch: Rule(rematch.withdraw, lobby=True),
    rooms.FinishGame: Rule(play.finish, service=True, quiet=True),
    ShowOut: Rule(show_out, service=True, quiet=True),
    rooms.MarkConnected: Rule(attendance.mark_connected, service=True),
    rooms.MarkDisconnected: Rule(attendance.mark_disconnected, service=True, quiet=True),
    ExpireRoom: Rule(expiry.expire, service=True, quiet=True),
}

CHANGES: dict[type[Struct], Callable[[RoomState, Any], RoomState]] = {
    rooms.RoomCreated: entry.created,
    rooms.PlayerJoined: entry.joined,
    rooms.PlayerLeft: entry.left,
    rooms.RoomClosed: entry.closed,
    rooms.SeatTaken: seats.seat_taken,
    rooms.CpuSeated: seats.cpu_seated,
    rooms.CpuRemoved: seats.cpu_removed,
    rooms.HostChanged: hosting.host_changed,
    rooms.SettingsChanged: tables.settings_changed,
    rooms.PlayerConnected: attendance.connected,
    rooms.PlayerDisconnected: attendance.disconnected,
    rooms.GameRequested: play.requested,
    rooms.GameStopRequested: play.stop_requested,
    rooms.GameFinished: play.finished,
    votes.ExpulsionVoted: expulsion.voted,
    votes.ExpulsionDecided: expulsion.decided,
    again.RematchOffered: rematch.invited,
    again.RematchAccepted: rematch.said_yes,
    again.RematchWithdrawn: rematch.withdrawn,
}


def refusal(rule: Rule, state: RoomState, context: Context) -> RefusalCode | None:
    actor = context.actor
    if rule.service:
        return None if actor.kind == "service" else RefusalCode.NOT_ALLOWED
    if actor.kind != "player":
        return RefusalCode.NOT_ALLOWED
    if rule.member and state.member(actor.id) is None:
        return RefusalCode.NOT_IN_ROOM
    if rule.host and actor.id != state.host:
        return RefusalCode.NOT_HOST
    if rule.lobby and state.phase != "LOBBY":
        return RefusalCode.GAME_STARTED
    return None


class RoomDecider:
    initial = RoomState()

    def decide(self, state: RoomState, command: Struct, context: Context) -> Decision:
        if isinstance(command, OpenRoom):
            if state.version or context.actor.kind != "player":
                return Rejection(RefusalCode.NOT_ALLOWED)
            return entry.open_room(command, context)
        if not state.version:
            return Rejection(RefusalCode.NOT_FOUND)
        rule = RULES[type(command)]
        if state.phase == "CLOSED":
            return [] if rule.quiet else Rejection(RefusalCode.ROOM_CLOSED)
        code = refusal(rule, state, context)
        return rule.decide(state, command, context) if code is None else Rejection(code)

    def evolve(self, state: RoomState, event: RoomEvent) -> RoomState:
        changed = CHANGES[type(event)](state, event)
        after = replace(rematch.unless_changed(state, changed), version=state.version + 1)
        return replace(after, expiry=expiry.armed(state, after, event))

    def audiences(self, state: RoomState) -> Sequence[Viewer]:
        return (PUBLIC,)

    def viewer(self, state: RoomState, player: str) -> Viewer | Rejection:
        return sight.viewer(state, player)

    def view(self, state: RoomState, viewer: Viewer) -> RoomView:
        return sight.view(state)

    def tell(self, event: RoomEvent, before: RoomState, after: RoomState, viewer: Viewer) -> Sequence[RoomHappening]:
        return (sight.tell(event, after),)

    def deadlines(self, state: RoomState) -> Mapping[str, Deadline]:
        return {} if state.expiry is None else {"expiry": state.expiry}
