"""What each event changes. Events record results, so nothing is decided here and no seed is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from circolo_contracts import trivia
from circolo_contracts.cardgames import GameCancelled, MatchEnded, MatchResult, SeedRevealed
from circolo_contracts.evening import GameSuperseded
from circolo_contracts.trivia import TriviaEvent
from msgspec import UNSET, Struct
from msgspec.structs import replace

from .state import IDLE_GRAIN_MS, NOBODY, Answered, Seat, Spoken, TriviaState, Try

BY_THE_HOST = ("CLOSED", "SKIPPED")
"""Reasons for which a question is revealed because somebody wanted it."""


def evolve(state: TriviaState, event: TriviaEvent) -> TriviaState:
    after: TriviaState = CHANGES[type(event)](state, event)
    return replace(after, version=state.version + 1)


def played(state: TriviaState, at: int) -> TriviaState:
    """Somebody did something: the 24 hours count anew, at most once a minute. For events of people only."""
    if at - state.idle_at < IDLE_GRAIN_MS:
        return state
    return replace(state, idle_at=at, idle_version=state.version + 1)


def _phase(state: TriviaState, event: Any, phase: trivia.TriviaPhase, **more: Any) -> TriviaState:
    version = state.version + 1
    return replace(
        state, phase=phase, phase_at=event.at, phase_version=version, quorum_version=version, due_at=event.deadline,
        open_at=getattr(event, "open_at", event.at), **more,
    )  # fmt: skip


def _seat(state: TriviaState, seat: int, **change: Any) -> TriviaState:
    changed = replace(state.seats[seat], **change)
    return replace(
        state, seats=(*state.seats[:seat], changed, *state.seats[seat + 1 :]), quorum_version=state.version + 1
    )


def _with(mapping: Mapping[int, Any], key: int, value: Any) -> dict[int, Any]:
    return {**mapping, key: value}


# ---------------------------------------------------------------- the beginning and the end


def _started(_: TriviaState, event: trivia.TriviaStarted) -> TriviaState:
    away = () if event.away is UNSET else event.away
    seats = tuple(
        Seat("" if who.player is UNSET else who.player, gone_at=event.at if place in away else None)
        for place, who in enumerate(event.seats)
    )
    return TriviaState(
        commitment=event.commitment, game=event.game, game_id=event.game_id, game_no=event.game_no, host=event.host,
        idle_at=event.at, idle_version=1, questions=tuple(event.questions), room=event.room, seats=seats,
        seed=event.seed, settings=event.settings, started_at=event.at, totals=tuple(event.totals), phase="READY",
        phase_at=event.at, control=NOBODY if event.control is UNSET else event.control,
    )  # fmt: skip


def _ended(state: TriviaState, event: MatchEnded) -> TriviaState:
    result = MatchResult(event.outcome, winner=event.winner)
    return replace(state, result=result, phase="ENDED", due_at=0, open_at=0)


def _seed_revealed(state: TriviaState, _: SeedRevealed) -> TriviaState:
    return replace(state, revealed=True)


def _cancelled(_: TriviaState, event: GameCancelled) -> TriviaState:
    return TriviaState(
        game=event.game, game_id=event.game_id, result=MatchResult("CANCELLED"), revealed=True, room=event.room,
        started_at=event.at,
    )  # fmt: skip


def _superseded(state: TriviaState, _: GameSuperseded) -> TriviaState:
    return replace(state, superseded=True)


# ---------------------------------------------------------------- the people


def _away(state: TriviaState, event: trivia.SeatAway) -> TriviaState:
    return _seat(state, event.seat, gone_at=event.at)


def _back(state: TriviaState, event: trivia.SeatBack) -> TriviaState:
    return _seat(state, event.seat, gone_at=None, left=False)


def _left(state: TriviaState, event: trivia.SeatLeft) -> TriviaState:
    gone_at = state.seats[event.seat].gone_at
    return _seat(state, event.seat, gone_at=event.at if gone_at is None else gone_at, left=True)


def _host(state: TriviaState, event: trivia.HostMoved) -> TriviaState:
    return replace(state, host=event.player)


# ---------------------------------------------------------------- a question, whatever the mode


def _clean(state: TriviaState, no: int, current: int) -> TriviaState:
    """A new question: nothing that belonged to the last one."""
    return replace(
        state, no=no, current=current, answers={}, buzz=NOBODY, early={}, locked_out=(), reveal=None, tries=()
    )


def _asked(state: TriviaState) -> TriviaState:
    return state if state.current in state.asked else replace(state, asked=(*state.asked, state.current))


def _revealed(state: TriviaState, event: trivia.QuestionRevealed) -> TriviaState:
    """``due_at`` stays, so that who comes now can be told whether he was late."""
    seats = list(state.seats)
    for answer in event.answers:
        seats[answer.seat] = replace(seats[answer.seat], points=seats[answer.seat].points + answer.points)
    after = replace(
        state, phase="REVEAL", phase_at=event.at, phase_version=state.version + 1, seats=tuple(seats),
        totals=tuple(event.totals), reveal=event, buzz=NOBODY,
    )  # fmt: skip
    return _asked(played(after, event.at) if event.reason in BY_THE_HOST else after)


# ---------------------------------------------------------------- the quiz


def _ready(state: TriviaState, event: trivia.QuestionReady) -> TriviaState:
    """The host went on."""
    return played(_phase(_clean(state, event.no, event.no - 1), event, "READY"), event.at)


def _opened(state: TriviaState, event: trivia.QuestionOpened) -> TriviaState:
    return _asked(_phase(state, event, "OPEN"))


def _answered(state: TriviaState, event: trivia.AnswerLocked) -> TriviaState:
    answers = _with(state.answers, event.seat, Answered(event.option, event.elapsed))
    return played(replace(state, answers=answers, quorum_version=state.version + 1), event.at)


# ---------------------------------------------------------------- the showdown


def _pick(state: TriviaState, event: trivia.PickOpened) -> TriviaState:
    """The host went on."""
    return played(_phase(_clean(state, state.no, NOBODY), event, "PICK", control=event.team), event.at)


def _picked(state: TriviaState, event: trivia.TilePicked) -> TriviaState:
    after = replace(_clean(state, event.no, event.tile), played=(*state.played, event.tile))
    return after if event.seat is UNSET else played(after, event.at)


def _buzzers(state: TriviaState, event: trivia.BuzzersOpened) -> TriviaState:
    return _asked(_phase(state, event, "BUZZ", buzz=NOBODY, early={}, locked_out=tuple(event.locked_out)))


def _too_early(state: TriviaState, event: trivia.BuzzedTooEarly) -> TriviaState:
    return replace(state, early=_with(state.early, event.seat, event.until))


def _buzzed(state: TriviaState, event: trivia.BuzzAccepted) -> TriviaState:
    return played(_phase(state, event, "ANSWER", buzz=event.seat), event.at)


def _judged(state: TriviaState, event: trivia.AnswerJudged) -> TriviaState:
    """The points are counted by the reveal, and only there."""
    option = None if event.option is UNSET else event.option
    tries = (*state.tries, Try(event.seat, event.team, event.points, option))
    after = replace(state, buzz=NOBODY, locked_out=(*state.locked_out, event.team), tries=tries)
    return after if option is None else played(after, event.at)


def _control(state: TriviaState, event: trivia.ControlPassed) -> TriviaState:
    return replace(state, control=event.team)


# ---------------------------------------------------------------- tutto o niente


def _captains(event: trivia.StakesOpened | trivia.FinalOpened) -> dict[int, int]:
    return {captain.team: captain.seat for captain in event.captains}


def _stakes(state: TriviaState, event: trivia.StakesOpened) -> TriviaState:
    return _phase(_clean(state, event.no, event.no - 1), event, "STAKE", captains=_captains(event))


def _staked(state: TriviaState, event: trivia.StakeLocked) -> TriviaState:
    stakes = _with(state.stakes, event.team, Spoken(event.seat, event.amount))
    return played(replace(state, stakes=stakes, quorum_version=state.version + 1), event.at)


def _final(state: TriviaState, event: trivia.FinalOpened) -> TriviaState:
    return _asked(_phase(state, event, "ANSWER", captains=_captains(event)))


def _final_locked(state: TriviaState, event: trivia.FinalLocked) -> TriviaState:
    finals = _with(state.finals, event.team, Spoken(event.seat, event.option))
    return played(replace(state, finals=finals, quorum_version=state.version + 1), event.at)


def _captain(state: TriviaState, event: trivia.CaptainNamed) -> TriviaState:
    captains = _with(state.captains, event.team, event.seat)
    return replace(state, captains=captains, quorum_version=state.version + 1)


def _all_revealed(state: TriviaState, event: trivia.AllRevealed) -> TriviaState:
    after = replace(
        state, phase="REVEAL", phase_at=event.at, phase_version=state.version + 1, totals=tuple(event.totals),
        reveal=event,
    )  # fmt: skip
    return _asked(played(after, event.at) if event.reason in BY_THE_HOST else after)


CHANGES: dict[type[Struct], Callable[[TriviaState, Any], TriviaState]] = {
    trivia.TriviaStarted: _started,
    trivia.QuestionReady: _ready,
    trivia.QuestionOpened: _opened,
    trivia.AnswerLocked: _answered,
    trivia.QuestionRevealed: _revealed,
    trivia.PickOpened: _pick,
    trivia.TilePicked: _picked,
    trivia.BuzzersOpened: _buzzers,
    trivia.BuzzedTooEarly: _too_early,
    trivia.BuzzAccepted: _buzzed,
    trivia.AnswerJudged: _judged,
    trivia.ControlPassed: _control,
    trivia.StakesOpened: _stakes,
    trivia.StakeLocked: _staked,
    trivia.FinalOpened: _final,
    trivia.FinalLocked: _final_locked,
    trivia.CaptainNamed: _captain,
    trivia.AllRevealed: _all_revealed,
    trivia.SeatAway: _away,
    trivia.SeatBack: _back,
    trivia.SeatLeft: _left,
    trivia.HostMoved: _host,
    MatchEnded: _ended,
    SeedRevealed: _seed_revealed,
    GameCancelled: _cancelled,
    GameSuperseded: _superseded,
}
