"""The question bank: a player's file of questions, looked at and brought in for the nights that he hosts."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from enum import Enum
from typing import Annotated

import msgspec
import strawberry
from circolo_contracts import questions as contract
from circolo_contracts.games import TRIVIA
from circolo_contracts.ids import stream_of
from circolo_contracts.questions import ImportQuestions, ImportReport, PreviewQuestions
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Refused as RefusedAnswer
from msgspec import UNSET

from ..boundary import text_problem
from ..commands import Wish
from .at_room import Info, Key
from .context import Context
from .enums import Language
from .results import Refused, refusal, refused
from .trivia import TriviaText

BANK = "bank"
MOST_DATA = 1_000_000
"""Characters of a file as base64; what the bank reads is smaller."""
_report = msgspec.json.Decoder(ImportReport).decode


@strawberry.enum(
    description="JSON: our own, in both languages. OPEN_TRIVIA: Open Trivia DB. GIFT: Moodle. KAHOOT: its XLSX."
)
class QuestionFormat(Enum):
    JSON = "JSON"
    CSV = "CSV"
    OPEN_TRIVIA = "OPEN_TRIVIA"
    GIFT = "GIFT"
    AIKEN = "AIKEN"
    KAHOOT = "KAHOOT"


@strawberry.enum(
    description="Why a row is not taken. DUPLICATE: the bank has it; UNSUPPORTED: another kind of question than four "
    "options."
)
class RowProblem(Enum):
    UNREADABLE = "UNREADABLE"
    UNSUPPORTED = "UNSUPPORTED"
    EMPTY = "EMPTY"
    TOO_LONG = "TOO_LONG"
    MARKUP = "MARKUP"
    NOT_FOUR_OPTIONS = "NOT_FOUR_OPTIONS"
    EQUAL_OPTIONS = "EQUAL_OPTIONS"
    NO_RIGHT_OPTION = "NO_RIGHT_OPTION"
    SEVERAL_RIGHT_OPTIONS = "SEVERAL_RIGHT_OPTIONS"
    UNKNOWN_THEME = "UNKNOWN_THEME"
    BAD_DIFFICULTY = "BAD_DIFFICULTY"
    BAD_SOURCE = "BAD_SOURCE"
    DUPLICATE_IN_FILE = "DUPLICATE_IN_FILE"
    DUPLICATE = "DUPLICATE"
    BANK_FULL = "BANK_FULL"


@strawberry.input
class QuestionFileInput:
    format: QuestionFormat
    data: str = strawberry.field(description="The file, base64; 512 KB at most.")
    language: Language = strawberry.field(default=Language.IT, description="Of formats that have one language.")
    theme: str = strawberry.field(default="", description="For rows that name none.")


@strawberry.type
class RefusedRow:
    row: int = strawberry.field(description="Line of a text file, item of a JSON file (from 1), row of a sheet.")
    problem: RowProblem
    field: str | None


@strawberry.type
class TakenRow:
    row: int
    theme: str
    difficulty: int
    prompt: TriviaText


@strawberry.type
class QuestionsDone:
    replayed: bool = strawberry.field(description="The key had been used before: this is its first answer again.")
    stored: bool = strawberry.field(description="False for a preview.")
    taken: int = strawberry.field(description="How many rows are, or would be, taken.")
    rows: list[TakenRow] = strawberry.field(description="The first hundred of them.")
    refused: list[RefusedRow]


QuestionsResult = Annotated[QuestionsDone | Refused, strawberry.union("QuestionsResult")]


@strawberry.type
class AtTheBank:
    @strawberry.mutation(description="What `importQuestions` with the same file would do; nothing is stored.")
    async def preview_questions(
        self, info: Info, file: QuestionFileInput, idempotency_key: Key = None
    ) -> QuestionsResult:
        return await _hand_in(info.context, "previewQuestions", PreviewQuestions, file, idempotency_key)

    @strawberry.mutation(
        description="All rows that can be taken are stored at once, for the nights that the viewer hosts; the others "
        "are named with what is wrong."
    )
    async def import_questions(
        self, info: Info, file: QuestionFileInput, idempotency_key: Key = None
    ) -> QuestionsResult:
        return await _hand_in(info.context, "importQuestions", ImportQuestions, file, idempotency_key)


async def _hand_in(
    context: Context,
    mutation: str,
    of: type[PreviewQuestions | ImportQuestions],
    file: QuestionFileInput,
    key: Key,
) -> QuestionsDone | Refused:
    if not context.viewer:
        return refusal(context, RefusalCode.UNAUTHENTICATED)
    problem = text_problem(file.theme, "theme") or text_problem(file.data, "data", MOST_DATA)
    if problem is not None:
        return refused(context, problem)
    data = of(data=file.data, format=file.format.value, language=file.language.value, theme=file.theme)
    fields = {"data": file.data, "format": data.format, "language": data.language, "theme": data.theme}
    wish = Wish(mutation, TRIVIA.service, stream_of(BANK, context.viewer), data, fields, key)
    answer = await context.house.commands.send(wish, context.viewer)
    if isinstance(answer, RefusedAnswer):
        return refused(context, answer)
    if answer.extra is UNSET:
        return refusal(context, RefusalCode.UNAVAILABLE)
    return _done(_report(answer.extra), replayed=answer.replayed)


def _done(report: ImportReport, *, replayed: bool) -> QuestionsDone:
    return QuestionsDone(
        replayed=replayed,
        stored=report.stored,
        taken=report.taken,
        rows=[_taken(row) for row in report.rows],
        refused=[
            RefusedRow(
                row=each.row, problem=RowProblem(each.problem), field=None if each.field is UNSET else each.field
            )
            for each in report.refused
        ],
    )


def _taken(row: contract.TakenRow) -> TakenRow:
    prompt = TriviaText(it=row.prompt.it, en=row.prompt.en)
    return TakenRow(row=row.row, theme=row.theme, difficulty=row.difficulty, prompt=prompt)
