"""Talking in rooms, and what the direction does about who talks too much: through the public API."""

from __future__ import annotations

import asyncio

import pytest
from chaos.replicas import second_processes
from circolo_devstack.api import Api, ApiError, Json
from circolo_devstack.stack import Stack
from evening import (
    JOIN,
    LEAVE,
    ROOM_QUERY,
    ROOM_SUBSCRIPTION,
    Table,
    answer,
    done,
    following,
    guests,
    key,
    open_room,
    play_on,
    refused,
    sit_down,
)
from evening import at_random as at_random_cards
from ranked import (
    CREATE_RANKED,
    MESSAGES,
    REFRESH,
    REPORT,
    REPORTS,
    SAY,
    Ear,
    figures,
    hearing,
    last_match,
    left_by,
    make_operator,
    rows_of,
    sit_down_ranked,
    until,
)

NAMES = ("Nord", "Ovest", "Sud", "Est")
REFUSED = "... on Refused { code message field }"
BAN = f"""
mutation Ban($player: ID!, $reason: ReportReason!, $hours: Int!, $report: ID, $key: UUID) {{
  ban(player: $player, reason: $reason, hours: $hours, report: $report, idempotencyKey: $key) {{
    __typename ... on PlayerDone {{ version replayed }} {REFUSED}
  }}
}}"""
WARN = f"""
mutation Warn($player: ID!, $reason: ReportReason!, $report: ID, $key: UUID) {{
  warn(player: $player, reason: $reason, report: $report, idempotencyKey: $key) {{
    __typename ... on PlayerDone {{ version }} {REFUSED}
  }}
}}"""
MUTE = f"""
mutation Mute($player: ID!, $reason: ReportReason!, $hours: Int!, $key: UUID) {{
  mute(player: $player, reason: $reason, hours: $hours, idempotencyKey: $key) {{
    __typename ... on PlayerDone {{ version }} {REFUSED}
  }}
}}"""
DISMISS = f"""
mutation Dismiss($report: ID!, $key: UUID) {{
  dismissReport(report: $report, idempotencyKey: $key) {{ __typename ... on ReportDone {{ version }} {REFUSED} }}
}}"""
REVERSE = f"""
mutation Reverse($payout: ID!, $reason: ReversalReason!, $key: UUID) {{
  reverseEntry(payout: $payout, reason: $reason, idempotencyKey: $key) {{
    __typename
    ... on PayoutDone {{
      version replayed payout {{ gameKind payments {{ rule reason entries {{ account amount player {{ id }} }} }} }}
    }}
    {REFUSED}
  }}
}}"""
STANDING = "{ me { standing { roles warnings mutedUntil bannedUntil } } }"
STANDING_OF = "query Of($player: ID!) { player(id: $player) { standing { warnings } } }"
ERASE = f"""
mutation Erase($key: UUID) {{
  eraseMe(idempotencyKey: $key) {{ __typename ... on PlayerDone {{ version player {{ id name }} }} {REFUSED} }}
}}"""


async def say(api: Api, room: str, text: str, to: str = "ROOM") -> Json:
    return await done(api, SAY, room=room, text=text, to=to, key=key())


async def mute_answer(api: Api, room: str, text: str, to: str = "ROOM") -> str:
    code: str = (await refused(api, SAY, room=room, text=text, to=to, key=key()))["code"]
    return code


# ---------------------------------------------------------------- talk


async def test_what_is_said_in_a_room_is_heard_there_in_order_and_by_who_comes_later(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud", "Fuori") as (north, south, outside):
        room = (await open_room(north))["id"]
        code = (await answer(north, ROOM_QUERY, id=room))["code"]
        await done(south, JOIN, code=code, watch=False)
        async with hearing(room, north, south) as (nord, sud):
            again = key()
            first = await done(north, SAY, room=room, text="Buonasera", to="ROOM", key=again)
            second = await done(north, SAY, room=room, text="Buonasera", to="ROOM", key=again)
            assert (second["replayed"], second["id"]) == (True, first["id"])
            got = await refused(north, SAY, room=room, text="Tutt'altro", to="ROOM", key=again)
            assert got["code"] == "KEY_REUSED"
            await say(south, room, "Buona sera a tutti")
            for ear in (nord, sud):
                await ear.until(lambda ear: len(ear.texts) == 2)
                assert ear.texts == ["Buonasera", "Buona sera a tutti"]
                assert ear.heard[0]["player"]["id"] == north.player
            after = sud.heard[0]["cursor"]
        async with Ear(south, room, after) as later, Ear(south, room) as anew:
            await later.until(lambda ear: bool(ear.texts))
            assert later.texts == ["Buona sera a tutti"]
            await anew.until(lambda ear: len(ear.texts) == 2)
        assert await mute_answer(outside, room, "Sono qui") == "NOT_IN_ROOM"
        with pytest.raises(ApiError) as error:
            await answer(outside, MESSAGES, room=room, first=10)
        assert error.value.codes == ["NOT_IN_ROOM"]
        async with Ear(outside, room) as stranger:
            told = await _closed(stranger)
            assert isinstance(told, ApiError)
            assert told.codes == ["NOT_IN_ROOM"]


async def test_text_that_nobody_could_read_is_not_said_and_nobody_says_too_much_at_once(house: Stack) -> None:
    async with guests(house.url, "Nord") as (north,):
        room = (await open_room(north))["id"]
        for text in ("", "   ", "a" * 501, "a" * 5_000, "zitto\x00", "a\u202eb"):
            assert await mute_answer(north, room, text) == "INVALID_TEXT"
        assert await mute_answer(north, room, "Da soli", to="TEAM") == "NO_SUCH_TEAM"
        for number in range(5):
            await say(north, room, f"Messaggio {number}")
        assert await mute_answer(north, room, "E un altro") == "RATE_LIMITED"
        page = await answer(north, MESSAGES, room=room, first=2)
        assert [edge["node"]["text"] for edge in page["edges"]] == ["Messaggio 4", "Messaggio 3"]
        assert page["pageInfo"]["hasNextPage"]
        rest = await answer(north, MESSAGES, room=room, first=100, after=page["pageInfo"]["endCursor"])
        assert [edge["node"]["text"] for edge in rest["edges"]] == [f"Messaggio {n}" for n in (2, 1, 0)]
        assert not rest["pageInfo"]["hasNextPage"]


async def test_partners_talk_alone_and_at_briscola_nobody_who_plays_talks_in_the_first_trick(house: Stack) -> None:
    async with guests(house.url, *NAMES, "Spettatore") as people:
        *players, watcher = people
        table = await sit_down(players, players=4)
        room = table.room["id"]
        await done(watcher, JOIN, code=table.room["code"], watch=True)
        async with hearing(room, *people) as ears:
            assert await mute_answer(players[0], room, "Ho il tre") == "FIRST_TRICK"
            assert await mute_answer(players[1], room, "Vai", to="TEAM") == "FIRST_TRICK"
            await say(watcher, room, "Forza!")
            await _one_trick(table)
            for ear in ears:
                await ear.until(lambda ear: "TALK_OPENED" in ear.kinds)
            await say(players[0], room, "Ho il tre", to="TEAM")
            await say(players[1], room, "Bella partita")
            for ear in ears:
                await ear.until(lambda ear: "Bella partita" in ear.texts)
            heard = ["Ho il tre" in ear.texts for ear in ears]
            assert heard == [True, False, True, False, False], "his partner and himself"
            page = await answer(players[3], MESSAGES, room=room, first=50)
            assert "Ho il tre" not in str(page)


async def _one_trick(table: Table) -> None:
    async def one(seat: int, api: Api) -> None:
        async with following(api, table.game) as follower:
            await play_on(follower, table.game, at_random_cards(seat), moves=1)

    await asyncio.gather(*(one(seat, api) for seat, api in table.people.items()))


# ---------------------------------------------------------------- the direction


async def test_a_report_freezes_what_was_said_and_the_ban_that_follows_shows_the_player_out_everywhere(
    house: Stack,
) -> None:
    async with guests(house.url, *NAMES, "Direzione") as people:
        *players, direction = people
        table = await sit_down_ranked(players)
        room, rude = table.room["id"], players[3]
        await say(rude, room, "Gioca coppe, compagno!")
        wish = {"room": room, "player": rude.player, "reason": "PLAY_DECLARATION", "note": "Dichiara", "key": key()}
        filed = await done(players[0], REPORT, **wish)
        assert (await done(players[0], REPORT, **wish))["replayed"]
        await say(players[0], room, "Questo dopo la segnalazione")
        with pytest.raises(ApiError) as error:
            await answer(direction, REPORTS, openOnly=True)
        assert error.value.codes == ["NOT_ALLOWED"], "not yet of the direction"
        await make_operator(house, direction)
        page = await answer(direction, REPORTS, openOnly=True)
        (report,) = [edge["node"] for edge in page["edges"] if edge["node"]["id"] == filed["reportId"]]
        frozen = report["frozen"]
        assert [message["text"] for message in frozen["said"]] == ["Gioca coppe, compagno!"]
        assert (frozen["note"], report["reporter"]["id"]) == ("Dichiara", players[0].player)
        assert frozen["position"] == {"id": table.game, "status": "RUNNING"}
        ban = {"player": rude.player, "reason": "PLAY_DECLARATION", "hours": 24, "report": report["id"], "key": key()}
        assert (await refused(players[0], BAN, **ban))["code"] == "NOT_ALLOWED"
        async with Ear(rude, room) as ear, following(players[0], table.game) as follower:
            await ear.until(lambda ear: bool(ear.texts))
            await done(direction, BAN, **ban)
            assert (await done(direction, BAN, **ban))["replayed"]
            assert (await ear.until_closed()).code == 4403
            with pytest.raises(ApiError) as error:
                await answer(rude, ROOM_QUERY, id=room)
            assert error.value.codes == ["UNAUTHENTICATED"], "an older token is refused over HTTP too"
            await follower.until(lambda update: update["game"]["status"] == "ENDED")
            assert follower.latest["game"]["result"]["abandonedBy"] == 3
        rude.token = (await answer(rude, REFRESH))["token"]
        ranked = {"game": {"scopa": {}}, "ranked": True, "key": key()}
        assert (await refused(rude, CREATE_RANKED, **ranked))["code"] == "BANNED"
        assert (await done(rude, CREATE_RANKED, game={"scopa": {}}, ranked=False, key=key()))["room"]
        async with asyncio.timeout(10):  # the list follows the ban by two consumers
            while report["verdict"] is None:
                closed = await answer(direction, REPORTS, openOnly=False)
                (report,) = [edge["node"] for edge in closed["edges"] if edge["node"]["id"] == filed["reportId"]]
        assert (report["verdict"], report["closedBy"]["id"]) == ("BANNED", direction.player)
        assert (await refused(direction, DISMISS, report=report["id"], key=key()))["code"] == "REPORT_CLOSED"
    for service in house.services:
        log = house.home.log(service).read_text(encoding="utf-8")
        assert "Gioca coppe" not in log, f"{service}'s log has what somebody said"
        assert "Dichiara" not in log


async def test_a_gateway_that_was_away_when_somebody_was_banned_refuses_his_token_all_the_same(
    victim: Stack,
) -> None:
    async with guests(victim.url, "Nord", "Direzione") as (north, direction):
        await make_operator(victim, direction)
        await done(direction, BAN, player=north.player, reason="CHEATING", hours=1, key=key())
        victim.kill("gateway")
        victim.wait_ready()
        assert await _codes(north, ROOM_QUERY, code="AAAAAA") == ["UNAUTHENTICATED"]
        async with Ear(north, (await open_room(direction))["id"]) as ear:
            assert await _closed(ear) is not None


async def test_a_ban_is_heard_at_every_gateway(house: Stack) -> None:
    with second_processes(house, ["gateway"]) as replicas:
        async with (
            guests(house.url, "Nord", "Direzione") as (north, direction),
            Api(replicas.url, north.token) as there,
        ):
            await make_operator(house, direction)
            room = (await open_room(north))["id"]
            async with Ear(there, room) as ear:
                await say(north, room, "Di qua e di là")
                await ear.until(lambda ear: bool(ear.texts))
                await done(direction, BAN, player=north.player, reason="INSULTS", hours=1, key=key())
                assert (await ear.until_closed()).code == 4403
            assert await _codes(there, ROOM_QUERY, id=room) == ["UNAUTHENTICATED"]


async def test_who_is_muted_is_silent_and_who_is_warned_may_go_on(house: Stack) -> None:
    async with guests(house.url, "Nord", "Direzione") as (north, direction):
        await make_operator(house, direction)
        room = (await open_room(north))["id"]
        await done(direction, WARN, player=north.player, reason="INSULTS", key=key())
        await say(north, room, "Scusate")
        for hours in (0, -1, 10_000_000):
            got = await refused(direction, MUTE, player=north.player, reason="INSULTS", hours=hours, key=key())
            assert (got["code"], got["field"]) == ("MALFORMED", "hours")
        await done(direction, MUTE, player=north.player, reason="INSULTS", hours=1, key=key())
        assert await mute_answer(north, room, "Non parlo") == "MUTED"
        standing = (await answer(north, STANDING))["standing"]
        assert (standing["warnings"], standing["roles"], standing["bannedUntil"]) == (1, [], None)
        assert standing["mutedUntil"]
        assert (await answer(direction, STANDING))["standing"]["roles"] == ["OPERATOR"]
        others = await direction.call(STANDING_OF, player=north.player)
        assert others["player"]["standing"] is None, "that is for himself"
        assert (await refused(north, WARN, player=direction.player, reason="OTHER", key=key()))["code"] == "NOT_ALLOWED"


async def test_what_a_match_paid_is_taken_back_once_by_the_direction_and_by_nobody_else(house: Stack) -> None:
    async with guests(house.url, *NAMES, "Direzione") as people:
        *players, direction = people
        table = await sit_down_ranked(players)
        await done(table.people[3], LEAVE, roomId=table.room["id"], idempotencyKey=key())
        await last_match(players[0], table, left_by(3))
        card = await until(lambda: figures(direction, players[3].player), lambda card: card["brilli"]["balance"] == -70)
        (fine,) = rows_of(card)
        wish = {"payout": fine["payoutId"], "reason": "FAULT", "key": key()}
        assert (await refused(players[3], REVERSE, **wish))["code"] == "NOT_ALLOWED"
        await make_operator(house, direction)
        payout = (await done(direction, REVERSE, **wish))["payout"]
        assert (await done(direction, REVERSE, **wish))["replayed"]
        assert payout["gameKind"] == "SCOPONE_NOVE"
        for payment in payout["payments"]:
            assert sum(entry["amount"] for entry in payment["entries"]) == 0
        assert payout["payments"][-1]["rule"] == "REVERSED"
        for player in players:
            await until(lambda player=player: figures(direction, player.player), lambda c: c["brilli"]["balance"] == 0)


async def test_who_asks_to_be_forgotten_is_a_sum_without_a_name(house: Stack) -> None:
    async with guests(house.url, *NAMES) as people:
        table = await sit_down_ranked(people)
        room = table.room["id"]
        await say(people[3], room, "Il mio nome è Est")
        async with Ear(people[3], room) as ear:
            await ear.until(lambda ear: bool(ear.texts))
            await done(table.people[3], LEAVE, roomId=table.room["id"], idempotencyKey=key())
            await last_match(people[0], table, left_by(3))
            gone = await done(people[3], ERASE, key=key())
            assert gone["player"]["name"] is None
            assert (await _closed(ear)) is not None
        await until(lambda: _codes(people[3], ROOM_QUERY, id=room), lambda codes: codes == ["UNAUTHENTICATED"])
        assert await _codes(people[3], REFRESH) == ["UNAUTHENTICATED"], "nor is there a new token"
        card = await until(lambda: figures(people[0], people[3].player), lambda card: card["name"] is None)
        assert (card["brilli"]["balance"], card["statistics"]["abandoned"]) == (-70, 1)
        page = await answer(people[0], MESSAGES, room=room, first=10)
        assert [(edge["node"]["text"], edge["node"]["player"]["id"]) for edge in page["edges"]] == [
            (None, people[3].player)
        ]
        async with people[0].subscribe(ROOM_SUBSCRIPTION, room=room) as updates:
            assert "Est" not in str(await anext(updates))


async def _codes(api: Api, document: str, **variables: str) -> list[str]:
    """Of the errors that it meets."""
    try:
        await answer(api, document, **variables)
    except ApiError as error:
        return error.codes
    return []


async def _closed(ear: Ear) -> Exception | None:
    async with asyncio.timeout(10):
        while ear.closed is None:
            await asyncio.sleep(0.01)
    return ear.closed
