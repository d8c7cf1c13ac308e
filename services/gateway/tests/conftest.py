"""A real NATS and two fake owners on it: a room and a game, whose pushes can be lost and whose answers can be late."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from circolo_contracts.cardgames import GameHappening, MatchView, PlayedCard, SeatState
from circolo_contracts.cards import Card
from circolo_contracts.ids import GameId, RoomId
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import MemberView, RoomHappening, RoomView, SeatView
from circolo_contracts.solitaire import PyramidPlace, SolitaireHappening, SolitaireMove, SolitaireView
from circolo_contracts.talk import MESSAGES, ChatHappening, ChatPage, ChatView
from circolo_contracts.wire import (
    Answer,
    Ask,
    Command,
    Document,
    Done,
    Pushed,
    Refused,
    Seen,
    command_subject,
    encoder,
    envelope_decoder,
    view_subject,
)
from circolo_events.bus import Message, NatsBus
from circolo_events.canonical import shard_of
from circolo_events.client import CommandClient
from circolo_gateway.streams.chat import Chats
from circolo_gateway.streams.feeds import Feeds
from circolo_gateway.streams.places import Places
from circolo_gateway.streams.presence import Presence
from circolo_gateway.streams.update import Update
from circolo_gateway.streams.watch import GameAddress, Watch
from circolo_gateway.transport.steps import Steps
from msgspec import UNSET, Raw

sys.path.insert(0, str(Path(__file__).parent))

ADA, BEA, EVE = "a" * 32, "b" * 32, "e" * 32
RESUMED = 5
ROOM = RoomId("1" * 32)
GAME = GameId("2" * 32)
AT = GameAddress("cardgames", f"match-{GAME}", ROOM, GAME)


def raw(value: Any) -> Raw:
    return Raw(encoder.encode(value))


class Owner:
    """Serves one stream. ``answer_after`` delays answers; ``lose`` drops the next pushes."""

    def __init__(self, bus: NatsBus, service: str, stream: str) -> None:
        self.bus = bus
        self.service = service
        self.stream = stream
        self.version = 0
        self.happened: list[tuple[int, Any]] = []
        self.answer_after = 0.0
        self.lose = 0
        self.asked = 0
        self.commands: list[Command] = []

    def on_command(self, command: Command) -> Answer:
        return Refused(RefusalCode.UNKNOWN_COMMAND)

    async def start(self) -> None:
        await self.bus.subscribe(command_subject(self.service, shard_of(self.stream), self.stream), self._on)

    def _on(self, received: Message) -> None:
        envelope = envelope_decoder.decode(received.data)
        if isinstance(envelope, Command):
            self.commands.append(envelope)
            received.respond(encoder.encode(self.on_command(envelope)))
            return
        self.asked += 1
        asyncio.get_running_loop().create_task(self._answer(received, self.answer(envelope)))

    async def _answer(self, received: Message, answer: Answer) -> None:
        await asyncio.sleep(self.answer_after)
        received.respond(encoder.encode(answer))

    def answer(self, ask: Ask) -> Answer:
        audience = self.audience(ask.viewer)
        if isinstance(audience, RefusalCode):
            return Refused(audience)
        view = raw(self.view(audience))
        if ask.after is UNSET or ask.after > self.version or self.version - ask.after > 100:
            return Seen(self.version, audience, view)
        told = [raw(self.tell(at, what, audience)) for at, what in self.happened if at > ask.after]
        return Seen(self.version, audience, view, told, False)

    def audience(self, viewer: str) -> str | RefusalCode:
        raise NotImplementedError

    def audiences(self) -> list[str]:
        return ["public"]

    def view(self, audience: str) -> Any:
        raise NotImplementedError

    def tell(self, at: int, what: Any, audience: str) -> Any:
        raise NotImplementedError

    def commit(self, *events: Any) -> None:
        previous = self.version
        for event in events:
            self.version += 1
            self.happened.append((self.version, event))
        if self.lose:
            self.lose -= 1
            return
        for audience in self.audiences():
            told = [raw(self.tell(at, what, audience)) for at, what in self.happened if at > previous]
            pushed = Pushed(previous, self.version, told, raw(self.view(audience)))
            self.bus.publish(view_subject(self.stream, audience), encoder.encode(pushed))


class RoomOwner(Owner):
    def __init__(self, bus: NatsBus) -> None:
        super().__init__(bus, "rooms", f"room-{ROOM}")
        self.members = [ADA, BEA]
        self.private = True
        self.phase = "PLAYING"
        self.game = "BRISCOLA"
        self.latest_game: str | None = None
        self.game_id: str | None = GAME
        self.version = 1
        self.refuse: RefusalCode | None = None

    def audience(self, viewer: str) -> str | RefusalCode:
        if self.refuse is not None:
            return self.refuse
        return "public" if not self.private or viewer in self.members else RefusalCode.NOT_ALLOWED

    def view(self, audience: str) -> RoomView:
        return RoomView(
            code="ABCDEF", created_at=1, game=self.game, game_no=1, host=ADA,
            members=[MemberView(connected=True, player=player, spectator=False) for player in self.members],
            phase=self.phase, room=ROOM, settings={}, version=self.version,
            seats=[SeatView(seat=0, team=0, player=ADA), SeatView(seat=1, team=1, player=BEA)],
            visibility="PRIVATE" if self.private else "PUBLIC",
            game_id=self.game_id or UNSET, latest_game=self.latest_game or UNSET,
        )  # fmt: skip

    def tell(self, at: int, what: Any, audience: str) -> RoomHappening:
        return RoomHappening(at_version=at, kind=what)


class GameOwner(Owner):
    """Seat 0 is Ada's, seat 1 Bea's; the hand of a seat is in its own view only."""

    def __init__(self, bus: NatsBus) -> None:
        super().__init__(bus, "cardgames", AT.stream)
        self.seats = [ADA, BEA]
        self.hands = [["1D", "2D", "3D"], ["1B", "2B", "3B"]]
        self.room: str = ROOM

    def audience(self, viewer: str) -> str | RefusalCode:
        if self.version == 0:
            return RefusalCode.NOT_FOUND
        return f"seat-{self.seats.index(viewer)}" if viewer in self.seats else "public"

    def audiences(self) -> list[str]:
        return ["seat-0", "seat-1", "public"]

    def view(self, audience: str) -> MatchView:
        seat = int(audience[5:]) if audience.startswith("seat-") else None
        return MatchView(
            commitment="c", deal_no=1, deals=[], dealer=0, game="BRISCOLA", game_id=GAME, room=self.room, score=[0, 0],
            seats=[SeatState(hand_count=3, pile_count=0, seat=n, team=n, player=p) for n, p in enumerate(self.seats)],
            settings={}, started_at=1, status="RUNNING", stock_count=30, table=[],
            trick=[PlayedCard(card="4C", seat=0)], version=self.version, turn=self.version % 2,
            hand=UNSET if seat is None else self.hands[seat], seat=UNSET if seat is None else seat,
        )  # fmt: skip

    def tell(self, at: int, what: Any, audience: str) -> GameHappening:
        return GameHappening(at_version=at, kind=what, seat=at % 2)


class PatienceOwner(Owner):
    """Ada's solitario, which everybody sees alike."""

    def __init__(self, bus: NatsBus) -> None:
        super().__init__(bus, "cardgames", f"solitaire-{GAME}")

    def audience(self, viewer: str) -> str | RefusalCode:
        return "public" if self.version else RefusalCode.NOT_FOUND

    def view(self, audience: str) -> SolitaireView:
        return SolitaireView(
            bases=[], columns=[], commitment="c", game="SOLITARIO", game_id=GAME, player=ADA, redeals_left=2,
            legal_moves=[SolitaireMove("REMOVE", [Card("7S"), Card("3D")]), SolitaireMove("TURN")], removed_count=0,
            pyramid=[[PyramidPlace("COVERED")], [PyramidPlace("FREE", Card("7S")), PyramidPlace("EMPTY")]], room=ROOM,
            settings={"game": "PIRAMIDE", "redeals": 2}, started_at=1, status="RUNNING", stock_count=11,
            version=self.version, waste=[Card("3D")], waste_count=1,
        )  # fmt: skip

    def tell(self, at: int, what: Any, audience: str) -> SolitaireHappening:
        return SolitaireHappening(at_version=at, kind=what, cards=[Card("7S")])


class ChatOwner(Owner):
    """The room's chat; who is in ``teams`` hears his team's channel too. Further back than RESUMED it does not go."""

    def __init__(self, bus: Any) -> None:
        super().__init__(bus, "rooms", f"chat-{ROOM}")
        self.teams: dict[str, int] = {}
        self.room: list[str] = [ADA, BEA]

    def audience(self, viewer: str) -> str | RefusalCode:
        if viewer not in self.room:
            return RefusalCode.NOT_IN_ROOM
        return f"team-{self.teams[viewer]}" if viewer in self.teams else "public"

    def audiences(self) -> list[str]:
        return ["public", "team-0", "team-1"]

    def view(self, audience: str) -> ChatView:
        return ChatView(self.version)

    def tell(self, at: int, what: Any, audience: str) -> Any:
        text, team = what
        return ChatHappening(
            at=at, at_version=at, kind="MessagePosted", channel="ROOM" if team is None else "TEAM",
            message_id=f"{at:032x}", player=ADA, team=UNSET if team is None else team, text=text,
        )  # fmt: skip

    def told(self, after: int, audience: str) -> list[Any]:
        return [
            raw(self.tell(at, what, audience))
            for at, what in self.happened
            if at > after and (what[1] is None or audience == f"team-{what[1]}")
        ]

    def answer(self, ask: Ask) -> Answer:
        audience = self.audience(ask.viewer)
        if isinstance(audience, RefusalCode):
            return Refused(audience)
        if ask.document == MESSAGES:
            return self._page(ask)
        after = ask.after if isinstance(ask.after, int) else None
        reset = after is None or self.version - after > RESUMED
        told = self.told(self.version - RESUMED if reset else after or 0, audience)
        return Seen(self.version, audience, raw(self.view(audience)), told, reset)

    def _page(self, ask: Ask) -> Answer:
        """Three at a time."""
        before = ask.after if isinstance(ask.after, int) else self.version + 1
        past = [each for each in reversed(self.happened) if each[0] < before]
        shown = [self.tell(at, what, "") for at, what in past[:3] if what[1] is None]
        page = ChatPage(shown, len(past) > 3, past[:3][-1][0] if past else 0)
        return Document(self.version, encoder.encode(page).decode())

    def say(self, text: str, team: int | None = None) -> None:
        previous, self.version = self.version, self.version + 1
        self.happened.append((self.version, (text, team)))
        if self.lose:
            self.lose -= 1
            return
        for audience in self.audiences():
            self.push(previous, audience)

    def push(self, previous: int, audience: str) -> None:
        pushed = Pushed(previous, self.version, self.told(previous, audience), raw(self.view(audience)))
        self.bus.publish(view_subject(self.stream, audience), encoder.encode(pushed))


class Table:
    def __init__(self, bus: NatsBus, owners: NatsBus, **bounds: Any) -> None:
        self.bus = bus
        self.owners = owners
        self.room = RoomOwner(owners)
        self.game = GameOwner(owners)
        self.patience = PatienceOwner(owners)
        client = CommandClient(bus, attempt=2, total=3)
        self.said: list[tuple[str, Any]] = []
        self.said_back: Answer = Done(0, 0, False, Raw(b"{}"), 0)
        self.feeds = Feeds(bus, client, **{"check_seconds": 60.0, "check_most": 60.0, **bounds})
        self.presence = Presence(bus, self._say, grace=0.1, lease_ms=600)
        self.places = Places(self.feeds, self.presence)
        self.watch = Watch(self.places)

    async def _say(self, stream: str, command: Any) -> Answer:
        self.said.append((stream, command))
        return self.said_back


class ShortCut:
    """A watch whose reader may take updates before they are yielded (``Steps.deliver``)."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def room(self, *asked: Any) -> Steps[Update]:
        return Steps(lambda deliver: self._watch.room(*asked, deliver))

    def game(self, *asked: Any) -> Steps[Update]:
        return Steps(lambda deliver: self._watch.game(*asked, deliver))


@pytest.fixture(params=["yielded", "straight"])
async def table(nats_url: str, request: pytest.FixtureRequest) -> AsyncIterator[Any]:
    """Whatever holds for updates that are yielded holds for those that take the short cut."""
    async for made in seat(nats_url):
        if request.param == "straight":
            made.watch = ShortCut(made.watch)  # type: ignore[assignment]
        yield made


@pytest.fixture
async def straight_table(nats_url: str) -> AsyncIterator[Any]:
    async for made in seat(nats_url):
        made.watch = ShortCut(made.watch)  # type: ignore[assignment]
        yield made


@pytest.fixture
async def checked_table(nats_url: str) -> AsyncIterator[Table]:
    """Asks again after 0.3 s of silence."""
    async for made in seat(nats_url, check_seconds=0.3, check_most=0.3):
        yield made


@pytest.fixture
async def small_table(nats_url: str) -> AsyncIterator[Table]:
    """Keeps four updates and ten happenings for a slow subscriber."""
    async for made in seat(nats_url, pending=4, happenings=10):
        yield made


async def seat(nats_url: str, **bounds: Any) -> AsyncIterator[Table]:
    gateway = await NatsBus.connect(nats_url, name="gateway")
    owners = await NatsBus.connect(nats_url, name="owners")
    table = Table(gateway, owners, **bounds)
    await table.room.start()
    await table.game.start()
    await table.patience.start()
    await owners.flush()
    await table.feeds.start()
    await table.presence.start()
    yield table
    await table.presence.stop()
    await table.feeds.stop()
    await gateway.close()
    await owners.close()


def played(update: Any) -> list[int]:
    """Versions of the events that an update tells of."""
    return [msgspec.json.decode(each)["at_version"] for each in update.happened]


@pytest.fixture
async def talk(nats_url: str) -> AsyncIterator[Any]:
    async for table in seat(nats_url, pending=4, happenings=10, check_seconds=0.3, check_most=0.3):
        table.chat = ChatOwner(table.owners)
        await table.chat.start()
        await table.owners.flush()
        table.chats = Chats(table.places)
        yield table
