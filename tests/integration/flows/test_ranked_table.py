"""Ranked tables over rooms and cardgames together, on real servers: a person leaves or is put out in one of them, and
the match ends in the other. Clocks are put forward, not waited for.

The services are talked to as a gateway does.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import circolo_events
import circolo_rooms
import msgspec
import pytest
from circolo_cardgames.registry import REGISTRY as MATCH_EVENTS
from circolo_cardgames.service import CardGames
from circolo_cardgames.service import compose as compose_cardgames
from circolo_contracts.cardgames import DealStarted, LegalMove, MatchEnded, MatchStarted, MatchView, PlayCard
from circolo_contracts.expulsion import VoteToExpel
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rematch import AcceptRematch, OfferRematch
from circolo_contracts.rooms import (
    CreateRoom,
    JoinRoom,
    LeaveRoom,
    MarkConnected,
    MarkDisconnected,
    RoomView,
    SignInAsGuest,
    StartGame,
)
from circolo_contracts.wire import Actor, Answer, Ask, Command, Done, Pushed, Refused, Seen, encoder, pushed_decoder
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from circolo_events.clock import DatabaseClock
from circolo_rooms.registry import REGISTRY as ROOM_EVENTS
from circolo_rooms.service import GAME_SERVICES, Rooms
from circolo_rooms.service import compose as compose_rooms
from circolo_service import Platform, Settings, pools
from circolo_service.migrate import migrate
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import UNSET, Raw, Struct
from nats.js.errors import NotFoundError

KIT = ("kit", Path(circolo_events.__file__).parent / "migrations")
ROOMS_SQL = ("rooms", Path(circolo_rooms.__file__).parents[2] / "migrations")
ROOMS = Actor("service", "rooms")
TURN_MS = 30_000
HALF_A_MINUTE_AND_GRACE_MS = TURN_MS + 200


class SkippingClock(DatabaseClock):
    """The database's clock, which a test may put forward."""

    def skip(self, ms: int) -> None:
        self.offset_ms += ms


class House:
    """Rooms and any number of processes of cardgames."""

    def __init__(self, settings: Settings, bus: NatsBus, closing: AsyncExitStack) -> None:
        self.settings = settings
        self.bus = bus
        self.client = CommandClient(bus)
        self.clocks: list[SkippingClock] = []
        self.skipped = 0
        self._closing = closing

    async def open(self, name: str, compose: Any) -> Any:
        pool = await pools.create(self.settings, name, name=name)
        self._closing.push_async_callback(pool.close)
        clock = SkippingClock()
        await clock.measure(pool)
        clock.skip(self.skipped)
        self.clocks.append(clock)
        service = await compose(Platform(name, self.settings, self.bus, pool, clock, name))
        await service.start()
        return service

    def skip(self, ms: int) -> None:
        """It is later, everywhere."""
        self.skipped += ms
        for clock in self.clocks:
            clock.skip(ms)

    @property
    def now(self) -> int:
        return self.clocks[0].now()

    async def send(self, service: str, stream: str, data: Struct, who: Actor | str, *, at: int = 0) -> Answer:
        actor = Actor("player", who) if isinstance(who, str) else who
        command = Command(
            actor=actor, data=Raw(encoder.encode(data)), id=uuid.uuid4().hex, type=type(data).__name__,
            at=at or self.now,
        )  # fmt: skip
        return await self.client.send(service, stream, command)

    async def ask(self, service: str, stream: str, viewer: str, kind: Any) -> Any:
        answer = await self.client.send(service, stream, Ask(viewer=viewer))
        return msgspec.json.decode(answer.view, type=kind) if isinstance(answer, Seen) else None


class Table:
    """A room with its people; ``match`` is the stream of its last game."""

    def __init__(self, house: House, rooms: Rooms, cardgames: CardGames, people: Sequence[str], room: RoomView) -> None:
        self.house = house
        self.rooms = rooms
        self.cardgames = cardgames
        self.people = people
        self.stream = f"room-{room.room}"
        self.match = ""

    async def do(self, data: Struct, who: Actor | str) -> Answer:
        return await self.house.send("rooms", self.stream, data, who)

    async def done(self, data: Struct, who: Actor | str) -> RoomView:
        answer = await self.do(data, who)
        assert isinstance(answer, Done), answer
        return msgspec.json.decode(answer.view, type=RoomView)

    async def start(self) -> MatchView:
        room = await self.done(StartGame(), self.people[0])
        return await self.begun(room)

    async def begun(self, room: RoomView) -> MatchView:
        assert room.game_id is not UNSET
        self.match = f"match-{room.game_id}"
        return await self.until_match(lambda view: view.deal_no > 0)

    async def look(self) -> RoomView:
        view: RoomView = await self.house.ask("rooms", self.stream, self.people[0], RoomView)
        return view

    async def see(self, seat: int | None = None) -> MatchView | None:
        viewer = "" if seat is None else self.people[seat]
        view: MatchView | None = await self.house.ask("cardgames", self.match, viewer, MatchView)
        return view

    async def play(self, move: LegalMove, seat: int, *, at: int = 0) -> Answer:
        card = PlayCard(move.card, move.captures[0] if move.captures else UNSET)
        return await self.house.send("cardgames", self.match, card, self.people[seat], at=at)

    async def play_on(self) -> None:
        """The first legal card of each seat on turn, to the end."""
        view = await self.until_match(lambda view: True)
        while view.status == "RUNNING":
            assert view.turn is not UNSET
            own = await self.see(view.turn)
            assert own is not None
            assert own.legal_moves
            answer = await self.play(own.legal_moves[0], view.turn)
            assert isinstance(answer, Done), answer
            view = msgspec.json.decode(answer.view, type=MatchView)

    async def until_match(self, holds: Any) -> MatchView:
        async with asyncio.timeout(15):
            while (view := await self.see()) is None or not holds(view):
                await asyncio.sleep(0.02)
        return view

    async def back_in_the_lobby(self) -> RoomView:
        async with asyncio.timeout(15):
            while (view := await self.look()).phase != "LOBBY":
                await asyncio.sleep(0.02)
        return view

    async def events(self) -> list[Any]:
        """Of the match, as stored."""
        rows = await self.cardgames.store.read_stream(self.match)
        return [MATCH_EVENTS.decode(row.type, row.schema_v, row.data) for row in rows]

    async def only_end(self) -> MatchEnded:
        """After the room has heard of it and every reaction has had its time."""
        await self.back_in_the_lobby()
        await asyncio.sleep(0.3)
        ends = [event for event in await self.events() if isinstance(event, MatchEnded)]
        assert len(ends) == 1
        armed = "SELECT count(*) FROM deadline WHERE stream = $1"
        assert await self.cardgames.store.pool.fetchval(armed, self.match) == 0
        return ends[0]


@asynccontextmanager
async def house_on(database: str, nats_url: str, folder: Path) -> AsyncIterator[House]:
    pem = folder / "token.pem"
    pem.write_bytes(
        Ed25519PrivateKey.generate().private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    await migrate(database, "rooms", [KIT, ROOMS_SQL])
    for source in GAME_SERVICES:
        await migrate(database, source, [KIT])
    async with AsyncExitStack() as closing:
        bus = await NatsBus.connect(nats_url, name="ranked-table")
        closing.push_async_callback(bus.close)
        for log in ("LOG_rooms", "LOG_cardgames"):
            with suppress(NotFoundError):  # the feed of another test's database
                await bus.client.jetstream().delete_stream(log)
        settings = Settings(postgres_url=database, nats_url=nats_url, token_private_key_file=pem)
        yield House(settings, bus, closing)


@pytest.fixture
async def table(database: str, nats_url: str, tmp_path: Path) -> AsyncIterator[Table]:
    """Four at a ranked scopone, not started."""
    async with house_on(database, nats_url, tmp_path) as house:
        rooms = await house.open("rooms", compose_rooms)
        cardgames = await house.open("cardgames", compose_cardgames)
        people = [uuid.uuid4().hex for _ in range(4)]
        for number, player in enumerate(people):
            await house.send("rooms", f"player-{player}", SignInAsGuest(f"Seat {number}"), player)
        wish = CreateRoom("SCOPONE_NOVE", {}, "PUBLIC", ranked=True)
        made = await house.send("rooms", f"room-{uuid.uuid4().hex}", wish, people[0])
        assert isinstance(made, Done), made
        room = msgspec.json.decode(made.view, type=RoomView)
        for player in people[1:]:
            await house.send("rooms", f"code-{room.code}", JoinRoom(), player)
        table = Table(house, rooms, cardgames, people, room)
        yield table
        await table.cardgames.stop()
        await rooms.stop()


async def test_who_leaves_a_ranked_table_has_lost_the_match_at_once_for_the_other_pair(table: Table) -> None:
    await table.start()
    await table.done(LeaveRoom(), table.people[2])
    end = await table.only_end()
    assert (end.outcome, end.reason, end.abandoned_by, end.winner) == ("ABANDONED", "LEFT", 2, 1)
    started = (await table.events())[0]
    assert isinstance(started, MatchStarted)
    assert started.ranked is True
    room = await table.look()
    assert [seat.player for seat in room.seats] == [table.people[0], table.people[1], UNSET, table.people[3]]


async def test_of_two_who_leave_in_the_same_millisecond_one_has_abandoned(table: Table) -> None:
    await table.start()
    answers = await asyncio.gather(*(table.do(LeaveRoom(), table.people[seat]) for seat in (1, 3, 2)))
    assert all(isinstance(answer, Done) for answer in answers)
    left = [row for row in await table.rooms.store.read_stream(table.stream) if row.type == "PlayerLeft"]
    first = ROOM_EVENTS.decode(left[0].type, left[0].schema_v, left[0].data)
    assert (await table.only_end()).abandoned_by == table.people.index(first.player)  # type: ignore[attr-defined]


async def test_a_lost_connection_ends_nothing_and_shortens_nobodys_time(table: Table) -> None:
    """cards_bug_22: nor does coming back."""
    view = await table.start()
    for mark in (MarkConnected, MarkDisconnected, MarkConnected, MarkDisconnected):
        await table.done(mark(table.people[1]), ROOMS)
    await asyncio.sleep(0.2)
    now = await table.see()
    assert now is not None
    assert (now.status, now.deadline, now.version) == ("RUNNING", view.deadline, view.version)


async def test_backend_O1_the_unanimous_vote_puts_a_player_out_and_everybody_hears_it_in_order(table: Table) -> None:
    heard: list[Pushed] = []
    await table.house.bus.subscribe(
        f"view.{table.stream}.public", lambda m: heard.append(pushed_decoder.decode(m.data))
    )
    await table.house.bus.flush()
    await table.start()
    target = table.people[1]
    await table.done(VoteToExpel(True, target), table.people[0])
    view = await table.done(VoteToExpel(True, target), table.people[2])
    assert view.votes[0].in_favour == [table.people[0], table.people[2]]
    await asyncio.sleep(0.2)
    running = await table.see()
    assert running is not None
    assert running.status == "RUNNING", "two of three is nothing"
    await table.done(VoteToExpel(True, target), table.people[3])
    end = await table.only_end()
    assert (end.reason, end.abandoned_by, end.winner) == ("EXPELLED", 1, 0)
    room = await table.look()
    assert target not in [member.player for member in room.members]
    assert room.votes == []
    versions = [update.version for update in heard]
    assert versions == sorted(set(versions))
    assert [update.previous for update in heard[1:]] == versions[:-1], "no version is missing"
    kinds = [msgspec.json.decode(raw)["kind"] for update in heard for raw in update.happened]
    assert kinds[-6:] == [
        "ExpulsionVoted", "ExpulsionVoted", "ExpulsionVoted", "ExpulsionDecided", "GameFinished", "PlayerLeft"
    ]  # fmt: skip


async def test_after_thirty_seconds_the_seat_is_out_once_however_many_workers_look(table: Table) -> None:
    view = await table.start()
    others = [await table.house.open("cardgames", compose_cardgames) for _ in range(2)]
    table.house.skip(HALF_A_MINUTE_AND_GRACE_MS)
    end = await table.only_end()
    for other in others:
        await other.stop()
    assert (end.outcome, end.reason, end.abandoned_by) == ("ABANDONED", "TIMEOUT", view.turn)
    assert view.turn is not UNSET
    out = table.people[view.turn]
    async with asyncio.timeout(10):
        while out in [member.player for member in (await anybodys_look(table)).members]:
            await asyncio.sleep(0.02)


async def anybodys_look(table: Table) -> RoomView:
    """A public room is seen by who has left it too."""
    view: RoomView = await table.house.ask("rooms", table.stream, "", RoomView)
    return view


async def test_a_restart_over_the_deadline_forgets_no_time_out(table: Table) -> None:
    view = await table.start()
    await table.cardgames.stop()
    table.house.skip(HALF_A_MINUTE_AND_GRACE_MS)
    table.cardgames = await table.house.open("cardgames", compose_cardgames)
    end = await table.only_end()
    assert (end.reason, end.abandoned_by) == ("TIMEOUT", view.turn)


async def test_a_card_stamped_in_time_and_the_time_out_that_is_due_have_one_outcome(table: Table) -> None:
    """cards_K11: both are sent at the same moment; whichever commits first decides."""
    view = await table.start()
    assert view.turn is not UNSET
    assert view.deadline is not UNSET
    own = await table.see(view.turn)
    assert own is not None
    assert own.legal_moves
    table.house.skip(HALF_A_MINUTE_AND_GRACE_MS)
    answer = await table.play(own.legal_moves[0], view.turn, at=view.deadline)
    if isinstance(answer, Done):
        now = await table.see()
        assert now is not None
        assert (now.status, now.turn) == ("RUNNING", (view.turn + 1) % 4)
    else:
        assert isinstance(answer, Refused)
        assert answer.code is RefusalCode.GAME_NOT_RUNNING
        assert (await table.only_end()).abandoned_by == view.turn


async def test_an_expulsion_and_a_time_out_at_the_same_moment_are_one_abandonment(table: Table) -> None:
    view = await table.start()
    assert view.turn is not UNSET
    target = (view.turn + 1) % 4
    voters = [seat for seat in range(4) if seat != target]
    for seat in voters[:2]:
        await table.done(VoteToExpel(True, table.people[target]), table.people[seat])
    table.house.skip(HALF_A_MINUTE_AND_GRACE_MS)
    await table.do(VoteToExpel(True, table.people[target]), table.people[voters[2]])
    end = await table.only_end()
    assert (end.reason, end.abandoned_by) in [("TIMEOUT", view.turn), ("EXPELLED", target)]
    assert end.abandoned_by is not UNSET
    room = await anybodys_look(table)
    gone = set(table.people) - {member.player for member in room.members}
    assert gone == {table.people[end.abandoned_by]}, "only who has abandoned is out of the room"


async def test_after_the_last_card_the_table_plays_again_when_all_want_it_and_the_deal_goes_on(table: Table) -> None:
    await table.start()
    await table.play_on()
    end = await table.only_end()
    assert end.outcome == "WON"
    first = table.match
    refused = await table.do(StartGame(), table.people[0])
    assert isinstance(refused, Refused)
    assert refused.code is RefusalCode.REMATCH_ONLY
    invitations = [table.do(OfferRematch(), table.people[0]) for _ in range(2)]
    assert all(isinstance(answer, Done) for answer in await asyncio.gather(*invitations))
    answers = await asyncio.gather(
        *(table.do(AcceptRematch(), player) for player in [*table.people[1:], *table.people[1:]])
    )
    codes = {answer.code for answer in answers if isinstance(answer, Refused)}
    assert codes <= {RefusalCode.GAME_STARTED}, "who says yes twice may be too late with the second one"
    room = await table.look()
    assert (room.game_no, room.phase, room.rematch) == (2, "PLAYING", UNSET)
    await table.begun(room)
    assert table.match != first
    deal = next(event for event in await table.events() if isinstance(event, DealStarted))
    assert deal.dealer == (end.last_dealer + 1) % 4
    assert [seat.player for seat in room.seats] == table.people, "the seats stay"
    await table.done(LeaveRoom(), table.people[3])
    assert (await table.only_end()).abandoned_by == 3


async def test_backend_C1_leaving_in_the_moment_after_the_last_card_costs_nothing(table: Table) -> None:
    """cards_K13: also before the room has heard that the match is over."""
    await table.start()
    await table.play_on()
    await asyncio.gather(*(table.do(LeaveRoom(), player) for player in table.people[1:]))
    table.house.skip(4 * TURN_MS)
    end = await table.only_end()
    assert (end.outcome, end.reason, end.abandoned_by) == ("WON", UNSET, UNSET)
