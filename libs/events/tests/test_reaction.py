"""A reaction sends each command at least once, in order within a stream, and one effect comes of it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence

import asyncpg
import msgspec
import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Actor, Answer, Ask, Command, Done, Refused
from circolo_events.appender import Append, Appender, NewEvent
from circolo_events.canonical import reaction_command_id
from circolo_events.reaction import Reaction, Send
from circolo_events.registry import EventRegistry
from circolo_events.store import Recorded, Store
from circolo_events.testing.store_contract import appended, new_stream, some_append
from msgspec import Raw, Struct


class Happened(Struct, frozen=True):
    n: int


class React(Struct, frozen=True):
    n: int


REGISTRY = EventRegistry.of_unions(Happened)


def echo(event: Recorded, happened: Happened) -> Sequence[Send]:
    return [Send("games", f"match-{event.stream.partition('-')[2]}", React(happened.n), "echo")]


class Games:
    """A service that answers as it is told, and does each command id once."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Command]] = []
        self.effects: dict[str, list[int]] = defaultdict(list)
        self.done: set[str] = set()
        self.answers: list[Answer] = []
        self.at_once = self.most_at_once = 0

    async def send(
        self, service: str, stream: str, envelope: Command | Ask, *, headers: dict[str, str] | None = None
    ) -> Answer:
        assert isinstance(envelope, Command)
        self.sent.append((stream, envelope))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0.002)
        self.at_once -= 1
        if self.answers:
            return self.answers.pop(0)
        if envelope.id not in self.done:
            self.done.add(envelope.id)
            self.effects[stream].append(msgspec.json.decode(envelope.data)["n"])
        return Done(1, 1, False, Raw(b"{}"), 1)


def reaction(pool: asyncpg.Pool, store: Store, games: Games) -> Reaction:
    return Reaction(
        "starter", "rooms", service="cards", pool=pool, store=store, registry=REGISTRY, react=echo, client=games
    )


async def happen(appender: Appender, streams: list[str], version: int) -> None:
    data = b'{"n":%d}' % version
    await asyncio.gather(*(appended(appender, some_append(s, version, data=data)) for s in streams))


async def test_every_event_sends_its_command_in_the_order_of_its_stream(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    games, streams = Games(), [new_stream() for _ in range(30)]
    for version in range(4):
        await happen(appender, streams, version)
    cards = reaction(pool, store, games)
    await cards.start()
    await cards.caught_up()
    await cards.stop()
    assert len(games.effects) == 30
    assert all(numbers == [0, 1, 2, 3] for numbers in games.effects.values())
    assert games.most_at_once > 10, "streams do not wait for each other"
    _, command = games.sent[0]
    assert command.actor == Actor("service", "cards")
    assert command.type == "React"


async def test_a_command_without_an_answer_is_repeated_under_the_same_id(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    games, stream = Games(), new_stream()
    games.answers = [Refused(RefusalCode.UNAVAILABLE), Refused(RefusalCode.RATE_LIMITED)]
    await happen(appender, [stream], 0)
    await happen(appender, [stream], 1)
    cards = reaction(pool, store, games)
    await cards.start()
    await cards.caught_up()
    await cards.stop()
    event = (await store.read_stream(stream))[0]
    assert [command.id for _, command in games.sent[:3]] == [reaction_command_id(event.id, "echo")] * 3
    assert list(games.effects.values()) == [[0, 1]]


async def test_a_refusal_is_an_answer_and_the_reaction_goes_on(
    pool: asyncpg.Pool, store: Store, appender: Appender, caplog: pytest.LogCaptureFixture
) -> None:
    games, stream = Games(), new_stream()
    games.answers = [Refused(RefusalCode.GAME_NOT_RUNNING)]
    await happen(appender, [stream], 0)
    await happen(appender, [stream], 1)
    cards = reaction(pool, store, games)
    await cards.start()
    await cards.caught_up()
    await cards.stop()
    assert len(games.sent) == 2
    assert list(games.effects.values()) == [[1]]
    assert "GAME_NOT_RUNNING" in caplog.text


async def test_a_process_that_dies_after_sending_sends_again_and_nothing_happens_twice(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    games, streams = Games(), [new_stream() for _ in range(5)]
    await happen(appender, streams, 0)
    first = reaction(pool, store, games)
    await pool.execute("ALTER TABLE checkpoint RENAME TO hidden")  # it can send, and cannot write down that it did
    await pool.execute("CREATE VIEW checkpoint AS SELECT * FROM hidden")
    await pool.execute("CREATE RULE never AS ON UPDATE TO checkpoint DO INSTEAD NOTHING")
    await first.start()
    async with asyncio.timeout(5):
        while len(games.sent) < 10:
            await asyncio.sleep(0.01)
    await first.stop()
    await pool.execute("DROP VIEW checkpoint")
    await pool.execute("ALTER TABLE hidden RENAME TO checkpoint")
    second = reaction(pool, store, games)
    await second.start()
    await second.caught_up()
    await second.stop()
    assert sorted(games.effects.values()) == [[0]] * 5


async def test_a_fault_of_the_target_parks_the_stream_and_loses_nothing(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    games, stream, other = Games(), new_stream(), new_stream()
    games.answers = [Refused(RefusalCode.INTERNAL)] * 4
    await happen(appender, [stream], 0)
    cards = reaction(pool, store, games)
    await cards.start()
    await cards.caught_up()
    await happen(appender, [other], 0)
    await cards.caught_up()
    assert cards.subscription.parked == {stream}
    assert await cards.unpark(stream) == 1
    async with asyncio.timeout(5):
        while cards.subscription.parked:
            await asyncio.sleep(0.01)
    await cards.stop()
    assert len(games.effects) == 2


async def test_what_a_reaction_has_to_know_beside_an_event_is_read_before_it_is_asked(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    games, known, poison = Games(), set[str](), new_stream()
    good = [new_stream() for _ in range(5)]
    await happen(appender, [*good, poison], 0)

    async def recall(events: Sequence[Recorded]) -> None:
        if any(event.stream == poison for event in events):
            raise ValueError("cannot be understood")
        known.update(event.stream for event in events)

    def react(event: Recorded, happened: Happened) -> Sequence[Send]:
        assert event.stream in known
        return echo(event, happened)

    cards = Reaction(
        "starter", "rooms", service="cards", pool=pool, store=store, registry=REGISTRY, react=react, client=games
    )
    cards.recall = recall
    await cards.start()
    await cards.caught_up()
    await cards.stop()
    assert known == set(good)
    assert len(games.effects) == 5
    assert cards.subscription.parked == {poison}, "as when reacting itself fails"


async def test_events_that_do_not_matter_here_are_passed_over(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    games, stream = Games(), new_stream()
    news = NewEvent("ab" * 16, "SomethingElse", 3, b'{"x":1}', b"{}")
    await appended(appender, Append(stream, 0, "cd" * 16, [news]))
    cards = reaction(pool, store, games)
    await cards.start()
    await cards.caught_up()
    await cards.stop()
    assert not games.sent
    assert not cards.subscription.parked


async def test_a_reaction_that_stops_does_not_wait_for_a_service_that_is_away(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    games, stream = Games(), new_stream()
    games.answers = [Refused(RefusalCode.UNAVAILABLE)] * 1000
    await happen(appender, [stream], 0)
    cards = reaction(pool, store, games)
    await cards.start()
    async with asyncio.timeout(5):
        while len(games.sent) < 2:
            await asyncio.sleep(0.01)
    async with asyncio.timeout(3):
        await cards.stop()
    assert await pool.fetchval("SELECT max(pos) FROM checkpoint") == 0
