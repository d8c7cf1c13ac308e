"""GraphQL over HTTP: statuses, media types, bounds."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from circolo_gateway.transport.http import negotiate

GRAPHQL = "application/graphql-response+json"


async def ask(running: Any, body: Any, *, accept: str = GRAPHQL, **headers: str) -> httpx.Response:
    content = body if isinstance(body, str | bytes) else json.dumps(body)
    async with httpx.AsyncClient() as client:
        return await client.post(
            running.url,
            content=content,
            headers={
                "content-type": "application/json",
                "accept": accept,
                **{k.replace("_", "-"): v for k, v in headers.items()},
            },
        )


def code(response: httpx.Response) -> str:
    found: str = response.json()["errors"][0]["extensions"]["code"]
    return found


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        (None, "application/json"), ("*/*", "application/json"), ("application/*;q=0.5", "application/json"),
        ("application/json", "application/json"), (GRAPHQL, GRAPHQL),
        (f"{GRAPHQL};q=0.5, application/json", "application/json"),
        (f"application/json;q=0.9, {GRAPHQL}", GRAPHQL), ("text/html", None), (f"{GRAPHQL};q=0", None),
        (f"{GRAPHQL}, application/graphql+json, application/json, text/event-stream, multipart/mixed", GRAPHQL),
        ("application/json;q=nonsense", None),
    ],
)  # fmt: skip
def test_the_answers_media_type_is_the_clients_first_choice(accept: str | None, wanted: str | None) -> None:
    assert negotiate(accept) == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ({"query": "{ nope"}, "GRAPHQL_PARSE_FAILED"),
        ({"query": "{ nope }"}, "GRAPHQL_VALIDATION_FAILED"),
        ({"query": "query ($n: Int!) { number(n: $n) }", "variables": {"n": 2**53 + 1}}, "BAD_USER_INPUT"),
        ({"query": "query A { hello } query B { hello }"}, "OPERATION_RESOLUTION_FAILURE"),
    ],
)
async def test_what_was_not_executed_is_400_or_in_plain_json_200(running: Any, body: Any, wanted: str) -> None:
    for accept, status in ((GRAPHQL, 400), ("application/json", 200)):
        response = await ask(running, body, accept=accept)
        assert (response.status_code, code(response)) == (status, wanted)
        assert "data" not in response.json()


BAD_BODIES: list[tuple[Any, int, str]] = [
    ("{nope", 400, "BAD_JSON"), ("NaN", 400, "BAD_JSON"), (b"\xff\xfe", 400, "BAD_JSON"),
    ("[" * 100_000, 400, "BAD_JSON"), ("9" * 10_000, 400, "BAD_JSON"), ("3", 400, "BAD_REQUEST"),
    ({}, 400, "BAD_REQUEST"), ({"query": 3}, 400, "BAD_REQUEST"),
    ({"query": "{hello}", "variables": []}, 400, "BAD_REQUEST"),
    ([{"query": "{hello}"}] * 50, 400, "BATCHING_NOT_SUPPORTED"),
    ({"query": "{hello}" + " " * 70_000}, 413, "TOO_LARGE"),
    ({"query": "{hello}", "extra": "x" * 2_000_000}, 413, "BODY_TOO_LARGE"),
    ({"query": "{ ..."}, 400, "GRAPHQL_PARSE_FAILED"),
    ({"query": "subscription { quiet }"}, 400, "SUBSCRIPTION_OVER_HTTP"),
    ('{"query":"{hello} # \\ud800"}', 400, "GRAPHQL_PARSE_FAILED"),
]  # fmt: skip


async def test_a_bad_body_is_refused_by_name(running: Any) -> None:
    for body, status, wanted in BAD_BODIES:
        response = await ask(running, body)
        assert (response.status_code, code(response)) == (status, wanted), str(body)[:80]


async def test_only_json_is_read_so_that_no_foreign_form_can_post(running: Any) -> None:
    for media in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/graphql",
    ):
        response = await ask(running, '{"query":"mutation { move(n: 1) }"}', content_type=media)
        assert (response.status_code, code(response)) == (415, "UNSUPPORTED_MEDIA_TYPE")
    assert running.toy.moves == []


async def test_get_runs_queries_only(running: Any) -> None:
    async with httpx.AsyncClient() as client:
        fine = await client.get(running.url, params={"query": "{ hello }"})
        assert fine.json() == {"data": {"hello": "hello you"}}
        refused = await client.get(running.url, params={"query": "mutation { move(n: 1) }"})
        assert (refused.status_code, refused.headers["allow"], code(refused)) == (405, "POST", "METHOD_NOT_ALLOWED")
        assert (await client.put(running.url)).status_code == 405
        assert (await client.get(running.url, params={"query": "{hello}", "variables": "{"})).status_code == 400
    assert running.toy.moves == []


async def test_a_resolvers_exception_is_masked_and_logged_under_an_id(
    running: Any, caplog: pytest.LogCaptureFixture
) -> None:
    response = await ask(running, {"query": "{ boom hello }"})
    assert (response.status_code, response.json()["data"]) == (200, {"boom": None, "hello": "hello you"})
    assert code(response) == "INTERNAL"
    assert "swordfish" not in response.text
    assert response.json()["errors"][0]["extensions"]["errorId"] in caplog.text


async def test_no_suggestion_and_few_errors_for_a_wrong_document(running: Any) -> None:
    response = await ask(running, {"query": "{ hell " + " ".join(f"zz{n}" for n in range(900)) + " }"})
    assert "did you mean" not in response.text.lower()
    assert len(response.json()["errors"]) <= 21


async def test_a_bad_token_is_401_and_a_wrong_accept_406(running: Any) -> None:
    refused = await ask(running, {"query": "{hello}"}, authorization="Bearer nonsense")
    assert (refused.status_code, code(refused)) == (401, "UNAUTHENTICATED")
    assert (await ask(running, {"query": "{hello}"}, accept="text/html")).status_code == 406


async def test_too_many_operations_are_429_with_when_to_come_again(running: Any) -> None:
    running.toy.wait = 2.6
    response = await ask(running, {"query": "mutation { move(n: 1) }"})
    assert (response.status_code, response.headers["retry-after"], code(response)) == (429, "3", "RATE_LIMITED")
    assert running.toy.moves == []


async def test_answers_are_not_kept_by_caches_and_have_an_id(running: Any) -> None:
    response = await ask(running, {"query": "{hello}"})
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-request-id"]


async def test_a_page_of_another_site_is_refused_until_it_is_named(serving: Any) -> None:
    async with serving() as running:
        assert (await ask(running, {"query": "{hello}"}, origin="https://evil.example")).status_code == 403
        near = await ask(running, {"query": "{hello}"}, origin="http://localhost:5173")
        assert near.headers["access-control-allow-origin"] == "http://localhost:5173"
        async with httpx.AsyncClient() as client:
            preflight = await client.options(running.url, headers={"origin": "https://evil.example"})
            assert "access-control-allow-origin" not in preflight.headers


async def test_a_body_that_does_not_come_is_given_up(serving: Any) -> None:
    async with serving(body_seconds=0.2) as running:
        reader, writer = await asyncio.open_connection("127.0.0.1", running.server.port)
        writer.write(
            b"POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"
        )
        answer = await asyncio.wait_for(reader.read(), 3)
        writer.close()
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"BODY_TIMEOUT" in answer
