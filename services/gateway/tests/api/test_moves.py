"""What a player does: it reaches its owner as it was meant, and is answered once."""

from __future__ import annotations

import json
import uuid
from typing import Any

import httpx
import msgspec
import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Done, Refused
from gateway_house import ADA, GAME_ID, PATIENCE_ID, ROOM_ID, House
from msgspec import Raw

PLAY = """mutation ($id: ID!, $card: Card!, $key: UUID, $v: Int) {
  playCard(gameId: $id, card: $card, idempotencyKey: $key, expectedVersion: $v) {
    __typename
    ... on GameDone { version replayed game { version } }
    ... on Refused { code message currentVersion field }
  }
}"""
MOVED = "{ __typename ... on GameDone { version game { id version } } ... on Refused { code field message } }"
CAPTURE = f"""mutation ($id: ID!, $capture: [Card!]) {{
  playCard(gameId: $id, card: "7D", capture: $capture) {MOVED} }}"""
DECLARE = f"""mutation ($id: ID!, $declaration: DeclarationInput!) {{
  declare(gameId: $id, declaration: $declaration) {MOVED} }}"""
REMOVE = f"mutation ($id: ID!, $cards: [Card!]!) {{ removeCards(gameId: $id, cards: $cards) {MOVED} }}"
MOVE = f"mutation ($id: ID!, $card: Card!, $to: Int) {{ moveCard(gameId: $id, card: $card, to: $to) {MOVED} }}"
TURN = f"mutation ($id: ID!) {{ turnStock(gameId: $id) {MOVED} }}"


def doing(owner: Any, audience: str) -> Any:
    """An owner that does whatever it is told."""

    def done(command: Any) -> Any:
        view = Raw(msgspec.json.encode(owner.view(audience)))
        return Done(version=owner.version, position=1, replayed=False, view=view, view_version=owner.version)

    return done


async def test_a_move_is_answered_once_and_typed(house: House, table: Any) -> None:
    table.game.commit("MatchStarted")

    def play(command: Any) -> Any:
        if command.expected == 9:
            return Refused(RefusalCode.STALE_VERSION, current_version=12)
        view = Raw(msgspec.json.encode(table.game.view("seat-0")))
        return Done(version=5, position=1, replayed=False, view=view, view_version=1)

    table.game.on_command = play
    key = str(uuid.uuid4())
    done = await house.ask(PLAY, ADA, id=GAME_ID, card="1D", key=key, v=4)
    assert done["playCard"] == {"__typename": "GameDone", "version": 5, "replayed": False, "game": {"version": 1}}
    stale = await house.ask(PLAY, ADA, id=GAME_ID, card="1D", v=9)
    assert stale["playCard"]["code"] == "STALE_VERSION"
    assert (stale["playCard"]["currentVersion"], stale["playCard"]["message"]) == (
        12,
        "The turn has moved on meanwhile.",
    )
    italian = await house.ask(PLAY, ADA, "it-IT", id=GAME_ID, card="1D", v=9)
    assert italian["playCard"]["message"] == "Nel frattempo il turno è cambiato."
    assert (await house.ask(PLAY, "", id=GAME_ID, card="1D"))["playCard"]["code"] == "UNAUTHENTICATED"
    assert (await house.ask(PLAY, ADA, id=ROOM_ID, card="1D"))["playCard"]["field"] == "gameId"
    for card in ("11D", "1X", "", 7, None):
        assert await house.ask(PLAY, ADA, id=GAME_ID, card=card) == "BAD_USER_INPUT"
    assert await house.ask(PLAY, ADA, id=GAME_ID, card="1D", key="no-uuid") == "BAD_USER_INPUT"
    assert await house.ask(PLAY, ADA, id=GAME_ID, card="1D", v=2**53 + 1) == "BAD_USER_INPUT"
    assert len(table.game.commands) == 3
    assert (table.game.commands[0].type, bytes(table.game.commands[0].data)) == ("PlayCard", b'{"card":"1D"}')
    assert table.game.commands[0].digest == table.game.commands[1].digest


async def test_a_move_reaches_the_match_as_it_was_meant(house: House, table: Any) -> None:
    table.game.commit("MatchStarted")
    table.game.on_command = doing(table.game, "seat-0")
    spades, threes, aces = (
        {"kind": "NAPOLETANA", "suit": "S"}, {"kind": "BUONGIOCO", "rank": 3},
        {"kind": "BUONGIOCO", "rank": 1, "suit": "B"},
    )  # fmt: skip
    for mutation, variables, kind, data in (
        (CAPTURE, {}, "PlayCard", {"card": "7D"}),
        (CAPTURE, {"capture": None}, "PlayCard", {"card": "7D"}),
        (CAPTURE, {"capture": []}, "PlayCard", {"card": "7D", "capture": []}),
        (CAPTURE, {"capture": ["4S", "3B"]}, "PlayCard", {"card": "7D", "capture": ["4S", "3B"]}),
        (CAPTURE, {"capture": "7C"}, "PlayCard", {"card": "7D", "capture": ["7C"]}),
        *((DECLARE, {"declaration": each}, "Declare", each) for each in (spades, threes, aces)),
    ):
        (answer,) = (await house.ask(mutation, ADA, id=GAME_ID, **variables)).values()
        assert answer == {"__typename": "GameDone", "version": 1, "game": {"id": GAME_ID, "version": 1}}
        command = table.game.commands[-1]
        assert (command.type, msgspec.json.decode(command.data)) == (kind, data)


async def test_a_capture_of_something_that_is_no_card_goes_nowhere(house: House, table: Any) -> None:
    for wrong in (["7X"], [None], [["7D"]], {"card": "7D"}, 7):
        assert await house.ask(CAPTURE, ADA, id=GAME_ID, capture=wrong) == "BAD_USER_INPUT"
    for wrong in ({}, {"kind": "CHECKMATE"}, {"kind": "NAPOLETANA", "suit": "X"}, {"kind": "BUONGIOCO", "rank": "1"}):
        assert await house.ask(DECLARE, ADA, id=GAME_ID, declaration=wrong) == "BAD_USER_INPUT"
    assert table.game.commands == []


async def test_a_move_reaches_the_solitario_as_it_was_meant(house: House, table: Any) -> None:
    table.patience.commit("SolitaireStarted")
    table.patience.on_command = doing(table.patience, "public")
    for mutation, variables, kind in (
        (REMOVE, {"cards": ["7S", "3D"]}, "RemoveCards"),
        (MOVE, {"card": "7S", "to": 3}, "MoveCard"),
        (MOVE, {"card": "7S"}, "MoveCard"),
        (TURN, {}, "TurnStock"),
    ):
        (answer,) = (await house.ask(mutation, ADA, id=PATIENCE_ID, **variables)).values()
        assert answer == {"__typename": "GameDone", "version": 1, "game": {"id": PATIENCE_ID, "version": 1}}
        command = table.patience.commands[-1]
        assert (command.type, msgspec.json.decode(command.data)) == (kind, variables)


async def test_a_move_of_another_kind_of_game_is_refused_by_name(house: House, table: Any) -> None:
    table.game.commit("MatchStarted")
    table.patience.commit("SolitaireStarted")
    for mutation, game, variables in (
        (PLAY, PATIENCE_ID, {"card": "7D"}),
        (DECLARE, PATIENCE_ID, {"declaration": {"kind": "NAPOLETANA", "suit": "D"}}),
        (REMOVE, GAME_ID, {"cards": ["7D"]}),
        (TURN, GAME_ID, {}),
        (MOVE, GAME_ID, {"card": "7D"}),
    ):
        (refusal,) = (await house.ask(mutation, ADA, id=game, **variables)).values()
        assert (refusal["code"], refusal["message"]) == ("UNKNOWN_COMMAND", "There is no such action here.")


@pytest.mark.parametrize("name", ["x" * 1_000_000, "a\x00b", "\ud800"], ids=["a megabyte", "NUL", "a lone surrogate"])
async def test_a_name_that_cannot_be_stored_is_refused_by_name(house: House, name: str) -> None:
    query = "mutation ($name: String!) { signInAsGuest(name: $name) { ... on Refused { code field message } } }"
    async with httpx.AsyncClient() as client:
        body = json.dumps({"query": query, "variables": {"name": name}})
        answer = await client.post(f"{house.url}/graphql", content=body, headers={"content-type": "application/json"})
    refused = answer.json()["data"]["signInAsGuest"]
    assert (refused["code"], refused["field"]) == ("INVALID_TEXT", "name")
