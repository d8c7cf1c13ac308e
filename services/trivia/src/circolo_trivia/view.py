"""What a viewer may see and be told: allow-lists. A new field of the state reaches nobody until it is named here.

Before the reveal nobody is shown which option is right, its source, or what another seat has locked; the host is a
viewer like the others. A question's text is shown when it is opened, and not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from circolo_contracts.trivia import AllRevealed, Captain, TriviaEvent
from circolo_contracts.trivia_view import (
    Doing,
    Holder,
    OwnTrivia,
    QuestionView,
    Reveal,
    Tile,
    TriviaHappening,
    TriviaSeat,
    TriviaTeam,
    TriviaView,
)
from circolo_events.decider import Viewer
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from .board import ROWS, categories, value_of
from .scoring import ranks
from .state import NOBODY, TriviaState

TOLD = ("no", "points", "reason", "right", "seat", "team", "tile")
"""Fields of events that everybody may know. ``points`` and ``right`` are of an answer that was judged in public."""


def view(state: TriviaState, viewer: Viewer) -> TriviaView:
    seen = _public(state)
    mine = own(state, viewer)
    if mine is None:
        return seen
    return replace(
        seen, can=mine.can, locked_until=mine.locked_until, option=mine.option, seat=mine.seat, stake=mine.stake,
        team=mine.team,
    )  # fmt: skip


def own(state: TriviaState, viewer: Viewer) -> OwnTrivia | None:
    """What a seat sees beside what everybody sees; None for who has none."""
    seat, team = viewer.seat, viewer.team
    if seat == NOBODY:
        return None
    staked = state.stakes.get(team)
    return OwnTrivia(
        can=_can(state, seat, team), seat=seat, team=team, locked_until=state.early.get(seat, UNSET),
        option=_own_option(state, seat, team),
        stake=staked.value if staked is not None and staked.seat == seat else UNSET,
    )  # fmt: skip


def _own_option(state: TriviaState, seat: int, team: int) -> int | UnsetType:
    answered, final = state.answers.get(seat), state.finals.get(team)
    if answered is not None:
        return answered.option
    if final is not None:
        return final.value if final.seat == seat else UNSET
    tried = next((t.option for t in state.tries if t.seat == seat), None)
    return UNSET if tried is None else tried


def _can(state: TriviaState, seat: int, team: int) -> list[Doing]:
    """By the phase alone, not by the clock: what is sent too early or too late is refused."""
    if not state.is_running:
        return []
    may: dict[Doing, bool] = {
        "ANSWER": (state.phase == "OPEN" and seat not in state.answers)
        or (state.phase == "ANSWER" and state.buzz == seat)
        or (state.phase == "ANSWER" and state.captains.get(team) == seat and team not in state.finals),
        "BUZZ": state.phase == "BUZZ" and team not in state.locked_out,
        "PICK": state.phase == "PICK" and state.control == team,
        "STAKE": state.phase == "STAKE" and state.captains.get(team) == seat and team not in state.stakes,
    }
    return [doing for doing, now in may.items() if now]


def _public(state: TriviaState) -> TriviaView:
    if not state.settings:
        return _cancelled(state)
    running = state.is_running
    timed = running and state.phase != "REVEAL"
    answered = _answered(state)
    return TriviaView(
        answered_count=len(answered),
        board=_board(state),
        captains=[Captain(seat, team) for team, seat in state.captains.items()],
        commitment=state.commitment,
        game=state.game,
        game_id=state.game_id,
        host=state.host,
        locked_out=sorted(state.locked_out),
        mode=state.mode,
        phase=state.phase,
        question_count=len(state.questions),
        room=state.room,
        seats=[_seat(state, seat, answered) for seat in state.taken()],
        settings=state.settings,
        started_at=state.started_at,
        status="RUNNING" if running else "ENDED",
        teams=_teams(state),
        version=state.version,
        buzz=UNSET if state.buzz == NOBODY else Holder(state.buzz, state.team_of(state.buzz)),
        control=UNSET if state.control == NOBODY else state.control,
        deadline=state.due_at if timed else UNSET,
        open_at=state.open_at if timed else UNSET,
        question=_question(state),
        result=UNSET if state.result is None else state.result,
        reveal=_reveal(state),
        seed=state.seed if state.revealed else UNSET,
        superseded=state.superseded,
    )


def _cancelled(state: TriviaState) -> TriviaView:
    assert state.result is not None
    return TriviaView(
        answered_count=0, board=[], captains=[], commitment="", game=state.game, game_id=state.game_id, host="",
        locked_out=[], mode="QUIZ", phase="ENDED", question_count=0, room=state.room, seats=[], settings={},
        started_at=state.started_at, status="ENDED", teams=[], version=state.version, result=state.result,
        superseded=state.superseded,
    )  # fmt: skip


def _answered(state: TriviaState) -> set[int]:
    """Seats of whom something is locked: one for each team in tutto o niente."""
    if state.mode == "TUTTO_O_NIENTE":
        spoken = state.stakes if state.phase == "STAKE" else state.finals
        return {each.seat for each in spoken.values()}
    return set(state.answers) | {tried.seat for tried in state.tries}


def _seat(state: TriviaState, number: int, answered: set[int]) -> TriviaSeat:
    seat = state.seats[number]
    return TriviaSeat(
        answered=number in answered, connected=seat.is_there, player=seat.player, points=seat.points, seat=number,
        team=state.team_of(number),
    )  # fmt: skip


def _teams(state: TriviaState) -> list[TriviaTeam]:
    teams = state.teams()
    totals = [state.totals[team] for team in teams]
    return [TriviaTeam(*each) for each in zip(ranks(totals), teams, totals, strict=True)]


def _board(state: TriviaState) -> list[Tile]:
    if state.mode != "SHOWDOWN":
        return []
    names = categories(state.questions)
    return [
        Tile(names[place // ROWS], _tile_state(state, place), question.theme, value_of(place))
        for place, question in enumerate(state.questions)
    ]


def _tile_state(state: TriviaState, tile: int) -> Literal["FREE", "ON", "PLAYED"]:
    if tile not in state.played:
        return "FREE"
    return "ON" if tile == state.current and state.is_running else "PLAYED"


def _question(state: TriviaState) -> QuestionView | UnsetType:
    """Number, theme and difficulty; prompt and options once it has been shown to the players."""
    if state.current == NOBODY:
        return UNSET
    question = state.question
    shown = state.current in state.asked or state.reveal is not None
    return QuestionView(
        difficulty=question.difficulty, no=state.no, options=question.options if shown else [], theme=question.theme,
        only=question.only, prompt=question.prompt if shown else UNSET,
        value=value_of(state.current) if state.mode == "SHOWDOWN" else UNSET,
    )  # fmt: skip


def _reveal(state: TriviaState) -> Reveal | UnsetType:
    closed = state.reveal
    if closed is None:
        return UNSET
    question = state.question
    if isinstance(closed, AllRevealed):
        return Reveal(question.answer, [], closed.reason, closed.results, question.source)
    return Reveal(question.answer, closed.answers, closed.reason, [], question.source)


def tell(event: TriviaEvent, after: TriviaState) -> TriviaHappening:
    fields: Sequence[str] = event.__struct_fields__
    told = {name: getattr(event, name) for name in TOLD if name in fields}
    return TriviaHappening(at_version=after.version, kind=type(event).__name__, **told)
