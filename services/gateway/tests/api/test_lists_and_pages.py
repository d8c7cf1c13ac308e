"""What anybody may read: the list of public rooms, the encyclopaedia, the pages beside the API."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
from circolo_contracts.card_names import CARD_STYLES, card_names
from circolo_contracts.encyclopaedia import SECTIONS, page
from circolo_contracts.games import CATALOGUE
from circolo_contracts.languages import LANGUAGES
from circolo_gateway.schema.node import room_gid
from gateway_house import ADA, House, Subscriber
from msgspec import to_builtins

LOBBY = """query ($first: Int!, $after: String, $f: LobbyFilter) { lobby(first: $first, after: $after, filter: $f) {
  edges { node { code taken host { name } } } pageInfo { hasNextPage endCursor }
} }"""


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
    text = (Path(__file__).parents[4] / "docs" / "api.md").read_text(encoding="utf-8")
    section = text.partition("## The encyclopaedia\n")[2].partition("\n## ")[0]
    example = section.partition("```graphql\n")[2].partition("```")[0]
    answer = await house.ask(example, game="BRISCOLA")
    assert answer["rules"]["title"] == "Briscola"
    assert [each["id"] for each in answer["rules"]["sections"]] == list(SECTIONS)
    assert [each for each in SECTIONS if f"`{each}`" not in section] == []
    assert answer["cardNames"][7] == {"card": "8D", "name": "Guest of coins", "rank": "Guest", "suit": "Coins"}


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
