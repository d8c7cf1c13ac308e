"""What people can do in a trivia night. Answers carry the question's number, so that a late one never hits the next."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import strawberry
from circolo_contracts import trivia

from .at_room import Info, Key
from .playing import in_game
from .results import GameResult


@strawberry.type
class AtTheTrivia:
    @strawberry.mutation(
        description="`option` from 0, as shown; the first one is final. In the quiz everybody, in a showdown who "
        "pressed first, in tutto o niente the captains."
    )
    async def answer_question(
        self,
        info: Info,
        game_id: strawberry.ID,
        question_no: int,
        option: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> GameResult:
        data = trivia.AnswerQuestion(question_no=question_no, option=option)
        fields: dict[str, object] = {"questionNo": question_no, "option": option}
        return await in_game(info.context, "answerQuestion", game_id, data, fields, idempotency_key, expected_version)

    @strawberry.mutation(description="By anybody of the team in control. `category` as the board names it.")
    async def pick_tile(
        self,
        info: Info,
        game_id: strawberry.ID,
        category: str,
        value: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> GameResult:
        data = trivia.PickTile(category=category, value=value)
        fields: dict[str, object] = {"category": category, "value": value}
        return await in_game(info.context, "pickTile", game_id, data, fields, idempotency_key, expected_version)

    @strawberry.mutation(
        description="The first press that counts answers. One before `openAt` is TOO_EARLY and locks for a quarter of "
        "a second."
    )
    async def buzz(
        self,
        info: Info,
        game_id: strawberry.ID,
        question_no: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> GameResult:
        data = trivia.Buzz(question_no=question_no)
        fields: dict[str, object] = {"questionNo": question_no}
        return await in_game(info.context, "buzz", game_id, data, fields, idempotency_key, expected_version)

    @strawberry.mutation(description="By the captain: 0 to what his team has; the first one is final.")
    async def stake(
        self,
        info: Info,
        game_id: strawberry.ID,
        amount: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> GameResult:
        data = trivia.Stake(amount=amount)
        fields: dict[str, object] = {"amount": amount}
        return await in_game(info.context, "stake", game_id, data, fields, idempotency_key, expected_version)

    @strawberry.mutation(
        description="By the host: from READY to the question, from the reveal onwards, after the last one to the end."
    )
    async def next_question(
        self,
        info: Info,
        game_id: strawberry.ID,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> GameResult:
        data = trivia.NextQuestion()
        return await in_game(info.context, "nextQuestion", game_id, data, {}, idempotency_key, expected_version)

    @strawberry.mutation(description="By the host, before the reveal: the question is void.")
    async def skip_question(
        self,
        info: Info,
        game_id: strawberry.ID,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> GameResult:
        data = trivia.SkipQuestion()
        return await in_game(info.context, "skipQuestion", game_id, data, {}, idempotency_key, expected_version)

    @strawberry.mutation(description="By the host, in the quiz: reveal now, whoever has not answered.")
    async def close_question(
        self,
        info: Info,
        game_id: strawberry.ID,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> GameResult:
        data = trivia.CloseQuestion()
        return await in_game(info.context, "closeQuestion", game_id, data, {}, idempotency_key, expected_version)

    @strawberry.mutation(
        description="By the host, when a team's captain is gone: this seat speaks for it till the end of the phase."
    )
    async def act_as_captain(
        self,
        info: Info,
        game_id: strawberry.ID,
        team: int,
        seat: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> GameResult:
        data = trivia.ActAsCaptain(team=team, seat=seat)
        fields: dict[str, object] = {"team": team, "seat": seat}
        return await in_game(info.context, "actAsCaptain", game_id, data, fields, idempotency_key, expected_version)

    @strawberry.mutation(description="By the host, when nobody of the team in control is there.")
    async def pass_control(
        self,
        info: Info,
        game_id: strawberry.ID,
        team: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> GameResult:
        data = trivia.PassControl(team=team)
        fields: dict[str, object] = {"team": team}
        return await in_game(info.context, "passControl", game_id, data, fields, idempotency_key, expected_version)
