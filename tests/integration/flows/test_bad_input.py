"""NUL, lone surrogates, numbers beyond 2^53, names of a megabyte: refused by name, and nothing is lost."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from circolo_devstack.api import SIGN_IN, Api
from circolo_devstack.stack import Stack
from evening import CREATE, PLAY, answer, done, guests, key, mutation, refused, sit_down

RENAME = """
mutation($name: String!) {
  renamePlayer(name: $name) { __typename ... on PlayerDone { player { name } } ... on Refused { code message field } }
}"""


async def post(house: Stack, body: bytes | str, **headers: str) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False) as client:
        return await client.post(
            f"{house.url}graphql", content=body, headers={"content-type": "application/json", **headers}
        )


@pytest.mark.parametrize(
    "name",
    ["", "   ", "a\x00b", "a\u200bb", "a\u202eb", "\ufeff", "a\nb", "x" * 33, "\u0301", "x" * 1_000],
    ids=["empty", "spaces", "NUL", "zero-width", "bidi", "BOM", "newline", "33", "only-a-mark", "1000"],
)
async def test_store_23_a_name_that_cannot_be_shown_is_refused_by_name(house: Stack, name: str) -> None:
    async with Api(house.url) as api:
        got = await refused(api, SIGN_IN, name=name)
        assert got["code"] == "INVALID_TEXT"


@pytest.mark.parametrize("name", ["Nonna Pina", "Ægir", "José", "李", "x" * 32, "Zia 🂡"])
async def test_names_of_all_the_world_are_welcome(house: Stack, name: str) -> None:
    async with guests(house.url, name) as (person,):
        me = await answer(person, "{ me { id name } }")
        assert me["name"] == name
        renamed = await done(person, RENAME, name="Nuovo nome")
        assert renamed["player"]["name"] == "Nuovo nome"


async def test_a_lone_surrogate_is_refused_and_the_socket_of_everybody_else_lives(house: Stack) -> None:
    body = json.dumps({"query": SIGN_IN, "variables": {"name": "PLACE"}}).replace("PLACE", "\\ud800")
    response = await post(house, body)
    assert response.status_code in (200, 400)
    text = response.text
    assert "INVALID_TEXT" in text or "MALFORMED" in text or "BAD_REQUEST" in text, text
    assert "Traceback" not in text


async def test_a_name_of_a_megabyte_costs_nothing_and_is_refused(house: Stack) -> None:
    response = await post(house, json.dumps({"query": SIGN_IN, "variables": {"name": "x" * 1_000_000}}))
    assert response.status_code in (200, 413)
    assert "INVALID_TEXT" in response.text or "TOO_LARGE" in response.text, response.text[:300]


async def test_numbers_beyond_what_every_reader_keeps_are_refused(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as people:
        table = await sit_down(people)
        for number in (2**53 + 1, 2**63, 2**64, 1.5):
            body = json.dumps({"query": PLAY, "variables": {"game": table.game, "card": "1D", "version": number}})
            response = await post(house, body, authorization=f"Bearer {people[0].token}")
            errors = response.json()["errors"]
            assert errors[0]["extensions"]["code"], errors
        seat = mutation("takeSeat", roomId="ID!", seat="Int!")
        assert (await refused(people[0], seat, roomId=table.room["id"], seat=2**31 - 1))["code"] in (
            "NO_SUCH_SEAT", "GAME_STARTED",
        )  # fmt: skip


@pytest.mark.parametrize("card", ["11D", "0D", "7X", "", "7d ", "7D\x00", "settebello"])
async def test_what_is_no_card_is_said_to_be_none(house: Stack, card: str) -> None:
    async with guests(house.url, "Nord", "Sud") as people:
        table = await sit_down(people)
        body = json.dumps({"query": PLAY, "variables": {"game": table.game, "card": card}})
        response = await post(house, body, authorization=f"Bearer {people[0].token}")
        assert response.json()["errors"][0]["extensions"]["code"]
        assert "Traceback" not in response.text


@pytest.mark.parametrize("bad", ["", "nonsense", "Um9vbTpyb29tLTE=", "Q2FyZEdhbWU6bWF0Y2gtMTIz", "a" * 5_000])
async def test_an_id_that_is_none_of_ours_is_not_found(house: Stack, bad: str) -> None:
    async with guests(house.url, "Nord") as (north,):
        got: Any = await refused(north, PLAY, game=bad, card="1D", key=key())
        assert got["code"] in ("NOT_FOUND", "MALFORMED")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"null", b"\xff\xfe", b'{"query":1}', b'{"query":"{"}'])
async def test_a_request_that_cannot_be_read_is_answered_without_inner_words(house: Stack, body: bytes) -> None:
    response = await post(house, body, accept="application/graphql-response+json")
    assert 400 <= response.status_code < 500
    errors = response.json()["errors"]
    assert errors[0]["extensions"]["code"]
    for word in ("Traceback", "msgspec", "asyncpg", ".py", "Exception"):
        assert word not in response.text


async def test_a_setting_that_does_not_exist_is_named(house: Stack) -> None:
    async with guests(house.url, "Nord") as (north,):
        got = await refused(north, CREATE, game={"briscola": {"players": 3}}, visibility="PUBLIC", key=key())
        assert (got["code"], got["field"]) == ("INVALID_SETTING", "players")
