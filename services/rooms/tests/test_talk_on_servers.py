"""The chat on real servers: who hears what, how texts come and go, and the silence of the first trick."""

from __future__ import annotations

import asyncio
import uuid

import msgspec
from circolo_contracts.cardgames import DealStarted, MatchEnded, TrickEnded
from circolo_contracts.cards import DECK
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import JoinRoom, LeaveRoom
from circolo_contracts.talk import MESSAGES_IN_WINDOW, PAGE, WINDOW_MS, ChatHappening
from circolo_contracts.wire import Ask, Done, Refused
from club import Club
from talking import cardgames, ear, heard, page, playing, say, silent_game, started, table, texts

FIRST_TRICK = TrickEnded(drawn=list(DECK[:4]), points=0, trick_no=1, winner=0)


def deal(number: int) -> DealStarted:
    return DealStarted(deal_no=number, dealer=0, deck=list(DECK), leader=1, shuffle_no=number)


async def stored_texts(club: Club) -> list[str]:
    return [row[0] for row in await club.pool.fetch("SELECT text FROM chat_text ORDER BY at")]


# ---- saying and hearing


async def test_everybody_in_the_room_reads_what_was_said_in_order(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    await club.done(f"chat-{view.room}", say(" Buonasera! "), who=anna)
    await club.done(f"chat-{view.room}", say("Si gioca?"), who=bruno)
    assert await texts(club, view.room, anna) == await texts(club, view.room, bruno) == ["Buonasera!", "Si gioca?"]


async def test_a_message_is_pushed_with_its_text_and_a_team_s_to_that_team_only(club: Club) -> None:
    view, people = await table(club)
    pushed = await ear(club, view.room, ("public", "team-0", "team-1"))
    await club.done(f"chat-{view.room}", say("Ciao a tutti"), who=people[1])
    await club.done(f"chat-{view.room}", say("Ho il tre", to="TEAM"), who=people[2])

    async def all_came() -> bool:
        return all(len(each) == 2 for each in pushed.values())

    await club.until(all_came)
    said = {
        audience: [msgspec.json.decode(h, type=ChatHappening).text for push in pushes for h in push.happened]
        for audience, pushes in pushed.items()
    }
    assert said == {"public": ["Ciao a tutti"], "team-0": ["Ciao a tutti", "Ho il tre"], "team-1": ["Ciao a tutti"]}
    assert [(p.previous, p.version) for p in pushed["team-1"]] == [(0, 1), (1, 2)], "numbers tell nothing"


async def test_a_team_reads_its_channel_and_nobody_else_does(club: Club) -> None:
    view, people = await table(club)
    await club.done(f"chat-{view.room}", say("Ho il tre", to="TEAM"), who=people[0])
    read = [await texts(club, view.room, each) for each in people]
    assert read == [["Ho il tre"], [], ["Ho il tre"], []]
    seen, _ = await heard(club, view.room, people[0])
    assert seen.audience == "team-0"


async def test_backend_S5_who_is_not_in_the_room_reads_nothing(club: Club) -> None:
    view, people = await table(club, 2)
    await club.done(f"chat-{view.room}", say("Fra noi"), who=people[0])
    for viewer in ("", "f" * 32, await club.guest("Elena")):
        for ask in (Ask(viewer=viewer), Ask(viewer=viewer, after=0), Ask(viewer=viewer, document="messages")):
            answer = await club.client.send("rooms", f"chat-{view.room}", ask)
            assert isinstance(answer, Refused)
            assert answer.code is RefusalCode.NOT_IN_ROOM
    nowhere = await club.client.send("rooms", f"chat-{uuid.uuid4().hex}", Ask(viewer=people[0]))
    assert isinstance(nowhere, Refused)
    assert nowhere.code is RefusalCode.NOT_FOUND


async def test_who_comes_back_gets_exactly_what_he_missed(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    for number in range(3):
        await club.done(f"chat-{view.room}", say(f"numero {number}"), who=anna)
    seen, missed = await heard(club, view.room, bruno, after=1)
    assert (seen.reset, seen.version, [each.text for each in missed]) == (False, 3, ["numero 1", "numero 2"])
    assert [each.at_version for each in missed] == [2, 3]
    seen, missed = await heard(club, view.room, bruno, after=3)
    assert (seen.reset, missed) == (False, [])
    seen, missed = await heard(club, view.room, bruno, after=9)
    assert (seen.reset, len(missed)) == (True, 3), "who claims to be ahead of us is given all anew"


async def test_the_past_is_read_page_by_page_back_to_the_first_word(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    count = PAGE + 10
    for number in range(count):
        if number % MESSAGES_IN_WINDOW == 0:
            club.clock.skip(WINDOW_MS)
        await club.done(f"chat-{view.room}", say(f"{number}"), who=anna)
    newest = await page(club, view.room, bruno)
    assert [each.text for each in newest.messages] == [str(n) for n in range(count - 1, 9, -1)]
    assert newest.more
    oldest = await page(club, view.room, bruno, after=newest.next_after)
    assert ([each.text for each in oldest.messages], oldest.more) == ([str(n) for n in range(9, -1, -1)], False)
    assert (await page(club, view.room, bruno, after=1)).messages == []


# ---- who may not


async def test_only_who_is_in_the_room_and_signed_in_says_anything(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    stream, stranger = f"chat-{view.room}", await club.guest("Elena")
    assert (await club.refused(stream, say("?"), who=stranger)).code is RefusalCode.NOT_IN_ROOM
    assert (await club.refused(stream, say("?"), who="f" * 32)).code is RefusalCode.UNAUTHENTICATED
    nowhere = f"chat-{uuid.uuid4().hex}"
    assert (await club.refused(nowhere, say("?"), who=anna)).code is RefusalCode.NOT_FOUND
    assert (await club.refused(stream, say("?", to="TEAM"), who=anna)).code is RefusalCode.NO_SUCH_TEAM
    await club.done(f"room-{view.room}", LeaveRoom(), who=bruno)
    assert (await club.refused(stream, say("?"), who=bruno)).code is RefusalCode.NOT_IN_ROOM
    await club.done(f"room-{view.room}", LeaveRoom(), who=anna)
    assert (await club.refused(stream, say("?"), who=anna)).code is RefusalCode.ROOM_CLOSED
    assert await stored_texts(club) == []
    assert await club.event_types(stream) == []


async def test_a_text_that_is_not_allowed_is_refused_and_leaves_nothing(club: Club) -> None:
    view, (anna, _) = await table(club, 2)
    for text in ("", "a\x00b", "a\u202eb", "due\nrighe", "x" * 501, "y" * 200_000):
        refused = await club.refused(f"chat-{view.room}", say(text), who=anna)
        assert (refused.code, refused.field) == (RefusalCode.INVALID_TEXT, "text")
    assert await stored_texts(club) == []


async def test_the_sixth_message_in_ten_seconds_is_refused_and_leaves_nothing(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    stream = f"chat-{view.room}"
    flood = [asyncio.create_task(club.send(stream, say(f"{n}"), who=anna)) for n in range(3 * MESSAGES_IN_WINDOW)]
    answers = await asyncio.gather(*flood)
    assert sum(isinstance(each, Done) for each in answers) == MESSAGES_IN_WINDOW
    assert {each.code for each in answers if isinstance(each, Refused)} == {RefusalCode.RATE_LIMITED}
    assert len(await stored_texts(club)) == MESSAGES_IN_WINDOW
    await club.done(stream, say("io posso"), who=bruno)
    club.clock.skip(WINDOW_MS)
    await club.done(stream, say("anch'io"), who=anna)


# ---- repetitions


async def test_the_same_message_again_is_one_message_and_another_text_under_its_key_is_none(club: Club) -> None:
    view, (anna, _) = await table(club, 2)
    stream, key = f"chat-{view.room}", uuid.uuid4().hex
    answers = await asyncio.gather(*(club.done(stream, say("una volta"), who=anna, key=key) for _ in range(5)))
    assert len({each.version for each in answers}) == 1
    assert [each.replayed for each in answers].count(False) == 1
    other = await club.refused(stream, say("un'altra"), who=anna, key=key)
    assert other.code is RefusalCode.KEY_REUSED
    assert await texts(club, view.room, anna) == ["una volta"]


async def test_a_late_retry_gets_its_first_answer_although_he_has_left(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    stream, key = f"chat-{view.room}", uuid.uuid4().hex
    first = await club.done(stream, say("arrivederci"), who=bruno, key=key)
    await club.done(f"room-{view.room}", LeaveRoom(), who=bruno)
    again = await club.done(stream, say("arrivederci"), who=bruno, key=key)
    assert (again.replayed, again.version) == (True, first.version)
    assert await texts(club, view.room, anna) == ["arrivederci"]


async def test_an_erased_text_shows_as_absent_and_a_repetition_does_not_bring_it_back(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    stream, key = f"chat-{view.room}", uuid.uuid4().hex
    await club.done(stream, say("dimenticami"), who=anna, key=key)
    await club.pool.execute("DELETE FROM chat_text")
    assert await texts(club, view.room, bruno) == [None]
    assert (await club.done(stream, say("dimenticami"), who=anna, key=key)).replayed
    assert await texts(club, view.room, bruno) == [None]
    assert await stored_texts(club) == []


async def test_a_text_whose_event_never_came_is_swept_after_an_hour_and_no_other(club: Club) -> None:
    view, (anna, _) = await table(club, 2)
    await club.done(f"chat-{view.room}", say("resto"), who=anna)
    await club.rooms.texts.draft(uuid.uuid4().hex, view.room, anna, "mai detto")
    await club.rooms.texts.sweep()
    assert await stored_texts(club) == ["resto", "mai detto"]
    await club.pool.execute("UPDATE chat_text SET at = at - interval '61 minutes'")
    await club.rooms.texts.sweep()
    assert await stored_texts(club) == ["resto"]
    assert await club.rooms.texts.sweep() == 0, "what is known to stay is not looked at again"


# ---- the first trick of a four-handed briscola


async def test_who_sits_is_silent_until_the_first_trick_is_over_and_who_watches_is_not(
    club: Club, database: str
) -> None:
    view, people = await playing(club)
    stream, game = f"chat-{view.room}", str(view.game_id)
    watcher = await club.guest("Elena")
    await club.done(f"code-{view.code}", JoinRoom(watch=True), who=watcher)

    async def all_silent() -> None:
        for player in people:
            for channel in ("ROOM", "TEAM"):
                refused = await club.refused(stream, say("!", to=channel), who=player)  # type: ignore[arg-type]
                assert refused.code is RefusalCode.FIRST_TRICK

    await all_silent()  # before the match has its first event
    async with cardgames(database) as match:
        await match.says(game, started(view), deal(1))
        await club.until(lambda: is_silent_in(club, view.room, people[0], game))
        await all_silent()
        await club.done(stream, say("forza!"), who=watcher)
        await match.says(game, FIRST_TRICK)
        await club.until(lambda: is_silent_in(club, view.room, people[0], None))
        for player in people:
            await club.done(stream, say("ora si parla", to="TEAM"), who=player)
        await match.says(game, msgspec.structs.replace(FIRST_TRICK, trick_no=2), deal(2))
        await club.until(lambda: is_silent_in(club, view.room, people[0], game))
        await all_silent()
        await match.says(game, MatchEnded(at=2, last_dealer=0, outcome="STOPPED", room=view.room))
        await club.until(lambda: is_silent_in(club, view.room, people[0], None))
    await club.done(stream, say("peccato"), who=people[0])


async def is_silent_in(club: Club, room: str, viewer: str, game: str | None) -> bool:
    return await silent_game(club, room, viewer) == game


async def test_a_message_sent_while_the_trick_ends_is_said_after_it_or_not_at_all(club: Club, database: str) -> None:
    view, people = await playing(club)
    stream, game = f"chat-{view.room}", str(view.game_id)
    async with cardgames(database) as match:
        await match.says(game, started(view), deal(1))

        async def try_and_try(player: str) -> int:
            """How many refusals came before his first word."""
            refused = 0
            while isinstance(await club.send(stream, say("parlo"), who=player), Refused):
                refused += 1
            return refused

        talkers = [asyncio.create_task(try_and_try(player)) for player in people]
        await club.until(lambda: is_silent_in(club, view.room, people[0], game))
        await match.says(game, FIRST_TRICK)
        await asyncio.wait_for(asyncio.gather(*talkers), 5)
    types = await club.event_types(stream)
    assert types == ["TalkClosed", "TalkOpened", *["MessagePosted"] * 4]


async def test_a_table_for_two_and_other_matches_are_never_silent(club: Club, database: str) -> None:
    view, (anna, _) = await playing(club, 2)
    async with cardgames(database) as match:
        await match.says(str(view.game_id), started(view), deal(1))
        await match.says(str(view.game_id), deal(2))
        await match.says(uuid.uuid4().hex, FIRST_TRICK)
    for reaction in club.rooms.reactions:
        await reaction.caught_up()
    await club.done(f"chat-{view.room}", say("buona fortuna"), who=anna)
    assert await club.event_types(f"chat-{view.room}") == ["MessagePosted"]
