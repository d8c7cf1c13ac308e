"""A tombola evening over rooms and tombola together, on real servers: from the lobby to the rematch, with a host who is
gone for a while. The services are talked to as a gateway does; their clock is put forward, not waited for.
(``test_tombola.py`` is the same evening by the public API.)
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    ChangeSettings,
    CreateRoom,
    EndGame,
    HandOverHost,
    HoldPresence,
    JoinRoom,
    LeaveRoom,
    MarkConnected,
    MarkDisconnected,
    RoomView,
    SignInAsGuest,
    StartGame,
)
from circolo_contracts.tombola import ClaimAll, DrawNumber, MarkNumber, ResumeCalling, TombolaView
from circolo_contracts.wire import Actor, Ask, Done, Refused, Seen
from circolo_tombola.service import compose as compose_tombola
from lobby import ROOMS, Lobby, rooms_and, until
from msgspec import UNSET, Struct

ANNA, BRUNO, CARLA = (uuid.uuid4().hex for _ in range(3))


class Evening(Lobby):
    """A room, its people, and the tombola that it plays now."""

    game = ""

    async def in_game(self, data: Struct, who: str) -> TombolaView:
        answer = await self.send("tombola", self.game, data, who)
        assert isinstance(answer, Done), answer
        return msgspec.json.decode(answer.view, type=TombolaView)

    async def refused(self, game: str, data: Struct, who: str) -> RefusalCode:
        answer = await self.send("tombola", game, data, who)
        assert isinstance(answer, Refused), answer
        return answer.code

    async def seen(self, viewer: str = "", game: str = "") -> TombolaView | None:
        answer = await self.client.send("tombola", game or self.game, Ask(viewer))
        return msgspec.json.decode(answer.view, type=TombolaView) if isinstance(answer, Seen) else None

    async def start(self, host: str) -> TombolaView:
        room = await self.in_room(StartGame(), host)
        self.game = f"tombola-{room.game_id}"
        view: TombolaView = await until(lambda: self.seen(host))
        return view


@pytest.fixture
async def evening(database: str, nats_url: str, tmp_path: Path) -> AsyncIterator[Evening]:
    """Anna's room, in which Bruno and Carla sit; everybody is connected."""
    async with rooms_and("tombola", compose_tombola, database, nats_url, tmp_path) as (client, clocks):
        made = Evening(client, clocks)
        await people_come_in(made)
        yield made


async def people_come_in(evening: Evening) -> None:
    for name, player in (("Anna", ANNA), ("Bruno", BRUNO), ("Carla", CARLA)):
        await evening.send("rooms", f"player-{player}", SignInAsGuest(name), player)
    answer = await evening.send("rooms", f"room-{uuid.uuid4().hex}", CreateRoom("TOMBOLA", {}, "PUBLIC"), ANNA)
    assert isinstance(answer, Done), answer
    room = msgspec.json.decode(answer.view, type=RoomView)
    evening.room = room.code
    for player in (BRUNO, CARLA):
        await evening.in_room(JoinRoom(), player)
    evening.room = room.room
    for player in (ANNA, BRUNO, CARLA):
        await evening.in_room(MarkConnected(player), ROOMS)


async def test_from_the_lobby_to_the_tombola_and_the_rematch(evening: Evening) -> None:
    lobby = await evening.room_seen(ANNA)
    assert (len(lobby.seats), [seat.player for seat in lobby.seats[:3]]) == (24, [ANNA, BRUNO, CARLA])
    first = await evening.start(ANNA)
    assert [who.player for who in first.seats] == [ANNA, BRUNO, CARLA]
    while (await evening.in_game(DrawNumber(), ANNA)).status == "RUNNING":
        for player in (ANNA, BRUNO, CARLA):
            await evening.send("tombola", evening.game, ClaimAll(), player)
        if (await evening.seen()).status == "ENDED":  # type: ignore[union-attr]
            break
        evening.later(5_000)
    await until(lambda: in_lobby(evening))
    won = await evening.seen(ANNA)
    assert won is not None
    assert (won.result.outcome, won.superseded) == ("WON", False)  # type: ignore[union-attr]

    before = evening.game
    second = await evening.start(ANNA)
    assert [who.player for who in second.seats] == [ANNA, BRUNO, CARLA]
    assert second.ticket != first.ticket
    assert await until(lambda: is_superseded(evening, before))
    assert await evening.refused(before, ClaimAll(), BRUNO) is RefusalCode.STALE_GAME


async def in_lobby(evening: Evening) -> bool:
    return (await evening.room_seen(ANNA)).phase == "LOBBY"


async def is_superseded(evening: Evening, game: str) -> bool:
    view = await evening.seen(game=game)
    return view is not None and view.superseded


async def test_the_clock_waits_for_a_host_who_is_gone_and_goes_on_for_nobody_else(evening: Evening) -> None:
    await evening.in_room(ChangeSettings("TOMBOLA", {"calling": "AUTOMATIC", "everySeconds": 3}), ANNA)
    await evening.start(ANNA)
    evening.later(3_000)
    await until(lambda: has_called(evening, 1))
    await evening.in_room(MarkDisconnected(CARLA), ROOMS)
    evening.later(3_000)
    await until(lambda: has_called(evening, 2))
    await evening.in_room(MarkDisconnected(ANNA), ROOMS)
    await until(lambda: is_paused(evening))
    await evening.in_room(MarkConnected(ANNA), ROOMS)
    evening.later(60_000)
    await asyncio.sleep(0.5)
    assert len((await evening.seen()).called) == 2  # type: ignore[union-attr]
    await evening.in_game(ResumeCalling(), ANNA)
    evening.later(3_000)
    await until(lambda: has_called(evening, 3))


async def has_called(evening: Evening, count: int) -> bool:
    view = await evening.seen()
    return view is not None and len(view.called) == count


async def is_paused(evening: Evening) -> bool:
    view = await evening.seen()
    return view is not None and view.paused == "HOST_DISCONNECTED"


async def test_a_host_who_leaves_hands_the_calls_on_and_finds_his_ticket_and_marks_again(evening: Evening) -> None:
    await evening.in_room(ChangeSettings("TOMBOLA", {"calling": "AUTOMATIC"}), ANNA)
    ticket = (await evening.start(ANNA)).ticket
    number = ticket[0][0]  # type: ignore[index]
    await evening.in_game(MarkNumber(True, number), ANNA)
    await evening.in_room(LeaveRoom(), ANNA)
    view = await until(lambda: hosted_by(evening, BRUNO))
    assert view.paused == "HOST_DISCONNECTED"
    await evening.in_game(ResumeCalling(), BRUNO)
    evening.later(8_000)
    await until(lambda: has_called(evening, 1))
    back = await evening.seen(ANNA)
    assert back is not None
    assert (back.ticket, back.marks) == (ticket, [number])


async def hosted_by(evening: Evening, player: str) -> TombolaView | None:
    view = await evening.seen()
    return view if view is not None and view.host == player else None


async def test_the_host_hands_over_or_ends_it(evening: Evening) -> None:
    await evening.start(ANNA)
    await evening.in_game(DrawNumber(), ANNA)
    await evening.in_room(HandOverHost(CARLA), ANNA)
    await until(lambda: hosted_by(evening, CARLA))
    assert await evening.refused(evening.game, DrawNumber(), ANNA) is RefusalCode.NOT_HOST
    await evening.in_game(DrawNumber(), CARLA)
    await evening.in_room(EndGame(), CARLA)
    await until(lambda: in_lobby(evening))
    ended = await evening.seen()
    assert ended is not None
    assert ended.result is not UNSET
    assert ended.result.outcome == "STOPPED"


async def test_twenty_four_people_who_connect_in_one_moment_are_all_there(evening: Evening) -> None:
    others = [uuid.uuid4().hex for _ in range(21)]
    code = (await evening.room_seen(ANNA)).code
    for player in others:
        answer = await evening.send("rooms", f"code-{code}", JoinRoom(), player)
        assert isinstance(answer, Done), answer
    gateways = [Actor("service", f"gateway-{number % 3}") for number in range(21)]
    await asyncio.gather(
        *(
            evening.in_room(HoldPresence(gateway=gateway.id, player=player), gateway)
            for player, gateway in zip(others, gateways, strict=True)
        )
    )
    room = await evening.room_seen(ANNA)
    assert [member.connected for member in room.members] == [True] * 24
    view = await evening.start(ANNA)
    assert [who.player for who in view.seats] == [ANNA, BRUNO, CARLA, *others]
    views = await asyncio.gather(*(evening.seen(player) for player in (ANNA, BRUNO, CARLA, *others)))
    tickets = [tuple(map(tuple, each.ticket)) for each in views if each is not None and each.ticket is not UNSET]
    assert len(set(tickets)) == 24
