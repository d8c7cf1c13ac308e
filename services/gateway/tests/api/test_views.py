"""What is shown of rooms and games, once and live, to whom it may be shown."""

from __future__ import annotations

import asyncio
from typing import Any

from circolo_gateway.schema.node import player_gid, room_gid
from gateway_house import ADA, BEA, EVE, GAME_ID, PATIENCE_ID, ROOM_ID, House, Subscriber

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
PATIENCE = """query ($id: ID!) { game(id: $id) { __typename id kind status version deadline
  ... on Solitaire { player { name } pyramid { state card } waste stockCount legalMoves { kind cards to }
    settings { ... on SolitarioSettings { game redeals } } } } }"""
WATCH_PATIENCE = """subscription ($id: ID!) { game(id: $id) {
  version reset happened { kind ... on SolitaireEvent { cards } } game { status ... on Solitaire { stockCount } }
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


async def test_the_last_game_of_a_room_is_found_after_the_table_turned_to_another(house: House, table: Any) -> None:
    query = """query ($id: ID!) { room(id: $id) { gameKind gameId short: game { id kind }
      game { __typename ... on CardGame { hand } } } }"""
    table.game.commit("MatchStarted")
    table.room.game, table.room.latest_game, table.room.phase = "SOLITARIO", "BRISCOLA", "LOBBY"
    room = (await house.ask(query, ADA, id=ROOM_ID))["room"]
    assert (room["gameKind"], room["gameId"]) == ("SOLITARIO", GAME_ID)
    assert room["short"] == {"id": GAME_ID, "kind": "BRISCOLA"}
    assert room["game"] == {"__typename": "CardGame", "hand": ["1D", "2D", "3D"]}


async def test_an_owner_that_does_not_answer_is_unavailable_in_bounded_time(house: House) -> None:
    nobody = room_gid("9" * 32)
    leave = "mutation ($id: ID!) { leaveRoom(roomId: $id) { ... on Refused { code } } }"
    asked = asyncio.gather(house.ask(leave, ADA, id=nobody), house.ask(ROOM, ADA, id=nobody))
    assert await asyncio.wait_for(asked, 4) == [{"leaveRoom": {"code": "UNAVAILABLE"}}, "UNAVAILABLE"]
