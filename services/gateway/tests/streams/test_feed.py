"""What one feed makes of a push, whatever state it is in."""

from __future__ import annotations

import asyncio

import pytest
from circolo_contracts.wire import Answer, Ask, Pushed, Seen, encoder
from circolo_gateway.streams.feed import Feed
from circolo_gateway.streams.update import Cursor, Update
from msgspec import Raw

VIEW = Raw(b"{}")
UNKNOWN = -1
"""What a push says of the version before it, when it does not tell what happened."""


class Owner:
    """Answers that the stream is at version 5."""

    def __init__(self) -> None:
        self.asked: list[Ask] = []

    async def __call__(self, question: Ask) -> Answer:
        self.asked.append(question)
        return Seen(5, "public", VIEW, [Raw(b"1")], reset=False)


def feed_of(owner: Owner) -> Feed:
    return Feed("cardgames", "match-1", "public", owner, check_seconds=1_000, check_most=1_000)


def push(feed: Feed, previous: int, version: int) -> None:
    feed.on_push(encoder.encode(Pushed(previous, version, [], VIEW)))


async def arrived(cursor: Cursor) -> Update:
    async with asyncio.timeout(2):
        while (update := cursor.take()) is None:
            await asyncio.sleep(0.005)
    return update


async def test_a_push_that_does_not_say_what_happened_is_asked_for_also_before_the_first_answer() -> None:
    owner = Owner()
    feed = feed_of(owner)
    push(feed, UNKNOWN, 5)
    assert feed.version == -1
    cursor = Cursor("", asyncio.Event(), most=4, most_happenings=4)
    feed.join(cursor, Seen(4, "public", VIEW), None)
    update = await arrived(cursor)
    assert (update.previous, update.version, list(update.happened)) == (4, 5, [Raw(b"1")])
    assert [question.after for question in owner.asked] == [4]


async def test_a_push_that_cannot_be_read_is_asked_for_and_named_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    owner = Owner()
    feed = feed_of(owner)
    cursor = Cursor("", asyncio.Event(), most=4, most_happenings=4)
    feed.join(cursor, Seen(4, "public", VIEW), None)
    feed.on_push(b"{")
    assert (await arrived(cursor)).version == 5
    assert "a push of match-1 to public cannot be read" in caplog.text


async def test_the_next_version_goes_to_everybody_and_an_old_one_to_nobody() -> None:
    feed = feed_of(Owner())
    cursors = [Cursor("", asyncio.Event(), most=4, most_happenings=4) for _ in range(2)]
    for cursor in cursors:
        feed.join(cursor, Seen(4, "public", VIEW), None)
    push(feed, 4, 5)
    push(feed, 3, 4)
    push(feed, 4, 5)
    first, second = [cursor.take() for cursor in cursors]
    assert first is second is not None
    assert [cursor.take() for cursor in cursors] == [None, None]
    assert feed.version == 5
