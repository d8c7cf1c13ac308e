"""The service on a real Postgres and NATS: rooms' orders in, moves by NATS, views out, CPUs and clocks by rows."""

from __future__ import annotations

import asyncio
import os
import signal
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import circolo_events
import msgspec
import pytest
from circolo_cardgames.cpu.search import Budget
from circolo_cardgames.games.solitario.thumb import choose
from circolo_cardgames.registry import REGISTRY
from circolo_cardgames.service import CardGames, compose
from circolo_cardgames.verify import PROOF
from circolo_contracts.cardgames import (
    AbandonGame,
    CardPlayed,
    DealStarted,
    GameHappening,
    MatchResult,
    MatchView,
    PlayCard,
)
from circolo_contracts.cards import DECK, Card
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import GameRequested, GameStopRequested, SeatOccupant
from circolo_contracts.solitaire import RemoveCards, SolitaireView, TurnStock
from circolo_contracts.wire import Actor, Ask, Command, Done, Pushed, Refused, Seen, pushed_decoder
from circolo_events import canonical
from circolo_events.appender import ANY_VERSION, Append, Appender, NewEvent
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from circolo_events.clock import DatabaseClock
from circolo_events.store import Recorded
from circolo_service import Platform, Settings, pools
from circolo_service.migrate import migrate
from msgspec import UNSET, Raw, Struct
from nats.js.errors import NotFoundError

KIT = [("kit", Path(circolo_events.__file__).parent / "migrations")]
ANNA, BRUNO = f"{0xA:032x}", f"{0xB:032x}"


class Club:
    """A cardgames service and the rooms' log that it reads; no other service runs."""

    def __init__(self, settings: Settings, bus: NatsBus, closing: AsyncExitStack) -> None:
        self.settings = settings
        self.bus = bus
        self.client = CommandClient(bus)
        self.room = uuid.uuid4().hex
        self._closing = closing
        self._rooms: Appender | None = None

    async def open(self) -> CardGames:
        """Another replica."""
        pool = await pools.create(self.settings, "cardgames", name="cardgames")
        self._closing.push_async_callback(pool.close)
        clock = DatabaseClock()
        await clock.start(pool)
        self._closing.push_async_callback(clock.stop)
        service = await compose(Platform("cardgames", self.settings, self.bus, pool, clock, "cardgames"))
        await service.start()
        return service

    async def order(self, event: Struct) -> None:
        """What rooms would commit."""
        if self._rooms is None:
            self._rooms = Appender(lambda: pools.connect(self.settings, "rooms", name="rooms"))
            self._rooms.start()
            self._closing.push_async_callback(self._rooms.stop)
        new = NewEvent(uuid.uuid4().hex, type(event).__name__, 1, canonical.encode(event), b"{}")
        await self._rooms.append(Append(f"room-{self.room}", ANY_VERSION, uuid.uuid4().hex, [new]))
        self.bus.publish("poke.rooms", b"")

    async def request(self, seats: Sequence[SeatOccupant], **settings: int | str) -> str:
        """Start a game; returns the match's stream."""
        game_id = uuid.uuid4().hex
        order = GameRequested(1, "BRISCOLA", game_id, 1, list(seats), {"players": len(seats), **settings})
        await self.order(order)
        return f"match-{game_id}"

    async def play(self, stream: str, player: str, card: str, *, key: str = "", expected: int | None = None) -> Any:
        return await self.send(stream, player, PlayCard(card), key=key, expected=expected)  # type: ignore[arg-type]

    async def send(
        self, stream: str, player: str, command: Struct, *, key: str = "", expected: int | None = None
    ) -> Any:
        return await self.client.send(
            "cardgames", stream,
            Command(
                actor=Actor("player", player), data=Raw(canonical.encode(command)), type=type(command).__name__,
                id=key or uuid.uuid4().hex, expected=UNSET if expected is None else expected,
            ),
        )  # fmt: skip

    async def look(self, stream: str, player: str = "", after: int | None = None) -> tuple[MatchView, Seen] | None:
        answer = await self.client.send("cardgames", stream, Ask(player, UNSET if after is None else after))
        if isinstance(answer, Refused):
            assert answer.code is RefusalCode.NOT_FOUND
            return None
        assert isinstance(answer, Seen)
        return msgspec.json.decode(answer.view, type=MatchView), answer


@asynccontextmanager
async def club_on(database: str, nats_url: str) -> AsyncIterator[Club]:
    async with AsyncExitStack() as closing:
        for schema in ("rooms", "cardgames"):
            await migrate(database, schema, KIT)
        bus = await NatsBus.connect(nats_url, name="tests")
        closing.push_async_callback(bus.close)
        with suppress(NotFoundError):  # the feed of another test's database
            await bus.client.jetstream().delete_stream("LOG_cardgames")
        yield Club(Settings(postgres_url=database, nats_url=nats_url), bus, closing)


@pytest.fixture
async def club(database: str, nats_url: str) -> AsyncIterator[Club]:
    async with club_on(database, nats_url) as opened:
        yield opened


@pytest.fixture
async def service(club: Club) -> AsyncIterator[CardGames]:
    running = await club.open()
    yield running
    await running.stop()


async def until(what: Callable[[], Awaitable[Any]], seconds: float = 15.0) -> Any:
    async with asyncio.timeout(seconds):
        while True:
            found = await what()
            if found:
                return found
            await asyncio.sleep(0.02)


async def started(club: Club, stream: str) -> MatchView:
    view, _ = await until(lambda: club.look(stream))
    return view


async def ended(club: Club, stream: str) -> MatchView:
    async def over() -> MatchView | None:
        seen = await club.look(stream)
        return seen[0] if seen is not None and seen[0].status == "ENDED" else None

    view: MatchView = await until(over, 30.0)
    return view


def people(*ids: str) -> list[SeatOccupant]:
    return [SeatOccupant(player=one) for one in ids]


async def played_out(club: Club, stream: str, view: MatchView) -> int:
    """Two people play their first card each time; returns how many were accepted."""
    accepted = 0
    while view.status == "RUNNING":
        player = (ANNA, BRUNO)[int(view.turn)]  # type: ignore[arg-type]
        seen = await club.look(stream, player)
        assert seen is not None
        assert seen[0].legal_moves
        answer = await club.play(stream, player, seen[0].legal_moves[0].card, expected=seen[0].version)
        assert isinstance(answer, Done), answer
        accepted += 1
        view = msgspec.json.decode(answer.view, type=MatchView)
    return accepted


async def test_a_match_is_ordered_played_to_the_end_and_seen_by_everybody(club: Club, service: CardGames) -> None:
    pushed: dict[str, list[Pushed]] = {"seat-0": [], "seat-1": [], "public": []}
    stream = await club.request(people(ANNA, BRUNO))
    for audience, got in pushed.items():
        await club.bus.subscribe(
            f"view.{stream}.{audience}", lambda m, got=got: got.append(pushed_decoder.decode(m.data))
        )  # type: ignore[misc]
    await club.bus.flush()
    view = await started(club, stream)
    assert await played_out(club, stream, view) == 40
    final = await ended(club, stream)
    assert final.seed is not UNSET
    await club.bus.flush()
    await asyncio.sleep(0.05)

    events = [REGISTRY.decode(r.type, r.schema_v, r.data) for r in await service.store.read_stream(stream)]
    deck = next(event.deck for event in events if isinstance(event, DealStarted))
    assert sum(isinstance(event, CardPlayed) for event in events) == 40
    for audience, updates in pushed.items():
        versions = [update.version for update in updates]
        assert versions == sorted(set(versions))
        assert [u.previous for u in updates[1:]] == versions[:-1], "no version is missing"
        assert versions[-1] == final.version
        seen_cards: set[str] = set()
        for update in updates[:-1]:
            told = [msgspec.json.decode(raw, type=GameHappening) for raw in update.happened]
            now = msgspec.json.decode(update.view, type=MatchView)
            seen_cards |= {str(h.card) for h in told if h.kind == "CardPlayed"} | {str(now.trump_card)}
            seen_cards |= set(now.hand) if now.hand is not UNSET else set()
            text = bytes(update.view) + b"".join(bytes(raw) for raw in update.happened)
            named = {card for card in deck if f'"{card}"'.encode() in text}
            assert named <= seen_cards, (audience, named - seen_cards)
            assert final.seed.encode() not in text


async def test_everything_after_a_version_is_told_to_who_asks_for_it(club: Club, service: CardGames) -> None:
    stream = await club.request(people(ANNA, BRUNO))
    view = await started(club, stream)
    await played_out(club, stream, view)
    for player in (ANNA, ""):
        _, seen = await club.look(stream, player, after=view.version) or (None, None)
        assert seen is not None
        told = [msgspec.json.decode(raw, type=GameHappening) for raw in seen.happened]
        assert not seen.reset
        assert sum(happening.kind == "CardPlayed" for happening in told) == 40
        assert sum(happening.kind == "CardDrawn" for happening in told) == 34
        shown = sum(happening.kind == "CardDrawn" and happening.card is not UNSET for happening in told)
        assert shown in ((17, 18) if player else (1,)), "one's own draws, and the exposed trump"


async def test_commands_that_are_wrong_get_a_typed_answer_and_no_event(club: Club, service: CardGames) -> None:
    stream = await club.request(people(ANNA, BRUNO))
    view = await started(club, stream)
    here, other = (ANNA, BRUNO) if view.turn == 0 else (BRUNO, ANNA)
    seen = await club.look(stream, here)
    assert seen is not None
    mine: str = seen[0].hand[0]  # type: ignore[index]

    async def code(player: str, card: str, **how: Any) -> RefusalCode:
        answer = await club.play(stream, player, card, **how)
        assert isinstance(answer, Refused)
        return answer.code

    assert await code("f" * 32, mine) is RefusalCode.NOT_IN_GAME
    assert await code(other, mine) is RefusalCode.NOT_YOUR_TURN
    assert await code(here, mine, expected=1) is RefusalCode.STALE_VERSION
    assert await code(here, next(c for c in DECK if c not in seen[0].hand)) is RefusalCode.CARD_NOT_IN_HAND  # type: ignore[operator]
    assert await code(here, "7D\x00") is RefusalCode.INVALID_TEXT
    for data in (b"{}", b'{"card":7}', b"[]", b'{"card":null}', b'{"card":"7D","capture":[9007199254740993]}', b"{"):
        command = Command(Actor("player", here), Raw(data), uuid.uuid4().hex, "PlayCard")
        payload = command if data != b"{" else msgspec.structs.replace(command, data=Raw(b'"' + b"x" * 100_000 + b'"'))
        answer = await club.client.send("cardgames", stream, payload)
        assert isinstance(answer, Refused)
        assert answer.code is RefusalCode.MALFORMED
    answer = await club.play(f"match-{'0' * 32}", here, mine)
    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.NOT_FOUND
    assert len(await service.store.read_stream(stream)) == view.version


async def test_a_repeated_move_is_played_once_and_answered_alike(club: Club, service: CardGames) -> None:
    stream = await club.request(people(ANNA, BRUNO))
    view = await started(club, stream)
    player = (ANNA, BRUNO)[int(view.turn)]  # type: ignore[arg-type]
    seen = await club.look(stream, player)
    assert seen is not None
    card, key = seen[0].hand[0], uuid.uuid4().hex  # type: ignore[index]
    first, *others = await asyncio.gather(*(club.play(stream, player, card, key=key) for _ in range(5)))
    assert all(isinstance(answer, Done) for answer in (first, *others))
    assert {(answer.version, answer.position) for answer in others} == {(first.version, first.position)}
    assert sorted(answer.replayed for answer in (first, *others)) == [False, True, True, True, True]


async def test_cpus_play_a_whole_match_by_themselves_and_it_can_be_verified(
    club: Club, service: CardGames, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = await club.request([SeatOccupant(cpu="MEDIUM"), SeatOccupant(cpu="EASY")] * 2)
    await started(club, stream)
    view = await ended(club, stream)
    assert view.result is not UNSET
    assert view.result.outcome in ("WON", "TIED")
    rows = await service.store.read_stream(stream)
    assert sum(row.type == "CardPlayed" for row in rows) == 40
    assert await armed(service, stream) == []

    monkeypatch.setenv("CIRCOLO_POSTGRES_URL", club.settings.postgres_url)
    export = tmp_path / "match.json"
    assert await asyncio.to_thread(PROOF.main, [stream, "--export", str(export)]) == 0
    monkeypatch.delenv("CIRCOLO_POSTGRES_URL")
    assert await asyncio.to_thread(PROOF.main, [stream, "--file", str(export)]) == 0
    assert "10 tricks" in capsys.readouterr().out


async def test_cpus_that_search_play_on_when_their_worker_is_killed(club: Club, service: CardGames) -> None:
    service.thinker.budget = Budget(plays=3_000, seconds=0.8)
    stream = await club.request([SeatOccupant(cpu="HARD")] * 2)

    async def thinks() -> int | None:
        return service.thinker.pid

    os.kill(await until(thinks), signal.SIGKILL)
    view = await ended(club, stream)
    assert view.result is not UNSET
    assert view.result.outcome in ("WON", "TIED")


async def armed(service: CardGames, stream: str) -> list[str]:
    rows = await service.store.pool.fetch("SELECT kind FROM deadline WHERE stream = $1 ORDER BY kind", stream)
    return [row["kind"] for row in rows]


async def test_a_person_plays_against_a_cpu(club: Club, service: CardGames) -> None:
    stream = await club.request([SeatOccupant(player=ANNA), SeatOccupant(cpu="MEDIUM")])
    await started(club, stream)

    async def my_turn() -> MatchView | None:
        seen = await club.look(stream, ANNA)
        assert seen is not None
        return seen[0] if seen[0].legal_moves or seen[0].status == "ENDED" else None

    mine = 0
    while (view := await until(my_turn)).status == "RUNNING":
        answer = await club.play(stream, ANNA, view.legal_moves[0].card, expected=view.version)
        assert isinstance(answer, Done)
        mine += 1
    assert mine == 20


async def test_the_clock_plays_for_who_does_not(club: Club, service: CardGames) -> None:
    stream = await club.request(people(ANNA, BRUNO), clockSeconds=1)
    view = await started(club, stream)
    assert await armed(service, stream) == ["idle", "turn"]

    async def automatic() -> Sequence[Recorded]:
        return [r for r in await service.store.read_stream(stream) if r.type == "CardPlayed"]

    row = (await until(automatic))[0]
    event = REGISTRY.decode(row.type, row.schema_v, row.data)
    assert isinstance(event, CardPlayed)
    assert (event.automatic, event.seat) == (True, view.turn)
    assert event.at >= view.deadline  # type: ignore[operator]


async def test_the_host_stops_a_match(club: Club, service: CardGames) -> None:
    stream = await club.request(people(ANNA, BRUNO))
    await started(club, stream)
    await club.order(GameStopRequested(at=2, game_id=stream.partition("-")[2], player=ANNA))
    view = await ended(club, stream)
    assert view.result is not UNSET
    assert view.result.outcome == "STOPPED"
    assert await armed(service, stream) == []


async def solitario(club: Club, **settings: int | str) -> tuple[str, SolitaireView]:
    game_id = uuid.uuid4().hex
    await club.order(GameRequested(1, "SOLITARIO", game_id, 1, people(ANNA), {**settings}, dealer=0))
    stream = f"solitaire-{game_id}"
    return stream, await until(lambda: patience(club, stream))


async def patience(club: Club, stream: str) -> SolitaireView | None:
    answer = await club.client.send("cardgames", stream, Ask(""))
    return msgspec.json.decode(answer.view, type=SolitaireView) if isinstance(answer, Seen) else None


async def test_a_solitario_is_ordered_played_to_the_end_and_verified(
    club: Club, service: CardGames, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stream, view = await solitario(club)
    assert await armed(service, stream) == ["idle"]
    pushed: list[Pushed] = []
    await club.bus.subscribe(f"view.{stream}.public", lambda m: pushed.append(pushed_decoder.decode(m.data)))
    await club.bus.flush()
    for command in (TurnStock(), RemoveCards([Card("1D"), Card("9D")])):
        answer = await club.send(stream, BRUNO, command)
        assert isinstance(answer, Refused)
        assert answer.code is RefusalCode.NOT_IN_GAME
    while view.status == "RUNNING":
        answer = await club.send(stream, ANNA, choose(view), expected=view.version)
        assert isinstance(answer, Done), answer
        view = msgspec.json.decode(answer.view, type=SolitaireView)
    rows = await service.store.read_stream(stream)
    assert [row.type for row in rows[-2:]] == ["MatchEnded", "SeedRevealed"]
    assert await armed(service, stream) == []
    await until(lambda: asyncio.sleep(0, pushed and pushed[-1].version == view.version))
    assert [each.previous for each in pushed[1:]] == [each.version for each in pushed[:-1]]

    monkeypatch.setenv("CIRCOLO_POSTGRES_URL", club.settings.postgres_url)
    assert await asyncio.to_thread(PROOF.main, [stream]) == 0
    assert "moves, each legal" in capsys.readouterr().out


async def test_the_host_stops_a_solitario_and_its_player_gives_up_another(club: Club, service: CardGames) -> None:
    stopped, _ = await solitario(club, game="ANONIMO")
    order = GameStopRequested(at=2, game="SOLITARIO", game_id=stopped.partition("-")[2], player=ANNA)
    await club.order(order)

    async def result() -> MatchResult | None:
        view = await patience(club, stopped)
        return view.result if view is not None and view.status == "ENDED" else None  # type: ignore[return-value]

    assert (await until(result)).outcome == "STOPPED"
    given_up, _ = await solitario(club)
    answer = await club.send(given_up, ANNA, AbandonGame())
    assert isinstance(answer, Done)
    assert msgspec.json.decode(answer.view, type=SolitaireView).result == MatchResult(
        "ABANDONED", abandoned_by=0, reason="LEFT"
    )


async def test_a_game_that_cannot_start_says_so_in_its_first_event(club: Club, service: CardGames) -> None:
    stream = await club.request(people(ANNA), players=2)
    view = await ended(club, stream)
    assert view.result is not UNSET
    assert view.result.outcome == "CANCELLED"
    assert (view.room, view.version) == (club.room, 1)


async def test_a_restart_forgets_no_cpu_and_no_order(club: Club) -> None:
    first = await club.open()
    stream = await club.request([SeatOccupant(cpu="MEDIUM")] * 4, bestOf=5)
    await started(club, stream)
    await first.stop()
    seen = await first.store.read_stream(stream)
    assert seen[-1].type != "SeedRevealed", "it was stopped in the middle"
    later = await club.request([SeatOccupant(cpu="EASY")] * 2)
    second = await club.open()
    try:
        for each in (stream, later):
            assert (await ended(club, each)).result is not UNSET
        rows = await second.store.read_stream(stream)
        assert [row.version for row in rows] == list(range(1, len(rows) + 1))
    finally:
        await second.stop()


async def test_two_replicas_play_one_match(club: Club) -> None:
    replicas = [await club.open(), await club.open()]
    try:
        stream = await club.request(people(ANNA, BRUNO))
        view = await started(club, stream)
        assert await played_out(club, stream, view) == 40
        cpus = await club.request([SeatOccupant(cpu="MEDIUM")] * 4)
        await until(lambda: club.look(cpus))
        await ended(club, cpus)
        rows = await replicas[0].store.read_stream(cpus)
        assert sum(row.type == "CardPlayed" for row in rows) == 40
    finally:
        for replica in replicas:
            await replica.stop()
