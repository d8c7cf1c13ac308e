"""A chat is heard without a gap, by whom it is for; what is missing is said."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

from circolo_contracts.refusals import RefusalCode
from circolo_gateway.schema.enums import MessageKind
from circolo_gateway.schema.node import room_gid
from circolo_gateway.schema.talk import Message, hear, messages_of
from circolo_gateway.streams.update import NotShown

ADA, BEA, EVE = "a" * 32, "b" * 32, "e" * 32
ROOM = "1" * 32


class FakeContext:
    """As much of a context as a chat needs."""

    def __init__(self, table: Any, viewer: str) -> None:
        self.viewer = viewer
        self.house = table

    def problem(self, code: RefusalCode) -> Exception:
        return NotShown(code)


class Listener:
    def __init__(self, table: Any, viewer: str, after: str | None = None) -> None:
        self.heard: list[Message] = []
        self.ended: Exception | None = None
        self._task = asyncio.create_task(self._listen(FakeContext(table, viewer), after))

    async def _listen(self, context: Any, after: str | None) -> None:
        try:
            async with aclosing(hear(context, room_gid(ROOM), after)) as messages:
                async for message in messages:
                    self.heard.append(message)
        except NotShown as ended:
            self.ended = ended

    async def has(self, *texts: str | None) -> None:
        async with asyncio.timeout(5):
            while [message.text for message in self.heard] != list(texts):
                await asyncio.sleep(0.005)

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def test_the_last_messages_come_first_and_then_each_as_it_is_said(talk: Any) -> None:
    for number in range(7):
        talk.chat.say(f"{number}")
    listener = Listener(talk, ADA)
    await listener.has("2", "3", "4", "5", "6")
    talk.chat.say("7")
    await listener.has("2", "3", "4", "5", "6", "7")
    await listener.stop()


async def test_after_a_cursor_comes_what_followed_and_what_is_missing_is_said(talk: Any) -> None:
    talk.chat.say("one")
    first = Listener(talk, ADA)
    await first.has("one")
    await first.stop()
    after = first.heard[0].cursor
    talk.chat.say("two")
    second = Listener(talk, ADA, after)
    await second.has("two")
    await second.stop()
    for number in range(10):
        talk.chat.say(f"{number}")
    third = Listener(talk, ADA, after)
    await third.has(None, "5", "6", "7", "8", "9")
    assert [message.kind for message in third.heard[:2]] == [MessageKind.LAGGED, MessageKind.SAID]
    assert third.heard[0].cursor == after
    await third.stop()


async def test_a_lost_push_is_asked_for(talk: Any) -> None:
    listener = Listener(talk, ADA)
    talk.chat.say("one")
    await listener.has("one")
    talk.chat.lose = 1
    talk.chat.say("two")
    talk.chat.say("three")
    await listener.has("one", "two", "three")
    await listener.stop()


async def test_a_team_is_heard_by_its_own_and_who_changes_his_seat_hears_the_new_one(talk: Any) -> None:
    talk.chat.teams = {ADA: 0, BEA: 1}
    ada, bea = Listener(talk, ADA), Listener(talk, BEA)
    talk.chat.say("all")
    await asyncio.gather(ada.has("all"), bea.has("all"))
    talk.chat.say("ours", team=0)
    await ada.has("all", "ours")
    talk.chat.teams = {ADA: 1, BEA: 1}
    talk.room.members = [BEA, ADA]
    talk.room.commit("SeatTaken")
    await asyncio.sleep(0.05)
    talk.chat.say("theirs", team=1)
    talk.chat.say("not for us", team=0)
    talk.chat.say("end")
    await asyncio.gather(ada.has("all", "ours", "theirs", "end"), bea.has("all", "theirs", "end"))
    await asyncio.gather(ada.stop(), bea.stop())


async def test_who_leaves_the_room_hears_no_more(talk: Any) -> None:
    listener = Listener(talk, BEA)
    talk.chat.say("one")
    await listener.has("one")
    talk.chat.room, talk.room.members = [ADA], [ADA]
    talk.room.commit("PlayerLeft")
    await asyncio.sleep(0.05)
    talk.chat.say("two")
    async with asyncio.timeout(5):
        while listener.ended is None:
            await asyncio.sleep(0.005)
    assert [message.text for message in listener.heard] == ["one"]


async def test_who_is_not_there_hears_nothing(talk: Any) -> None:
    talk.room.private = False
    listener = Listener(talk, EVE)
    async with asyncio.timeout(5):
        while listener.ended is None:
            await asyncio.sleep(0.005)
    assert isinstance(listener.ended, NotShown)
    assert listener.ended.code is RefusalCode.NOT_IN_ROOM


async def test_pages_of_the_past_join_what_rooms_gives_and_lose_nothing_between_them(talk: Any) -> None:
    for number in range(9):
        talk.chat.say(f"{number}", team=1 if number in (3, 4, 5) else None)
    context: Any = FakeContext(talk, ADA)
    texts: list[str | None] = []
    after = None
    for _ in range(10):
        page = await messages_of(context, room_gid(ROOM), 2, after)
        texts += [edge.node.text for edge in page.edges]
        after = page.page_info.end_cursor
        if not page.page_info.has_next_page:
            break
    assert texts == ["8", "7", "6", "2", "1", "0"]
