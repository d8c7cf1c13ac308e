"""Trivia nights: the question without its answer, what a seat has said of it, the reveal, the evening's totals."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import msgspec
import strawberry
from circolo_contracts import trivia as contract
from circolo_contracts import trivia_view as contract_view
from circolo_contracts.trivia_view import TriviaHappening, TriviaView
from msgspec import UNSET, Raw, UnsetType

from ..streams.watch import GameAddress, Requested
from ..transport.raw import made, reads
from .enums import GameKind, GameStatus, Language, game_event_kind
from .game import Game, GameEvent, given, never_ranked, outcome
from .node import Node, game_gid
from .player import Player, player, somebody
from .scalars import DateTime, moment
from .settings import GameSettings, setting_enum, shown_settings

if TYPE_CHECKING:

    class TriviaMode(Enum):
        """Made from the catalogue, as the type of the setting."""

else:
    TriviaMode = setting_enum("TriviaMode")

_trivia_view = msgspec.json.Decoder(TriviaView).decode
_happening = msgspec.json.Decoder(TriviaHappening).decode


@strawberry.enum(
    description="Of the quiz READY (number and theme), OPEN; of the showdown PICK, BUZZ, ANSWER (who pressed); of "
    "tutto o niente STAKE, ANSWER (the captains). REVEAL: the host goes on."
)
class TriviaPhase(Enum):
    READY = "READY"
    OPEN = "OPEN"
    PICK = "PICK"
    BUZZ = "BUZZ"
    ANSWER = "ANSWER"
    STAKE = "STAKE"
    REVEAL = "REVEAL"
    ENDED = "ENDED"


@strawberry.enum(description="`answerQuestion`, `buzz`, `pickTile`, `stake`.")
class TriviaMove(Enum):
    ANSWER = "ANSWER"
    BUZZ = "BUZZ"
    PICK = "PICK"
    STAKE = "STAKE"


@strawberry.enum(
    description="Why a question was revealed. RIGHT, MISSED, NOBODY (pressed): the showdown; TIME: it ran out; CLOSED: "
    "by the host; SKIPPED: by the host, it is void."
)
class CloseReason(Enum):
    ALL_ANSWERED = "ALL_ANSWERED"
    RIGHT = "RIGHT"
    MISSED = "MISSED"
    NOBODY = "NOBODY"
    TIME = "TIME"
    CLOSED = "CLOSED"
    SKIPPED = "SKIPPED"


@strawberry.enum(description="ON: its question is on the table.")
class TileState(Enum):
    FREE = "FREE"
    ON = "ON"
    PLAYED = "PLAYED"


@strawberry.type(description="In both languages; twice the same when there is only one.")
class TriviaText:
    it: str
    en: str


@strawberry.type(description="What everybody sees of somebody who plays. Empty seats are left out.")
class TriviaSeat:
    seat: int
    team: int
    player: Player | None
    connected: bool
    answered: bool = strawberry.field(description="Something of his is locked for this question; what is hidden.")
    points: int = strawberry.field(description="Of this game so far.")


@strawberry.type(description="A team that somebody plays for. Equal totals share a rank: 1-1-3.")
class TriviaTeam:
    team: int
    rank: int
    total: int = strawberry.field(description="Of the evening, this game included.")


@strawberry.type(description="A tile of the board.")
class TriviaTile:
    category: str = strawberry.field(description="The theme, with a number behind it from a theme's second column on.")
    theme: str
    value: int
    state: TileState


@strawberry.type(description="The question on the table, without its answer.")
class TriviaQuestion:
    no: int
    theme: str
    difficulty: int = strawberry.field(description="1 to 5.")
    value: int | None = strawberry.field(description="Of its tile, in a showdown.")
    prompt: TriviaText | None = strawberry.field(description="Null until it is opened.")
    options: list[TriviaText] = strawberry.field(description="None until it is opened; the same order for everybody.")
    only: Language | None = strawberry.field(description="The one language that it was written in.")


@strawberry.type(description="What a seat did about a question.")
class TriviaAnswer:
    seat: int
    option: int | None = strawberry.field(description="From 0; null: its time ran out.")
    points: int
    elapsed: int | None = strawberry.field(description="Milliseconds after the question opened, in the quiz.")


@strawberry.type(description="A team's tutto o niente.")
class FinalResult:
    team: int
    stake: int
    option: int | None = strawberry.field(description="Null: no answer, which is a wrong one.")
    right: bool
    before: int
    after: int


@strawberry.type(description="After the close, and not before.")
class TriviaReveal:
    answer: int = strawberry.field(description="Which of the options is right, from 0.")
    source: str | None = strawberry.field(description="An https address where it is written.")
    reason: CloseReason
    answers: list[TriviaAnswer]
    results: list[FinalResult] = strawberry.field(description="Of tutto o niente; else empty.")


@strawberry.type(description="A seat that speaks for its team: who pressed first, or a captain in this phase.")
class TriviaSpeaker:
    seat: int
    team: int


@strawberry.type(
    description="A game of a trivia night as one may see it. What is right, what somebody else answered or staked and "
    "where it is written is hidden until the reveal, from the host too. A display is anybody without a seat."
)
class Trivia(Game, Node):
    host: Player | None = strawberry.field(description="Null while STARTING.")
    commitment: str | None = strawberry.field(
        description="SHA-256 of the seed that the order of all options comes from, published before them."
    )
    seed: str | None = strawberry.field(description="Revealed when it is over.")
    view: strawberry.Private[TriviaView | None]
    """As in ``CardGame``."""
    mode: TriviaMode | None
    phase: TriviaPhase | None
    question_count: int = strawberry.field(description="How many this game has.")
    answered_count: int = strawberry.field(description="How many have locked something for the question on the table.")
    open_at: DateTime | None = strawberry.field(
        description="Answers and presses count from here to `deadline`, by the server's clock."
    )
    control: int | None = strawberry.field(description="The team that picks, in a showdown.")
    locked_out: list[int] = strawberry.field(description="Teams that have had their try at this question.")
    seat: int | None = strawberry.field(description="The viewer's own, as the fields below; null for who has none.")
    team: int | None
    can: list[TriviaMove] | None = strawberry.field(description="What he may do in this phase.")
    option: int | None = strawberry.field(description="What he answered to the question on the table.")
    stake: int | None = strawberry.field(description="What he staked for his team.")
    locked_until: DateTime | None = strawberry.field(
        description="He pressed too early: his presses do not count before this."
    )

    @strawberry.field
    def settings(self) -> GameSettings | None:
        return None if self.view is None else shown_settings(self.view.game, self.view.settings)

    @strawberry.field
    def seats(self) -> list[TriviaSeat]:
        return [] if self.view is None else [_seat(seat) for seat in self.view.seats]

    @strawberry.field
    def teams(self) -> list[TriviaTeam]:
        return [] if self.view is None else [_team(team) for team in self.view.teams]

    @strawberry.field(description="Of a showdown, column by column, each from the lowest value.")
    def board(self) -> list[TriviaTile]:
        return [] if self.view is None else [_tile(tile) for tile in self.view.board]

    @strawberry.field(description="Who speaks for each team in this phase, in tutto o niente.")
    def captains(self) -> list[TriviaSpeaker]:
        if self.view is None:
            return []
        return [TriviaSpeaker(seat=each.seat, team=each.team) for each in self.view.captains]

    @strawberry.field(description="Who answers now, in a showdown.")
    def buzz(self) -> TriviaSpeaker | None:
        if self.view is None or self.view.buzz is UNSET:
            return None
        return TriviaSpeaker(seat=self.view.buzz.seat, team=self.view.buzz.team)

    @strawberry.field
    def question(self) -> TriviaQuestion | None:
        return None if self.view is None or self.view.question is UNSET else _question(self.view.question)

    @strawberry.field
    def reveal(self) -> TriviaReveal | None:
        return None if self.view is None or self.view.reveal is UNSET else _reveal(self.view.reveal)


@strawberry.type(description="`seat` is who acted. What is hidden before the reveal is in none of them.")
class TriviaEvent(GameEvent):
    question_no: int | None
    team: int | None
    tile: int | None = strawberry.field(description="Its place in `board`, from 0.")
    right: bool | None = strawberry.field(description="Of ANSWER_JUDGED.")
    gained: int | None = strawberry.field(description="Of ANSWER_JUDGED: points, below zero when they are lost.")
    close_reason: CloseReason | None = strawberry.field(description="Of QUESTION_REVEALED and ALL_REVEALED.")


# ---------------------------------------------------------------- from the wire


def _text(text: contract.Said) -> TriviaText:
    return TriviaText(it=text.it, en=text.en)


def _seat(seat: contract_view.TriviaSeat) -> TriviaSeat:
    return TriviaSeat(
        seat=seat.seat,
        team=seat.team,
        player=player(seat.player),
        connected=seat.connected,
        answered=seat.answered,
        points=seat.points,
    )


def _team(team: contract_view.TriviaTeam) -> TriviaTeam:
    return TriviaTeam(team=team.team, rank=team.rank, total=team.total)


def _tile(tile: contract_view.Tile) -> TriviaTile:
    return TriviaTile(category=tile.category, theme=tile.theme, value=tile.value, state=TileState(tile.state))


def _question(question: contract_view.QuestionView) -> TriviaQuestion:
    return TriviaQuestion(
        no=question.no,
        theme=question.theme,
        difficulty=question.difficulty,
        value=given(question.value),
        prompt=None if question.prompt is UNSET else _text(question.prompt),
        options=[_text(option) for option in question.options],
        only=None if question.only is UNSET else Language(question.only),
    )


def _reveal(reveal: contract_view.Reveal) -> TriviaReveal:
    return TriviaReveal(
        answer=reveal.answer,
        source=_source(reveal.source),
        reason=CloseReason(reveal.reason),
        answers=[
            TriviaAnswer(seat=each.seat, option=given(each.option), points=each.points, elapsed=given(each.elapsed))
            for each in reveal.answers
        ],
        results=[
            FinalResult(
                team=each.team,
                stake=each.stake,
                option=given(each.option),
                right=each.right,
                before=each.before,
                after=each.after,
            )
            for each in reveal.results
        ],
    )


def _source(address: str) -> str | None:
    return address or None


def _close_reason(reason: str | UnsetType) -> CloseReason | None:
    return CloseReason(reason) if isinstance(reason, str) else None


def trivia(json: Raw) -> Trivia:
    view = _trivia_view(json)
    return Trivia(
        id=game_gid(view.game, view.game_id, view.room),
        kind=GameKind(view.game),
        room_id=view.room,
        version=view.version,
        status=GameStatus(view.status),
        ranked=False,
        started_at=DateTime(view.started_at),
        deadline=moment(view.deadline),
        result=outcome(view.result),
        host=somebody(view.host),
        commitment=view.commitment,
        seed=None if view.seed is UNSET else view.seed,
        view=view,
        mode=TriviaMode(view.mode),
        phase=TriviaPhase(view.phase),
        question_count=view.question_count,
        answered_count=view.answered_count,
        open_at=moment(view.open_at),
        control=given(view.control),
        locked_out=view.locked_out,
        seat=given(view.seat),
        team=given(view.team),
        can=None if view.can is UNSET else [TriviaMove(each) for each in view.can],
        option=given(view.option),
        stake=given(view.stake),
        locked_until=moment(view.locked_until),
    )


def starting_trivia(game: Requested, at: GameAddress) -> Trivia:
    """Requested, and nothing has happened yet."""
    return Trivia(
        id=game_gid(game.kind, at.game, at.room), kind=GameKind(game.kind), room_id=at.room, version=0,
        status=GameStatus.STARTING, ranked=False, started_at=None, deadline=None, result=None, host=None,
        commitment=None, seed=None, view=None, mode=None, phase=None, question_count=0, answered_count=0,
        open_at=None, control=None, locked_out=[], seat=None, team=None, can=None, option=None, stake=None,
        locked_until=None,
    )  # fmt: skip


def trivia_event(json: Raw) -> TriviaEvent:
    told = _happening(json)
    return TriviaEvent(
        at_version=told.at_version,
        kind=game_event_kind(told.kind),
        seat=given(told.seat),
        question_no=given(told.no),
        team=given(told.team),
        tile=given(told.tile),
        right=None if told.right is UNSET else told.right,
        gained=given(told.points),
        close_reason=_close_reason(told.reason),
    )


# ---------------------------------------------------------------- the same, without the objects (``transport.raw``)

reads(
    Trivia,
    TriviaView,
    id=made(game_gid, "game", "game_id", "room"),
    kind=made(GameKind, "game"),
    ranked=made(never_ranked, "game"),
    started_at=made(moment, "started_at"),
    deadline=made(moment, "deadline"),
    open_at=made(moment, "open_at"),
    locked_until=made(moment, "locked_until"),
    host=made(somebody, "host"),
    settings=made(shown_settings, "game", "settings"),
)
reads(TriviaText, contract.Said)
reads(TriviaSeat, contract_view.TriviaSeat, player=made(player, "player"))
reads(TriviaTeam, contract_view.TriviaTeam)
reads(TriviaTile, contract_view.Tile)
reads(TriviaQuestion, contract_view.QuestionView)
reads(TriviaAnswer, contract.RevealedAnswer)
reads(FinalResult, contract.FinalResult)
reads(TriviaReveal, contract_view.Reveal, source=made(_source, "source"))
reads(TriviaSpeaker, contract_view.Holder)
reads(
    TriviaEvent,
    TriviaHappening,
    kind=made(game_event_kind, "kind"),
    question_no=made(given, "no"),
    gained=made(given, "points"),
    close_reason=made(_close_reason, "reason"),
)
