"""The composed gateway on a real NATS and a real Postgres, with owners that the test plays."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import jwt
import msgspec
import pytest
from circolo_contracts.card_names import CARD_STYLES, card_names
from circolo_contracts.encyclopaedia import SECTIONS, page
from circolo_contracts.games import CATALOGUE
from circolo_contracts.languages import LANGUAGES
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Done, Refused
from circolo_events.bus import NatsBus
from circolo_events.clock import DatabaseClock
from circolo_gateway.schema.node import game_gid, player_gid, room_gid
from circolo_gateway.service import Gateway, compose
from circolo_service.platform import Platform
from circolo_service.settings import Settings
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from msgspec import Raw, to_builtins
from websockets.asyncio.client import connect

ADA, BEA, EVE = "a" * 32, "b" * 32, "e" * 32
ROOM_ID, GAME_ID = room_gid("1" * 32), game_gid("BRISCOLA", "2" * 32, "1" * 32)
TABLES = """
CREATE SCHEMA rooms; CREATE SCHEMA projector;
CREATE TABLE rooms.profile (player text PRIMARY KEY, name text NOT NULL);
CREATE TABLE rooms.player_epoch (player text PRIMARY KEY, epoch int8 NOT NULL, erased boolean NOT NULL DEFAULT false);
CREATE TABLE projector.lobby (room text, code text, game text, host text, seats int4, taken int4, phase text,
                              settings_json text, created_at int8, version int8);
"""


class House:
    def __init__(self, gateway: Gateway, pool: asyncpg.Pool, bus: NatsBus, key: Ed25519PrivateKey) -> None:
        self.gateway = gateway
        self.pool = pool
        self.bus = bus
        self.key = key
        self.url = f"http://127.0.0.1:{gateway.server.port}"

    def token(self, player: str) -> str:
        claims = {"iss": "circolo", "sub": player, "exp": 4_000_000_000}
        return "Bearer " + jwt.encode(claims, self.key, algorithm="EdDSA")

    async def ask(self, query: str, player: str = "", language: str = "en", **variables: Any) -> Any:
        headers = {"accept-language": language, "content-type": "application/json"}
        if player:
            headers["authorization"] = self.token(player)
        async with httpx.AsyncClient(timeout=15) as client:
            answer = await client.post(
                f"{self.url}/graphql", content=json.dumps({"query": query, "variables": variables}), headers=headers
            )
        body = answer.json()
        return body["data"] if "errors" not in body else body["errors"][0]["extensions"]["code"]


@pytest.fixture
async def house(
    table: Any, nats_url: str, database: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[House]:
    monkeypatch.setenv("CIRCOLO_GATEWAY_COMMAND_SECONDS", "2")
    key = Ed25519PrivateKey.generate()
    key_file = tmp_path / "public.pem"
    key_file.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    pool = await asyncpg.create_pool(database, min_size=1, max_size=3)
    await pool.execute(TABLES)
    await pool.executemany("INSERT INTO rooms.profile VALUES ($1, $2)", [(ADA, "Ada"), (BEA, "Bea")])
    bus = await NatsBus.connect(nats_url, name="api")
    settings = Settings(
        postgres_url=database, nats_url=nats_url, http_port=0, token_public_key_file=key_file, drain_seconds=1
    )
    clock = DatabaseClock()
    await clock.measure(pool)
    gateway = await compose(Platform("gateway", settings, bus, pool, clock))
    await gateway.start()
    try:
        yield House(gateway, pool, bus, key)
    finally:
        await gateway.stop()
        await bus.close()
        await pool.close()


class Subscriber:
    """One socket with one subscription; ``bytes`` is all that it ever received."""

    def __init__(self, house: House, query: str, player: str = "", **variables: Any) -> None:
        self.received: list[dict[str, Any]] = []
        self.bytes = b""
        self._task = asyncio.create_task(self._run(house, query, player, variables))

    async def _run(self, house: House, query: str, player: str, variables: dict[str, Any]) -> None:
        url = house.url.replace("http", "ws") + "/graphql"
        async with connect(url, subprotocols=["graphql-transport-ws"]) as socket:  # type: ignore[list-item]
            init = {"authorization": house.token(player), "language": "EN"} if player else {"language": "EN"}
            await socket.send(json.dumps({"type": "connection_init", "payload": init}))
            await socket.recv()
            payload = {"query": query, "variables": variables}
            await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
            async for frame in socket:
                self.bytes += frame.encode() if isinstance(frame, str) else frame
                self.received.append(json.loads(frame))

    async def has(self, count: int) -> list[Any]:
        async with asyncio.timeout(5):
            while len(self.received) < count:
                await asyncio.sleep(0.005)
        return [each["payload"] for each in self.received]

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


ROOM = """query ($id: ID!) { room(id: $id) {
  code phase gameId host { name } members { player { id name } } settings { ... on BriscolaSettings { players } }
} }"""
GAME = """query ($id: ID!) { game(id: $id) {
  id kind status version room { code } ... on CardGame { seat hand trick { card seat } }
} }"""
WATCH = """subscription ($id: ID!, $after: Int) { game(id: $id, after: $after) {
  version reset happened { atVersion kind seat }
  game { status version ... on CardGame { hand trick { card } seats { player { name } } } }
} }"""
PLAY = """mutation ($id: ID!, $card: Card!, $key: UUID, $v: Int) {
  playCard(gameId: $id, card: $card, idempotencyKey: $key, expectedVersion: $v) {
    __typename
    ... on GameDone { version replayed game { version } }
    ... on Refused { code message currentVersion field }
  }
}"""
LOBBY = """query ($first: Int!, $after: String, $f: LobbyFilter) { lobby(first: $first, after: $after, filter: $f) {
  edges { node { code taken host { name } } } pageInfo { hasNextPage endCursor }
} }"""


async def test_a_room_is_shown_to_its_members_with_their_names(house: House, table: Any) -> None:
    shown = await house.ask(ROOM, ADA, id=ROOM_ID)
    assert shown["room"]["gameId"] == GAME_ID
    assert shown["room"]["members"] == [
        {"player": {"id": player_gid(ADA), "name": "Ada"}},
        {"player": {"id": player_gid(BEA), "name": "Bea"}},
    ]
    assert shown["room"]["settings"] == {"players": 2}
    for player in (EVE, ""):
        assert (await house.ask(ROOM, player, id=ROOM_ID))["room"] is None
        assert (await house.ask(GAME, player, id=GAME_ID))["game"] is None
    for wrong in ("", "x", player_gid(ADA), "\ud800"):
        assert (await house.ask(ROOM, ADA, id=wrong))["room"] is None


async def test_a_game_is_starting_and_then_as_its_viewer_may_see_it(house: House, table: Any) -> None:
    assert (await house.ask(GAME, ADA, id=GAME_ID))["game"]["status"] == "STARTING"
    table.game.commit("MatchStarted")
    game = (await house.ask(GAME, ADA, id=GAME_ID))["game"]
    assert (game["status"], game["version"], game["hand"], game["room"]) == (
        "RUNNING",
        1,
        ["1D", "2D", "3D"],
        {"code": "ABCDEF"},
    )
    node = await house.ask("query ($id: ID!) { node(id: $id) { __typename id } }", ADA, id=GAME_ID)
    assert node == {"node": {"__typename": "CardGame", "id": GAME_ID}}
    table.room.phase, table.room.game_id, table.game.version = "LOBBY", None, 0
    assert (await house.ask(GAME, ADA, id=GAME_ID))["game"] is None


async def test_one_clients_bytes_never_hold_the_others_cards(house: House, table: Any) -> None:
    table.room.private = False
    table.game.commit("MatchStarted")
    watchers = {player: Subscriber(house, WATCH, player, id=GAME_ID) for player in (ADA, BEA, "")}
    for watcher in watchers.values():
        await watcher.has(1)
    for _ in range(30):
        table.game.commit("CardPlayed")
    for watcher in watchers.values():
        async with asyncio.timeout(5):
            while watcher.received[-1]["payload"]["data"]["game"]["version"] < 31:
                await asyncio.sleep(0.01)
    for player, hidden in ((ADA, b"123"), (BEA, b"123"), ("", b"123")):
        for digit in hidden.decode():
            assert player == BEA or f"{digit}B".encode() not in watchers[player].bytes
            assert player == ADA or f"{digit}D".encode() not in watchers[player].bytes
    for watcher in watchers.values():
        await watcher.stop()


async def test_a_subscription_starts_goes_on_and_resumes_after_a_version(house: House, table: Any) -> None:
    first = Subscriber(house, WATCH, ADA, id=GAME_ID)
    (starting,) = await first.has(1)
    assert starting["data"]["game"] == {
        "version": 0, "reset": True, "happened": [],
        "game": {"status": "STARTING", "version": 0, "hand": None, "trick": [], "seats": []},
    }  # fmt: skip
    table.game.commit("MatchStarted", "DealStarted")
    (_, started) = await first.has(2)
    assert [each["kind"] for each in started["data"]["game"]["happened"]] == ["MATCH_STARTED", "DEAL_STARTED"]
    assert started["data"]["game"]["game"]["seats"] == [{"player": {"name": "Ada"}}, {"player": {"name": "Bea"}}]
    await first.stop()
    table.game.commit("CardPlayed", "SomethingOfNextYear")
    again = Subscriber(house, WATCH, ADA, id=GAME_ID, after=2)
    (missed,) = await again.has(1)
    assert [(each["atVersion"], each["kind"]) for each in missed["data"]["game"]["happened"]] == [
        (3, "CARD_PLAYED"),
        (4, "OTHER"),
    ]
    await again.stop()


async def test_who_loses_a_private_room_is_told_by_a_typed_error(house: House, table: Any) -> None:
    table.game.commit("MatchStarted")
    watcher = Subscriber(house, WATCH, BEA, id=GAME_ID)
    await watcher.has(1)
    table.room.members = [ADA]
    table.room.commit("PlayerLeft")
    await watcher.has(2)
    assert watcher.received[-1]["type"] == "error"
    assert watcher.received[-1]["payload"][0]["extensions"] == {"code": "NOT_ALLOWED"}
    assert watcher.received[-1]["payload"][0]["message"] == "You may not do this."
    table.game.commit("CardPlayed")
    await asyncio.sleep(0.1)
    assert len(watcher.received) == 2
    await watcher.stop()


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


PATIENCE_ID = game_gid("SOLITARIO", "2" * 32, "1" * 32)
PATIENCE = """query ($id: ID!) { game(id: $id) { __typename id kind status version deadline
  ... on Solitaire { player { name } pyramid { state card } waste stockCount legalMoves { kind cards to }
    settings { ... on SolitarioSettings { game redeals } } } } }"""
WATCH_PATIENCE = """subscription ($id: ID!) { game(id: $id) {
  version reset happened { kind ... on SolitaireEvent { cards } } game { status ... on Solitaire { stockCount } }
} }"""


async def test_a_solitario_is_a_game_of_its_own_type(house: House, table: Any) -> None:
    table.room.game = "SOLITARIO"
    starting = (await house.ask(PATIENCE, ADA, id=PATIENCE_ID))["game"]
    assert (starting["__typename"], starting["status"], starting["pyramid"]) == ("Solitaire", "STARTING", [])
    live = Subscriber(house, WATCH_PATIENCE, ADA, id=PATIENCE_ID)
    assert (await live.has(1))[0]["data"]["game"]["game"]["status"] == "STARTING"
    table.patience.commit("SolitaireStarted")
    async with asyncio.timeout(0.8):  # by its push; asking now and then would take a second
        update = (await live.has(2))[1]["data"]["game"]
    assert (update["version"], update["game"]) == (1, {"status": "RUNNING", "stockCount": 11})
    table.patience.commit("CardsRemoved")
    told = (await live.has(3))[2]["data"]["game"]["happened"]
    assert told == [{"kind": "CARDS_REMOVED", "cards": ["7S"]}]
    await live.stop()

    shown = (await house.ask(PATIENCE, BEA, id=PATIENCE_ID))["game"]
    assert (shown["id"], shown["kind"], shown["deadline"]) == (PATIENCE_ID, "SOLITARIO", None)
    assert shown["player"] == {"name": "Ada"}
    assert shown["pyramid"][1] == [{"state": "FREE", "card": "7S"}, {"state": "EMPTY", "card": None}]
    assert shown["legalMoves"][0] == {"kind": "REMOVE", "cards": ["7S", "3D"], "to": None}
    assert shown["settings"] == {"game": "PIRAMIDE", "redeals": 2}
    node = await house.ask("query ($id: ID!) { node(id: $id) { __typename id } }", ADA, id=PATIENCE_ID)
    assert node == {"node": {"__typename": "Solitaire", "id": PATIENCE_ID}}
    assert (await house.ask(PATIENCE, EVE, id=PATIENCE_ID))["game"] is None


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


async def test_the_last_game_of_a_room_is_found_after_the_table_turned_to_another(house: House, table: Any) -> None:
    query = """query ($id: ID!) { room(id: $id) { gameKind gameId short: game { id kind }
      game { __typename ... on CardGame { hand } } } }"""
    table.game.commit("MatchStarted")
    table.room.game, table.room.latest_game, table.room.phase = "SOLITARIO", "BRISCOLA", "LOBBY"
    room = (await house.ask(query, ADA, id=ROOM_ID))["room"]
    assert (room["gameKind"], room["gameId"]) == ("SOLITARIO", GAME_ID)
    assert room["short"] == {"id": GAME_ID, "kind": "BRISCOLA"}
    assert room["game"] == {"__typename": "CardGame", "hand": ["1D", "2D", "3D"]}


@pytest.mark.parametrize("name", ["x" * 1_000_000, "a\x00b", "\ud800"], ids=["a megabyte", "NUL", "a lone surrogate"])
async def test_a_name_that_cannot_be_stored_is_refused_by_name(house: House, name: str) -> None:
    query = "mutation ($name: String!) { signInAsGuest(name: $name) { ... on Refused { code field message } } }"
    async with httpx.AsyncClient() as client:
        body = json.dumps({"query": query, "variables": {"name": name}})
        answer = await client.post(f"{house.url}/graphql", content=body, headers={"content-type": "application/json"})
    refused = answer.json()["data"]["signInAsGuest"]
    assert (refused["code"], refused["field"]) == ("INVALID_TEXT", "name")


async def test_the_lobby_is_read_in_pages_and_followed_live(house: House, table: Any) -> None:
    rows = [
        (f"{n:032x}", f"CODE{n:02d}", "BRISCOLA", ADA, 2, 1 + n % 2, "LOBBY", '{"players":2}', 1000 + n // 2, 1)
        for n in range(10)
    ]
    rows.append((f"{77:032x}", "CODE77", "LUDO", ADA, 2, 1, "LOBBY", "{}", 1, 1))
    await house.pool.executemany("INSERT INTO projector.lobby VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)", rows)
    codes: list[str] = []
    after = None
    while True:
        page = (await house.ask(LOBBY, first=3, after=after))["lobby"]
        codes += [edge["node"]["code"] for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert codes == ["CODE08", "CODE09", "CODE06", "CODE07", "CODE04", "CODE05", "CODE02", "CODE03", "CODE00", "CODE01"]
    await house.pool.execute("UPDATE projector.lobby SET game = 'SCOPA' WHERE code = 'CODE04'")
    scopa = (await house.ask(LOBBY, first=50, f={"game": "SCOPA"}))["lobby"]["edges"]
    assert [edge["node"]["code"] for edge in scopa] == ["CODE04"]
    free = (await house.ask(LOBBY, first=50, f={"freeSeats": True}))["lobby"]["edges"]
    assert {edge["node"]["taken"] for edge in free} == {1}
    assert await house.ask(LOBBY, first=101) == "BAD_USER_INPUT"
    assert await house.ask(LOBBY, first=1, after="nonsense") == "BAD_USER_INPUT"

    live = Subscriber(house, "subscription { lobby(filter: {freeSeats: true}) { kind roomId room { code taken } } }")
    async with asyncio.timeout(5):
        while not house.gateway.lobby._places:
            await asyncio.sleep(0.01)
    for n in (0, 1):
        house.bus.publish("view.lobby.public", json.dumps({"room": f"{n:032x}", "kind": "upsert"}).encode())
    got = [each["data"]["lobby"] for each in await live.has(2)]
    assert sorted(got, key=lambda change: change["kind"]) == [
        {"kind": "REMOVE", "roomId": room_gid(f"{1:032x}"), "room": None},
        {"kind": "UPSERT", "roomId": room_gid(f"{0:032x}"), "room": {"code": "CODE00", "taken": 1}},
    ]
    house.bus.publish("view.lobby.public", b"nonsense")
    assert (await live.has(3))[-1]["data"]["lobby"] == {"kind": "RESET", "roomId": None, "room": None}
    await live.stop()


async def test_the_rules_of_every_game_are_read_in_both_languages_without_a_token(house: House) -> None:
    query = """query ($game: GameKind!, $tongue: Language!) {
      rules(game: $game, language: $tongue) { game language title markdown sections { id title markdown } } }"""
    for game in CATALOGUE:
        for language in LANGUAGES:
            rules = (await house.ask(query, game=game, tongue=language))["rules"]
            kept = page(game, language)
            assert (rules["game"], rules["language"], rules["title"]) == (game, language, kept.title)
            assert rules["markdown"] == kept.markdown
            assert rules["sections"] == [
                {"id": each.id, "title": each.title, "markdown": each.markdown} for each in kept.sections
            ]
    nights = await house.ask("{ rules(game: TRIVIA, language: EN) { modes { mode title sections { id } } } }")
    modes = nights["rules"]["modes"]
    assert [each["mode"] for each in modes] == ["QUIZ", "SHOWDOWN", "TUTTO_O_NIENTE"]
    assert all(each["title"] and each["sections"] for each in modes)
    assert (await house.ask("{ rules(game: BRISCOLA) { modes { mode } } }"))["rules"]["modes"] == []
    short = "{ rules(game: BRISCOLA) { language sections { title } } }"
    assert (await house.ask(short))["rules"]["sections"][0] == {"title": "In breve"}
    assert await house.ask("{ rules(game: LUDO) { title } }") == "GRAPHQL_VALIDATION_FAILED"
    assert await house.ask(query, game="LUDO", tongue="IT") == "BAD_USER_INPUT"
    assert await house.ask(query, game="BRISCOLA", tongue="LA") == "BAD_USER_INPUT"
    assert await house.ask(query, game=None, tongue="IT") == "BAD_USER_INPUT"


async def test_the_cards_have_names_in_every_style_and_language(house: House) -> None:
    query = """query ($style: CardStyle!, $tongue: Language!) {
      cardNames(style: $style, language: $tongue) { card name rank suit } }"""
    for style in CARD_STYLES:
        for language in LANGUAGES:
            names = (await house.ask(query, style=style, tongue=language))["cardNames"]
            assert names == [to_builtins(name) for name in card_names(style, language)]
    plain = await house.ask("{ cardNames(style: TRADITIONAL) { name } }")
    assert (plain["cardNames"][6], plain["cardNames"][37]) == (
        {"name": "Sette di denari"},
        {"name": "Fante di bastoni"},
    )
    assert await house.ask(query, style="TAROT", tongue="IT") == "BAD_USER_INPUT"


async def test_the_example_of_the_encyclopaedia_in_the_documentation_works(house: House) -> None:
    text = (Path(__file__).parents[3] / "docs" / "api.md").read_text(encoding="utf-8")
    section = text.partition("## The encyclopaedia\n")[2].partition("\n## ")[0]
    example = section.partition("```graphql\n")[2].partition("```")[0]
    answer = await house.ask(example, game="BRISCOLA")
    assert answer["rules"]["title"] == "Briscola"
    assert [each["id"] for each in answer["rules"]["sections"]] == list(SECTIONS)
    assert [each for each in SECTIONS if f"`{each}`" not in section] == []
    assert answer["cardNames"][7] == {"card": "8D", "name": "Guest of coins", "rank": "Guest", "suit": "Coins"}


async def test_an_owner_that_does_not_answer_is_unavailable_in_bounded_time(house: House) -> None:
    nobody = room_gid("9" * 32)
    leave = "mutation ($id: ID!) { leaveRoom(roomId: $id) { ... on Refused { code } } }"
    asked = asyncio.gather(house.ask(leave, ADA, id=nobody), house.ask(ROOM, ADA, id=nobody))
    assert await asyncio.wait_for(asked, 4) == [{"leaveRoom": {"code": "UNAVAILABLE"}}, "UNAVAILABLE"]


async def test_pages_health_and_schema(house: House) -> None:
    async with httpx.AsyncClient(base_url=house.url) as client:
        assert (await client.get("/livez")).status_code == 200
        house.gateway._platform.health.expect("gateway", house.gateway.ready)
        assert (await client.get("/readyz")).status_code == 200
        house.gateway._platform.health.draining = True
        assert (await client.get("/readyz")).status_code == 503
        schema = await client.get("/schema.graphql")
        assert "type Subscription" in schema.text
        again = await client.get("/schema.graphql", headers={"if-none-match": schema.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        page = await client.get("/")
        assert "/explorer.js" in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]
        for path in ("/explorer.js", "/explorer.css", "/explorer.licences.txt"):
            assert (await client.get(path)).status_code == 200
        assert (await client.get("/nothing")).status_code == 404
