"""Each mutation of the party games is the command that it says, for the game that it names; nothing else is sent."""

from __future__ import annotations

import base64
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from circolo_contracts import questions, tombola, trivia
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Done, Refused
from circolo_gateway.commands import Wish
from circolo_gateway.schema.node import game_gid
from gateway_oracle import SCHEMA
from graphql import graphql
from msgspec import UNSET, Raw

ADA, ROOM, GAME = "a" * 32, "1" * 32, "2" * 32
AT_THE_TOMBOLA = {
    "drawNumber": tombola.DrawNumber(),
    "markNumber(number: 7, marked: true)": tombola.MarkNumber(True, 7),
    "claimPrize(prize: QUATERNA)": tombola.ClaimPrize("QUATERNA"),
    "claimAll": tombola.ClaimAll(),
    "setCalling(mode: AUTOMATIC)": tombola.SetCalling("AUTOMATIC", UNSET),
    "setCalling(mode: MANUAL, everySeconds: 5)": tombola.SetCalling("MANUAL", 5),
    "pauseCalling": tombola.PauseCalling(),
    "resumeCalling": tombola.ResumeCalling(),
}
AT_THE_TRIVIA = {
    "answerQuestion(questionNo: 3, option: 2)": trivia.AnswerQuestion(2, 3),
    'pickTile(category: "arte2", value: 200)': trivia.PickTile("arte2", 200),
    "buzz(questionNo: 3)": trivia.Buzz(3),
    "stake(amount: 300)": trivia.Stake(300),
    "nextQuestion": trivia.NextQuestion(),
    "skipQuestion": trivia.SkipQuestion(),
    "closeQuestion": trivia.CloseQuestion(),
    "actAsCaptain(team: 1, seat: 3)": trivia.ActAsCaptain(3, 1),
    "passControl(team: 1)": trivia.PassControl(1),
}
MOVES = [
    *(("TOMBOLA", call, command) for call, command in AT_THE_TOMBOLA.items()),
    *(("TRIVIA", call, command) for call, command in AT_THE_TRIVIA.items()),
]


class Sent:
    """A house that notes what it is asked to do, and answers ``answer``."""

    def __init__(self, viewer: str, answer: Done | Refused) -> None:
        self.wishes: list[Wish] = []
        self.viewer = viewer
        self.language = "EN"
        self._answer = answer
        self.house = SimpleNamespace(commands=self, feeds=SimpleNamespace(expect=lambda *_: None))

    async def send(self, wish: Wish, player: str) -> Done | Refused:
        assert player == self.viewer
        self.wishes.append(wish)
        return self._answer

    def begin(self, wish: Wish, player: str, read: Callable[[Done | Refused], Any]) -> Any:
        """Not later, but now."""
        assert player == self.viewer
        self.wishes.append(wish)
        return read(self._answer)


async def ask(sent: Sent, call: str, answer: str = "... on Refused { code field }", **more: Any) -> Any:
    declared = "($file: QuestionFileInput!)" if "file" in more else ""
    text = f"mutation{declared} {{ {call} {{ __typename {answer} }} }}"
    result = await graphql(SCHEMA, text, context_value=sent, variable_values=more)
    assert result.errors is None, result.errors
    return next(iter((result.data or {}).values()))


def named(call: str, game: str) -> str:
    name, _, arguments = call.partition("(")
    return f'{name}(gameId: "{game}", expectedVersion: 4' + (f", {arguments}" if arguments else ")")


@pytest.mark.parametrize(("kind", "call", "command"), MOVES, ids=[move[1] for move in MOVES])
async def test_a_move_is_the_command_that_it_says(kind: str, call: str, command: Any) -> None:
    sent = Sent(ADA, Refused(RefusalCode.WRONG_PHASE, field="question_no"))
    answer = await ask(sent, named(call, game_gid(kind, GAME, ROOM)))
    assert answer == {"__typename": "Refused", "code": "WRONG_PHASE", "field": "questionNo"}
    (wish,) = sent.wishes
    assert (wish.service, wish.stream, wish.expected) == (kind.lower(), f"{kind.lower()}-{GAME}", 4)
    assert wish.data == command
    assert wish.mutation == call.partition("(")[0]
    nobody = Sent("", Refused(RefusalCode.UNAVAILABLE))
    assert (await ask(nobody, named(call, game_gid(kind, GAME, ROOM))))["code"] == "UNAUTHENTICATED"
    lost = Sent(ADA, Refused(RefusalCode.UNAVAILABLE))
    assert (await ask(lost, named(call, "x")))["field"] == "gameId"
    assert nobody.wishes == lost.wishes == []


@pytest.mark.parametrize(("kind", "call", "command"), MOVES, ids=[move[1] for move in MOVES])
async def test_everything_that_a_move_says_is_what_its_key_stands_for(kind: str, call: str, command: Any) -> None:
    """Else the same key for another move would get the first one's answer."""
    sent = Sent(ADA, Refused(RefusalCode.UNAVAILABLE))
    await ask(sent, named(call, game_gid(kind, GAME, ROOM)))
    (wish,) = sent.wishes
    said = {value for value in msgspec.to_builtins(command).values() if value is not None}
    assert said | {GAME} == set(wish.fields.values())


REPORT = questions.ImportReport(
    [questions.RefusedRow("EMPTY", 3, "prompt"), questions.RefusedRow("DUPLICATE", 4)],
    [questions.TakenRow(2, trivia.Said("Who?", "Chi?"), 1, "arte")], True, 1,
)  # fmt: skip
FILE = {"format": "CSV", "data": base64.b64encode(b"x").decode(), "language": "EN", "theme": "arte"}
SHOWN = """... on QuestionsDone { replayed stored taken rows { row theme difficulty prompt { it en } }
  refused { row problem field } } ... on Refused { code field }"""


@pytest.mark.parametrize(
    ("call", "kind"),
    [("previewQuestions", questions.PreviewQuestions), ("importQuestions", questions.ImportQuestions)],
)
async def test_a_file_goes_to_ones_own_bank_and_its_report_comes_back(call: str, kind: Any) -> None:
    done = Done(0, 0, True, Raw(b"{}"), 0, extra=Raw(msgspec.json.encode(REPORT)))
    sent = Sent(ADA, done)
    answer = await ask(sent, f"{call}(file: $file)", SHOWN, file=FILE)
    assert answer == {
        "__typename": "QuestionsDone", "replayed": True, "stored": True, "taken": 1,
        "rows": [{"row": 1, "theme": "arte", "difficulty": 2, "prompt": {"it": "Chi?", "en": "Who?"}}],
        "refused": [
            {"row": 3, "problem": "EMPTY", "field": "prompt"}, {"row": 4, "problem": "DUPLICATE", "field": None},
        ],
    }  # fmt: skip
    (wish,) = sent.wishes
    assert (wish.service, wish.stream) == ("trivia", f"bank-{ADA}")
    assert wish.data == kind(FILE["data"], "CSV", "EN", "arte")
    assert set(wish.fields.values()) == set(FILE.values())


async def test_a_file_that_cannot_travel_is_refused_by_name() -> None:
    sent = Sent(ADA, Refused(RefusalCode.UNAVAILABLE))
    for wrong, field in (
        ({"theme": "\ud800"}, "theme"), ({"theme": "a\x00"}, "theme"), ({"theme": "x" * 1_001}, "theme"),
        ({"data": "\ud800"}, "data"), ({"data": "A" * 1_000_001}, "data"),
    ):  # fmt: skip
        answer = await ask(sent, "importQuestions(file: $file)", SHOWN, file={**FILE, **wrong})
        assert (answer["code"], answer["field"]) == ("INVALID_TEXT", field)
    nobody = Sent("", Refused(RefusalCode.UNAVAILABLE))
    assert (await ask(nobody, "importQuestions(file: $file)", SHOWN, file=FILE))["code"] == "UNAUTHENTICATED"
    assert sent.wishes == nobody.wishes == []
