"""The examples of README.md and docs/api.md, copied and run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from circolo_devstack import demo
from circolo_devstack.api import Api
from circolo_devstack.stack import Stack
from evening import JOIN, START, answer, done, following, guests, key, sit_down
from ranked import make_operator, until

ROOT = Path(__file__).parents[3]


def examples(page: str = "README.md") -> list[str]:
    return re.findall(r"```graphql\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def example(name: str) -> str:
    """The one operation of this name in docs/api.md."""
    (found,) = (text for text in examples("docs/api.md") if re.match(rf"(query|mutation|subscription) {name}\b", text))
    return found


async def test_the_match_by_hand_can_be_played_as_it_stands(house: Stack) -> None:
    sign_in, create, add_cpu, start, follow, play = examples()
    async with Api(house.url) as api:
        signed_in = (await api.call(sign_in))["signInAsGuest"]
        api.token = signed_in["token"]
        room = (await api.call(create))["createRoom"]["room"]
        assert (await api.call(create))["createRoom"]["room"] == room, "the same key again gets the first answer again"
        assert not (await api.call(add_cpu.replace("ROOM_ID", room["id"])))["addCpu"]
        game = (await api.call(start.replace("ROOM_ID", room["id"])))["startGame"]["room"]["gameId"]
        async with api.subscribe(follow.replace("GAME_ID", game)) as updates:
            async for data in updates:
                seen = data["game"]["game"]
                if seen.get("legalMoves"):
                    break
        play = play.replace("GAME_ID", game)
        answer = (await api.call(play))["playCard"]
        if "7D" not in seen["hand"]:
            assert answer["code"] == "CARD_NOT_IN_HAND"
            answer = (await api.call(play.replace("7D", seen["hand"][0])))["playCard"]
        assert answer["version"]


async def test_the_pages_captures_and_declarations_are_played_as_they_stand(house: Stack) -> None:
    async with guests(house.url, "Nord") as (north,):
        table = await sit_down([north], kind="scopa")
        async with following(north, table.game) as follower:
            await follower.until(lambda update: bool(update["game"]["legalMoves"]))
        game = await answer(north, example("Table"), game=table.game)
        move = game["legalMoves"][0]
        capture = move["captures"][0] if move["captures"] else None
        declaration = {"kind": "NAPOLETANA", "suit": "D"}
        announced = await answer(north, example("Announce"), game=table.game, declaration=declaration, key=key())
        assert announced["code"] == "ILLEGAL_DECLARATION", "scopa has none"
        wish = {"game": table.game, "card": move["card"], "key": key(), "version": game["version"]}
        taken = await answer(north, example("Take"), capture=capture, **wish)
        assert taken["game"]["lastPlay"]["card"]
        again = await answer(north, example("Take"), capture=capture, **wish)
        assert again["version"] == taken["version"], "the same key again gets the first answer again"


async def test_the_pages_solitario_is_played_as_it_stands(house: Stack) -> None:
    async with guests(house.url, "Nord") as (north,):
        table = await sit_down([north], kind="solitario")
        async with following(north, table.game):
            game = await answer(north, example("Patience"), game=table.game)
        assert (game["__typename"], game["stockCount"], len(game["pyramid"])) == ("Solitaire", 12, 7)
        free = game["pyramid"][6][0]["card"]
        turned = await answer(north, example("Turn"), game=table.game, key=key())
        assert turned == {"__typename": "GameDone"}
        removed = await answer(north, example("Remove"), game=table.game, cards=[free, free], key=key())
        assert removed["code"] == "ILLEGAL_MOVE"
        moved = await answer(north, example("Move"), game=table.game, card=free, to=0, key=key())
        assert moved["code"] == "ILLEGAL_MOVE"


async def test_the_pages_tombola_is_played_as_it_stands(house: Stack) -> None:
    async with guests(house.url, "Anna", "Bruno") as (anna, bruno), Api(house.url) as tv:
        opened = await answer(anna, example("OpenTombola"), key=key())
        await done(bruno, JOIN, code=opened["room"]["code"], watch=False)
        game = (await done(anna, START, roomId=opened["room"]["id"], idempotencyKey=key()))["room"]["gameId"]
        async with tv.subscribe(example("Board"), game=game, after=0) as updates:
            async for data in updates:
                board = data["game"]["game"]
                if board["status"] == "RUNNING":
                    break
        assert [seat["player"]["name"] for seat in board["seats"]] == ["Anna", "Bruno"]
        drawn = await answer(anna, example("Call"), game=game, version=1, key=key())
        assert (drawn["__typename"], drawn["version"]) == ("GameDone", 2)
        mine = await answer(bruno, example("Ticket"), game=game)
        number = mine["ticket"][0][0]
        marked = await answer(bruno, example("Mark"), game=game, number=number, key=key())
        assert marked["game"]["marks"] == [number]
        assert (await answer(bruno, example("Claim"), game=game, prize="AMBO", key=key()))["code"] == "NOT_SATISFIED"
        slower = await answer(anna, example("ByTheClock"), game=game, seconds=30, key=key())
        assert slower["game"]["calling"] == "AUTOMATIC"
        named = (await bruno.call(example("Numbers")))["smorfia"]
        assert named[89]["number"] == 90


async def test_the_pages_trivia_night_is_played_as_it_stands(house: Stack) -> None:
    async with guests(house.url, "Anna", "Bruno") as (anna, bruno), Api(house.url) as tv:
        opened = await answer(anna, example("OpenTrivia"), key=key())
        room = opened["room"]["id"]
        await done(bruno, JOIN, code=opened["room"]["code"], watch=False)
        moved = await answer(bruno, example("Team"), room=room, player=bruno.player, team=1, key=key())
        assert moved == {"__typename": "RoomDone"}
        game = (await done(anna, START, roomId=room, idempotencyKey=key()))["room"]["gameId"]
        async with tv.subscribe(example("Night"), game=game, after=0) as updates:
            async for data in updates:
                shown = data["game"]["game"]
                if shown["status"] == "RUNNING":
                    break
        assert (shown["phase"], shown["question"]["no"], shown["reveal"]) == ("READY", 1, None)
        went_on = await answer(anna, example("Next"), game=game, version=data["game"]["version"], key=key())
        assert went_on == {"__typename": "GameDone"}
        said = await answer(bruno, example("Answer"), game=game, question=1, option=2, key=key())
        assert said["code"] == "TOO_EARLY"
        for name, more in (
            ("Pick", {"category": "arte", "value": 100}),
            ("Press", {"question": 1}),
            ("Bet", {"amount": 5}),
        ):
            assert (await answer(bruno, example(name), game=game, key=key(), **more))["code"] == "WRONG_PHASE"
        wanted = {"format": "AIKEN", "data": "", "theme": "arte"}
        assert (await answer(anna, example("Look"), file=wanted))["code"] == "UNREADABLE_FILE"
        assert (await answer(anna, example("Import"), file=wanted, key=key()))["code"] == "UNREADABLE_FILE"


async def test_the_pages_ranked_table_is_played_talked_about_and_directed_as_it_stands(house: Stack) -> None:
    async with guests(house.url, "Nord", "Ovest", "Sud", "Direzione") as people:
        *players, direction = people
        north = players[0]
        room = (await answer(north, example("Ranked"), game={"vinciperdi": {"players": 3}}, key=key()))["room"]
        for person in players[1:]:
            await done(person, JOIN, code=room["code"], watch=False)
        started = (await done(north, START, roomId=room["id"], idempotencyKey=key()))["room"]
        said = await answer(north, example("Say"), room=room["id"], text="Buonasera", key=key())
        async with north.subscribe(example("Chat"), room=room["id"], after=None) as messages:
            heard = (await anext(messages))["chat"]
        assert (heard["text"], heard["cursor"]) == ("Buonasera", said["cursor"])
        earlier = await answer(north, example("Earlier"), room=room["id"])
        assert [edge["node"]["text"] for edge in earlier["edges"]] == ["Buonasera"]
        filed = await answer(
            players[1], example("Report"), room=room["id"], player=north.player, note="Dichiara", key=key()
        )
        voted = await answer(players[1], example("Expel"), room=room["id"], player=north.player, key=key())
        assert voted["room"]["votes"][0]["inFavour"] == [{"id": players[1].player}]
        offered = await answer(north, example("Again"), room=room["id"], key=key())
        assert offered["code"] == "GAME_STARTED"
        assert (await answer(north, example("Yes"), room=room["id"], key=key()))["code"] == "GAME_STARTED"
        await make_operator(house, direction)
        reports = await answer(direction, example("Reports"))
        report = next(edge["node"] for edge in reports["edges"] if edge["node"]["id"] == filed["reportId"])
        assert report["frozen"]["position"]["id"] == started["gameId"]
        ban = {"player": north.player, "report": report["id"], "hours": 1, "key": key()}
        assert (await answer(direction, example("Ban"), **ban))["__typename"] == "PlayerDone"
        card = await until(
            lambda: answer(direction, example("Card"), player=north.player),
            lambda card: card["statistics"]["played"] == 1 and card["brilli"]["balance"] == -70,
        )
        assert card["statistics"]["abandonedPercent"] == 100
        standings = await answer(players[1], example("Standings"), game="VINCIPERDI")
        assert {"id": north.player, "name": "Nord"} in [edge["node"]["player"] for edge in standings["edges"]]
        past = (await answer(players[1], example("Past"), player=players[1].player))["edges"][0]["node"]
        assert past["gameId"] == started["gameId"]
        assert past["result"]["abandonedBy"] == 0


@pytest.mark.parametrize(("game", "said"), [("briscola", "the exposed card is"), ("scopa", "captured last and takes")])
def test_the_demo_is_played_told_and_proved(
    house: Stack, capsys: pytest.CaptureFixture[str], game: str, said: str
) -> None:
    proved: list[str] = []

    def verify(finished: str) -> int:
        proved.append(finished)
        return 0

    assert demo.run(house.url, verify, game) == 0
    told = capsys.readouterr().out
    assert f"a public room of {game} for four" in told
    assert said in told
    assert "The shuffle was promised as" in told
    assert len(proved) == 1


def test_the_tombola_demo_is_called_told_and_proved(house: Stack, capsys: pytest.CaptureFixture[str]) -> None:
    proved: list[str] = []
    assert demo.run(house.url, lambda finished: proved.append(finished) or 0, "tombola") == 0
    told = capsys.readouterr().out
    assert "Anna opens a public room of tombola" in told
    assert re.search(r"tombola +to (Anna|Bruno|Carla) +with [0-9]+, ", told)
    assert "All chance was promised as" in told
    assert len(proved) == 1


def test_the_ranked_demo_shows_who_got_what_of_the_two_hundred(
    house: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.run(house.url, lambda _: 0, "scopone_nove", ranked=True) == 0
    told = capsys.readouterr().out
    assert "a ranked room of scopone_nove" in told
    assert re.search(r"pot +200", told)
    assert re.search(r"1 +100 % +0 %", told), "who won"
