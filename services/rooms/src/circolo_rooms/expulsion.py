"""The vote by which all the others put a player out of a running game. Two of three is nothing."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.expulsion import ExpulsionDecided, ExpulsionVoted, ExpulsionVotes, VoteToExpel
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import RoomEvent
from circolo_events.decider import Context, Rejection
from msgspec import UNSET
from msgspec.structs import replace

from .state import Ballot, RoomState

SMALLEST_TABLE = 3
"""People at the table, the one who shall go included: for two there is the clock."""


def vote(state: RoomState, command: VoteToExpel, context: Context) -> Sequence[RoomEvent] | Rejection:
    """A vote that changes nothing is no event; the unanimous one carries the decision in the same append."""
    ballot = Ballot(target=command.player, voter=context.actor.id)
    code, field = _refusal(state, ballot)
    if code is not None:
        return Rejection(code, field)
    if state.expelled:
        settled = command.in_favour and ballot in state.ballots
        return [] if settled else Rejection(RefusalCode.VOTE_DECIDED)
    if command.in_favour == (ballot in state.ballots):
        return []
    voted = ExpulsionVoted(
        at=context.now, game_id=state.game_id, in_favour=command.in_favour, player=ballot.target, voter=ballot.voter
    )
    if command.in_favour and _is_unanimous(state, ballot):
        return [voted, ExpulsionDecided(at=context.now, game_id=state.game_id, player=ballot.target)]
    return [voted]


def _refusal(state: RoomState, ballot: Ballot) -> tuple[RefusalCode | None, str]:
    if state.phase != "PLAYING":
        return RefusalCode.NO_GAME, ""
    if state.during is not UNSET:  # a party game has no seat that could be abandoned
        return RefusalCode.NOT_ALLOWED, ""
    if state.seat_of(ballot.voter) is None:
        return RefusalCode.NOT_IN_GAME, ""
    if state.seat_of(ballot.target) is None:
        return RefusalCode.NOT_IN_GAME, "player"
    if ballot.voter == ballot.target:
        return RefusalCode.NOT_ALLOWED, "player"
    if None in state.seats:  # somebody has left a ranked table: that has ended the match
        return RefusalCode.GAME_NOT_RUNNING, ""
    return (RefusalCode.TABLE_TOO_SMALL, "") if len(state.people) < SMALLEST_TABLE else (None, "")


def _is_unanimous(state: RoomState, last: Ballot) -> bool:
    in_favour = {ballot.voter for ballot in state.ballots if ballot.target == last.target} | {last.voter}
    return in_favour == set(state.people) - {last.target}


def votes(state: RoomState) -> list[ExpulsionVotes]:
    """What everybody in the room sees of them."""
    by_target: dict[str, list[str]] = {}
    for ballot in state.ballots:
        by_target.setdefault(ballot.target, []).append(ballot.voter)
    return [ExpulsionVotes(in_favour=voters, target=target) for target, voters in by_target.items()]


# ---------------------------------------------------------------- what these events change


def voted(state: RoomState, event: ExpulsionVoted) -> RoomState:
    ballot = Ballot(target=event.player, voter=event.voter)
    others = tuple(each for each in state.ballots if each != ballot)
    return replace(state, ballots=(*others, ballot) if event.in_favour else others)


def decided(state: RoomState, event: ExpulsionDecided) -> RoomState:
    return replace(state, expelled=event.player)
