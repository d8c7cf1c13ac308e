"""What people can do in a trivia night. Answers carry the question's number, so that a late one never hits the next."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import strawberry
from circolo_contracts import trivia

from .at_room import Info, Key
from .playing import Move, in_game, move


@strawberry.type
class AtTheTrivia:
    @move(
        description="`option` from 0, as shown; the first one is final. In the quiz everybody, in a showdown who "
        "pressed first, in tutto o niente the captains."
    )
    def answer_question(
        self,
        info: Info,
        game_id: strawberry.ID,
        question_no: int,
        option: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = trivia.AnswerQuestion(question_no=question_no, option=option)
        fields: dict[str, object] = {"questionNo": question_no, "option": option}
        return in_game(info.context, "answerQuestion", game_id, data, fields, idempotency_key, expected_version)

    @move(description="By anybody of the team in control. `category` as the board names it.")
    def pick_tile(
        self,
        info: Info,
        game_id: strawberry.ID,
        category: str,
        value: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = trivia.PickTile(category=category, value=value)
        fields: dict[str, object] = {"category": category, "value": value}
        return in_game(info.context, "pickTile", game_id, data, fields, idempotency_key, expected_version)

    @move(
        description="The first press that counts answers. One before `openAt` is TOO_EARLY and locks for a quarter of "
        "a second."
    )
    def buzz(
        self,
        info: Info,
        game_id: strawberry.ID,
        question_no: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = trivia.Buzz(question_no=question_no)
        fields: dict[str, object] = {"questionNo": question_no}
        return in_game(info.context, "buzz", game_id, data, fields, idempotency_key, expected_version)

    @move(description="By the captain: 0 to what his team has; the first one is final.")
    def stake(
        self,
        info: Info,
        game_id: strawberry.ID,
        amount: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = trivia.Stake(amount=amount)
        fields: dict[str, object] = {"amount": amount}
        return in_game(info.context, "stake", game_id, data, fields, idempotency_key, expected_version)

    @move(
        description="By the host: from READY to the question, from the reveal onwards, after the last one to the end."
    )
    def next_question(
        self,
        info: Info,
        game_id: strawberry.ID,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = trivia.NextQuestion()
        return in_game(info.context, "nextQuestion", game_id, data, {}, idempotency_key, expected_version)

    @move(description="By the host, before the reveal: the question is void.")
    def skip_question(
        self,
        info: Info,
        game_id: strawberry.ID,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = trivia.SkipQuestion()
        return in_game(info.context, "skipQuestion", game_id, data, {}, idempotency_key, expected_version)

    @move(description="By the host, in the quiz: reveal now, whoever has not answered.")
    def close_question(
        self,
        info: Info,
        game_id: strawberry.ID,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = trivia.CloseQuestion()
        return in_game(info.context, "closeQuestion", game_id, data, {}, idempotency_key, expected_version)

    @move(description="By the host, when a team's captain is gone: this seat speaks for it till the end of the phase.")
    def act_as_captain(
        self,
        info: Info,
        game_id: strawberry.ID,
        team: int,
        seat: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = trivia.ActAsCaptain(team=team, seat=seat)
        fields: dict[str, object] = {"team": team, "seat": seat}
        return in_game(info.context, "actAsCaptain", game_id, data, fields, idempotency_key, expected_version)

    @move(description="By the host, when nobody of the team in control is there.")
    def pass_control(
        self,
        info: Info,
        game_id: strawberry.ID,
        team: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = trivia.PassControl(team=team)
        fields: dict[str, object] = {"team": team}
        return in_game(info.context, "passControl", game_id, data, fields, idempotency_key, expected_version)
