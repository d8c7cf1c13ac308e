"""Whether a night can start, and its first events."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.cardgames import GameCancelled
from circolo_contracts.chance import below, commit, shuffled, words
from circolo_contracts.games import TRIVIA, SettingProblem, SettingValue, complete_settings
from circolo_contracts.ids import id_of, is_hex_id
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.trivia import TriviaEvent, TriviaQuestion, TriviaStarted
from circolo_events.decider import Context
from msgspec import UNSET

from .board import ROWS
from .commands import BankQuestion, StartTrivia
from .course import Course
from .modes import MODES
from .state import TriviaState


def start(command: StartTrivia, context: Context) -> list[TriviaEvent]:
    """The night and its first phase, or the one event that says why there is none."""
    game_id = id_of(context.stream)
    settings = complete_settings(TRIVIA, command.settings)
    problem = RefusalCode.INVALID_SETTING if isinstance(settings, SettingProblem) else _problem(command, settings)
    if isinstance(settings, SettingProblem) or problem is not None:
        reason = RefusalCode.INVALID_SETTING if problem is None else problem
        return [GameCancelled(context.now, command.game, game_id, reason.value, command.room)]
    course = Course(TriviaState(), context.now)
    course.add(_started(command, context, game_id, settings))
    MODES[course.state.mode].begin(course)
    return course.events


def questions_needed(settings: dict[str, SettingValue]) -> int:
    by_mode = {
        "QUIZ": int(settings["questions"]),
        "SHOWDOWN": int(settings["categories"]) * ROWS,
        "TUTTO_O_NIENTE": 1,
    }
    return by_mode[str(settings["mode"])]


def options_shuffled(seed: bytes, n: int) -> list[int]:
    """Which of the bank's four options stands at each place of the game's ``n``-th question (from 1)."""
    return list(shuffled(words(seed, "options", n), range(4)))


def first_control(seed: bytes, teams: Sequence[int]) -> int:
    """The team that picks first, of those that play."""
    return teams[below(words(seed, "control", 1), len(teams))]


def starting_totals(settings: dict[str, SettingValue], teams: Sequence[int], carried: Sequence[int]) -> list[int]:
    """What the evening has come to. Tutto o niente is no game when everybody has nothing: then all get the same."""
    totals = list(carried) or [0] * TRIVIA.team_count(settings)
    if settings["mode"] == "TUTTO_O_NIENTE" and not any(totals[team] for team in teams):
        for team in teams:
            totals[team] = int(settings["startingScore"])
    return totals


def _started(
    command: StartTrivia, context: Context, game_id: str, settings: dict[str, SettingValue]
) -> TriviaStarted:  # fmt: skip
    seed = context.entropy
    players = {who.player: place for place, who in enumerate(command.seats) if who.player is not UNSET}
    teams = sorted({TRIVIA.team_of(place, settings) for place in players.values()})
    away = [] if command.away is UNSET else sorted(players[who] for who in command.away if who in players)
    carried = [] if command.totals is UNSET else command.totals
    return TriviaStarted(
        at=context.now, commitment=commit(game_id, seed), game=command.game, game_id=game_id, game_no=command.game_no,
        host=command.host, questions=[_shown(seed, n, each) for n, each in enumerate(command.questions, 1)],
        room=command.room, seats=command.seats, seed=seed.hex(), settings=settings,
        totals=starting_totals(settings, teams, carried), away=away or UNSET,
        control=first_control(seed, teams) if settings["mode"] == "SHOWDOWN" else UNSET,
    )  # fmt: skip


def _shown(seed: bytes, n: int, question: BankQuestion) -> TriviaQuestion:
    order = options_shuffled(seed, n)
    return TriviaQuestion(
        answer=order.index(question.answer), difficulty=question.difficulty, id=question.id,
        options=[question.options[place] for place in order], order=order, prompt=question.prompt,
        source=question.source, theme=question.theme,
        only=UNSET if question.only is UNSET else "EN" if question.only == "EN" else "IT",
    )  # fmt: skip


def _problem(command: StartTrivia, settings: dict[str, SettingValue]) -> RefusalCode | None:
    if command.game != TRIVIA.kind:
        return RefusalCode.UNKNOWN_GAME
    problem = _seating_problem(command, settings)
    if problem is not None:
        return problem
    if not is_hex_id(command.room) or not is_hex_id(command.host) or command.game_no < 1:
        return RefusalCode.MALFORMED
    carried = command.totals
    if carried is not UNSET and (len(carried) != TRIVIA.team_count(settings) or min(carried, default=0) < 0):
        return RefusalCode.MALFORMED
    return None if len(command.questions) == questions_needed(settings) else RefusalCode.NOT_ENOUGH_QUESTIONS


def _seating_problem(command: StartTrivia, settings: dict[str, SettingValue]) -> RefusalCode | None:
    players = [who.player for who in command.seats if who.player is not UNSET]
    if any(who.cpu is not UNSET for who in command.seats):
        return RefusalCode.NOT_ALLOWED
    if len(command.seats) > TRIVIA.seat_count(settings):
        return RefusalCode.NO_SUCH_SEAT
    if len(players) < TRIVIA.least_people:
        return RefusalCode.SEATS_EMPTY
    if len(set(players)) != len(players):
        return RefusalCode.SEAT_TAKEN
    return None if all(is_hex_id(player) for player in players) else RefusalCode.MALFORMED
