"""A mutation whose answer comes in a callback: no task, and every rule of an operation holds as with one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

import msgspec
import pytest
import strawberry
from circolo_gateway.schema.scalars import SCALARS
from circolo_gateway.transport.documents import Documents
from circolo_gateway.transport.errors import Problem
from circolo_gateway.transport.execution import Execution
from circolo_gateway.transport.later import Later
from circolo_gateway.transport.operations import Operations
from circolo_gateway.transport.session import NOBODY, Session
from circolo_gateway.transport.websocket import Connection, SocketBounds
from strawberry.schema.config import StrawberryConfig


class Answer(Later[int]):
    """Of a mutation of the test, which says when it comes and with what."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
        self.cancelled = False

    def result(self) -> int:
        if self.number == 13:
            raise ValueError("a secret text")
        if self.number == 0:
            raise Problem("NO_LUCK", "Not today.")
        return self.number

    def cancel(self) -> None:
        super().cancel()
        self.cancelled = True


class Table:
    def __init__(self) -> None:
        self.answers: list[Answer] = []


@strawberry.type
class Query:
    number: int = 1


@strawberry.type
class Mutation:
    @partial(strawberry.mutation, graphql_type=int)
    def play(self, info: strawberry.Info[Table, None], n: int) -> Any:
        if n == 1:
            return 1
        answer = Answer(n)
        info.context.answers.append(answer)
        return answer


SCHEMA: Any = strawberry.Schema(query=Query, mutation=Mutation, config=StrawberryConfig(scalar_map=SCALARS))._schema
PLAY = "mutation($n: Int!) { play(n: $n) }"


class Application:
    def __init__(self) -> None:
        self.table = Table()
        self.wait = 0.0
        self.charged = 0
        self.unknown: Callable[[], Awaitable[None]] | None = None

    def identify(self, authorization: str | None) -> Any:
        return NOBODY

    def context(self, session: Session) -> object:
        return self.table

    def charge(self, session: Session, operation: Any) -> float:
        self.charged += 1
        return self.wait

    def admission(self, session: Session, operation: Any) -> Awaitable[None] | None:
        return None if self.unknown is None else self.unknown()

    def now(self) -> int:
        return 0


class Wire:
    """A socket as a Connection sees it, at its other end. ``scope`` is what Starlette says of it."""

    def __init__(self) -> None:
        self.scope = {"extensions": {"circolo.socket": self}}
        self.headers: dict[str, str] = {}
        self.client = None
        self.heard: Any = None
        self.said: list[Any] = []
        self.takes = asyncio.Event()
        self.takes.set()

    def is_writable(self) -> bool:
        return self.takes.is_set()

    async def until_writable(self) -> None:
        await self.takes.wait()

    def write_text(self, text: bytes) -> None:
        self.said.append(msgspec.json.decode(text))

    def abort(self) -> None: ...

    async def receive(self) -> Any:
        await asyncio.Event().wait()


async def turns() -> None:
    """Of the loop, until whatever was begun has come to its next wait."""
    for _ in range(20):
        await asyncio.sleep(0)


class Player:
    """One socket to a table, with the document known already."""

    def __init__(self, operations: int = 10) -> None:
        self.application = Application()
        self.wire = Wire()
        documents = Documents(SCHEMA)
        documents.get(PLAY)
        self.connection = Connection(
            self.wire,  # type: ignore[arg-type]
            self.application,
            Operations(self.application, documents, Execution(SCHEMA)),
            SocketBounds(operations=operations, soft_bytes=100),
        )
        self.serving = asyncio.create_task(self.connection.serve())

    async def __aenter__(self) -> Player:
        await asyncio.sleep(0)
        self.say({"type": "connection_init"})
        self.wire.said.clear()
        return self

    def play_while_the_socket_takes_nothing(self, n: int) -> None:
        self.wire.takes.clear()
        self.say({"type": "ping", "payload": {"long": "x" * 200}})
        self.play(n)
        self.answers[0].come()

    async def __aexit__(self, *_: object) -> None:
        self.serving.cancel()
        await asyncio.gather(self.serving, return_exceptions=True)

    def say(self, message: Any) -> None:
        self.wire.heard(msgspec.json.encode(message).decode())

    def play(self, n: Any, identity: str = "1") -> None:
        payload = {"query": PLAY, "variables": {"n": n}}
        self.say({"id": identity, "type": "subscribe", "payload": payload})

    @property
    def answers(self) -> list[Answer]:
        return self.application.table.answers

    @property
    def heard(self) -> list[Any]:
        return [(said["id"], said["type"], said.get("payload")) for said in self.wire.said]


def done(identity: str, n: int) -> list[Any]:
    return [(identity, "next", {"data": {"play": n}}), (identity, "complete", None)]


async def test_an_answer_is_said_in_the_callback_that_brings_it_and_the_id_is_free() -> None:
    async with Player() as player:
        tasks = asyncio.all_tasks()
        player.play(7)
        player.play(8, "2")
        assert player.heard == []
        assert asyncio.all_tasks() == tasks
        player.answers[1].come()
        assert player.heard == done("2", 8)
        player.answers[0].come()
        assert player.heard == [*done("2", 8), *done("1", 7)]
        assert player.connection.operations == {}


async def test_what_is_known_at_once_is_said_at_once() -> None:
    async with Player() as player:
        player.play(1)
        assert player.heard == done("1", 1)
        assert player.connection.operations == {}


@pytest.mark.parametrize(("n", "code"), [(0, "NO_LUCK"), (13, "INTERNAL")])
async def test_an_answer_that_cannot_be_made_is_an_error_of_the_field_and_tells_nothing_else(n: int, code: str) -> None:
    async with Player() as player:
        player.play(n)
        player.answers[0].come()
        (_, kind, payload), complete = player.heard
    assert (kind, payload["data"], complete) == ("next", None, ("1", "complete", None))
    assert payload["errors"][0]["extensions"]["code"] == code
    assert payload["errors"][0]["path"] == ["play"]
    assert "secret" not in str(payload)


async def test_after_complete_the_answer_is_not_wanted_and_the_id_is_free_at_once() -> None:
    async with Player() as player:
        player.play(7)
        player.say({"id": "1", "type": "complete"})
        assert player.answers[0].cancelled
        player.play(8)
        player.answers[0].come()
        assert player.heard == []
        player.answers[1].come()
        assert player.heard == done("1", 8)


async def test_a_socket_that_ends_wants_no_answers() -> None:
    async with Player() as player:
        player.play(7)
    assert player.answers[0].cancelled
    player.answers[0].come()
    assert player.heard == []


async def test_an_operation_without_a_task_counts_among_those_that_are_open() -> None:
    async with Player(operations=2) as player:
        for n in (7, 8, 9):
            player.play(n, str(n))
        ((identity, kind, errors),) = player.heard
        assert (identity, kind, errors[0]["extensions"]["code"]) == ("9", "error", "TOO_MANY_OPERATIONS")
        player.answers[0].come()
        player.play(9, "9")
        assert len(player.answers) == 3


async def test_who_asks_too_much_is_told_so_and_nothing_is_sent() -> None:
    async with Player() as player:
        player.application.wait = 1.0
        player.play(7)
        ((_, kind, errors),) = player.heard
        assert (kind, errors[0]["extensions"]["code"], player.answers) == ("error", "RATE_LIMITED", [])
        assert player.connection.operations == {}


async def test_an_answer_waits_until_the_socket_has_room() -> None:
    async with Player() as player:
        player.play_while_the_socket_takes_nothing(7)
        await turns()
        assert (player.wire.said, list(player.connection.operations)) == ([], ["1"])
        player.wire.takes.set()
        await turns()
        assert [said["type"] for said in player.wire.said] == ["pong", "next", "complete"]
        assert player.connection.operations == {}


async def test_an_answer_that_waits_for_room_is_forgotten_after_complete() -> None:
    async with Player() as player:
        player.play_while_the_socket_takes_nothing(7)
        player.say({"id": "1", "type": "complete"})
        player.wire.takes.set()
        await turns()
        assert [said["type"] for said in player.wire.said] == ["pong"]


@pytest.mark.parametrize("n", ["seven", None, 2**40])
async def test_wrong_variables_are_refused_as_graphql_core_says(n: Any) -> None:
    async with Player() as player:
        player.play(n)
        await turns()
        ((_, kind, errors),) = player.heard
        assert (kind, errors[0]["extensions"]["code"], player.answers) == ("error", "BAD_USER_INPUT", [])
        assert player.application.charged == 1


async def test_whose_token_must_be_looked_at_first_waits_for_that() -> None:
    looked = asyncio.Event()

    async def look() -> None:
        await looked.wait()

    async with Player() as player:
        player.application.unknown = look
        player.play(7)
        await turns()
        assert (player.answers, player.application.charged) == ([], 0)
        looked.set()
        await turns()
        player.answers[0].come()
        await turns()
        assert player.heard == done("1", 7)
        assert player.application.charged == 1


async def test_whose_token_was_recalled_sends_nothing() -> None:
    async def look() -> None:
        raise Problem("UNAUTHENTICATED", "The token was recalled.", status=401)

    async with Player() as player:
        player.application.unknown = look
        player.play(7)
        await turns()
        ((_, kind, errors),) = player.heard
        assert (kind, errors[0]["extensions"]["code"], player.answers) == ("error", "UNAUTHENTICATED", [])


async def test_a_document_that_is_seen_for_the_first_time_is_read_in_a_task() -> None:
    async with Player() as player:
        query = "mutation { play(n: 7) }"
        player.say({"id": "1", "type": "subscribe", "payload": {"query": query}})
        await turns()
        player.answers[0].come()
        await turns()
        player.say({"id": "2", "type": "subscribe", "payload": {"query": query}})
        player.answers[1].come()
        assert player.heard == [*done("1", 7), *done("2", 7)]


@pytest.mark.parametrize("n", [1, 7, 0, 13])
async def test_graphql_core_awaits_the_same_answer(n: int) -> None:
    documents, execution = Documents(SCHEMA), Execution(SCHEMA)
    answers: list[Any] = []
    for text in (PLAY, "mutation($n: Int!) { play(n: $n) @include(if: true) }"):
        operation = documents.get(text).select(None)
        assert (operation.call is not None) is (text is PLAY)
        table = Table()
        waiting = asyncio.create_task(_answer(execution.answer(operation, {"n": n}, table)))
        await turns()
        for answer in table.answers:
            answer.come()
        answered = await waiting
        for error in answered.get("errors", []):
            error["extensions"].pop("errorId", None)
            error.pop("locations")
        answers.append(answered)
    assert answers[0] == answers[1]


async def _answer(answering: Coroutine[Any, Any, Any]) -> Any:
    return msgspec.json.decode(await answering)


async def test_whoever_stops_awaiting_an_answer_cancels_it() -> None:
    answer = Answer(7)

    async def wait() -> int:
        return await answer

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert answer.cancelled
    answer.come()
