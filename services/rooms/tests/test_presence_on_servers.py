from __future__ import annotations

import asyncio
import uuid

import asyncpg
import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    RENEWED_AT_ONCE,
    DropPresence,
    HoldPresence,
    JoinRoom,
    LeaveRoom,
    RenewPresence,
    RoomView,
)
from circolo_contracts.wire import Actor, Answer, Done, Refused
from club import GATEWAY, Club

LEASE = 15_000


@pytest.fixture
async def table(club: Club) -> RoomView:
    """A public room of its host, long after the service started; the test itself makes the rounds."""
    await club.rooms.rounds[0].stop()
    view = await club.room(await club.guest())
    club.clock.skip(2 * LEASE)
    return view


async def hold(club: Club, view: RoomView, player: str, gateway: str = "g1") -> None:
    await club.done(f"room-{view.room}", HoldPresence(gateway, player), who=GATEWAY)


async def drop(club: Club, view: RoomView, player: str, gateway: str = "g1") -> None:
    await club.send(f"room-{view.room}", DropPresence(gateway, player), who=GATEWAY)


async def is_there(club: Club, view: RoomView, player: str) -> bool:
    members = (await club.look(f"room-{view.room}")).members
    return next(m.connected for m in members if m.player == player)


async def coming_and_going(club: Club, view: RoomView) -> list[str]:
    return [t for t in await club.event_types(f"room-{view.room}") if t.endswith("onnected")]


async def test_who_is_subscribed_is_there_until_his_last_socket_closes(club: Club, table: RoomView) -> None:
    assert not await is_there(club, table, table.host)
    await hold(club, table, table.host)
    assert await is_there(club, table, table.host)
    await drop(club, table, table.host)
    assert not await is_there(club, table, table.host)
    assert (await club.look(f"room-{table.room}")).seats[0].player == table.host


async def test_renewing_a_lease_is_no_event(club: Club, table: RoomView) -> None:
    for _ in range(4):
        await hold(club, table, table.host)
        club.clock.skip(LEASE // 3)
        await club.rooms.presence.sweep()
    assert await coming_and_going(club, table) == ["PlayerConnected"]


async def test_a_gateway_that_renews_all_of_its_players_at_once_needs_a_few_statements(
    club: Club, table: RoomView
) -> None:
    players = [uuid.uuid4().hex for _ in range(100)]
    holds = club.rooms.presence.holds
    before = holds.statements
    assert all(await asyncio.gather(*(holds.hold(table.room, player, "g1") for player in players)))
    assert not any(await asyncio.gather(*(holds.hold(table.room, player, "g1") for player in players)))
    assert holds.statements - before <= 4
    assert await club.pool.fetchval("SELECT count(*) FROM presence_lease") == 100


async def renew(club: Club, players: dict[str, list[str]], gateway: str = "g1", who: str | Actor = GATEWAY) -> Answer:
    return await club.send(f"presence-{'0' * 32}", RenewPresence(gateway, players), who=who)


async def test_one_message_renews_the_leases_of_many_rooms(club: Club, table: RoomView) -> None:
    other = await club.room(await club.guest())
    await hold(club, table, table.host)
    await hold(club, other, other.host)
    for _ in range(3):
        club.clock.skip(LEASE // 2)
        assert isinstance(await renew(club, {table.room: [table.host], other.room: [other.host]}), Done)
        assert await club.rooms.presence.sweep() == 0
    for view in (table, other):
        assert await coming_and_going(club, view) == ["PlayerConnected"]


async def test_who_was_marked_as_gone_while_his_gateway_was_silent_is_there_again(club: Club, table: RoomView) -> None:
    await hold(club, table, table.host)
    club.clock.skip(LEASE + 1)
    assert await club.rooms.presence.sweep() == 1
    crowd = {uuid.uuid4().hex: [uuid.uuid4().hex] for _ in range(50)}  # of rooms that are no more
    assert isinstance(await renew(club, {**crowd, table.room: [table.host]}), Done)
    assert await is_there(club, table, table.host)


async def test_a_renewal_of_many_is_checked(club: Club, table: RoomView) -> None:
    not_his = await renew(club, {table.room: [table.host]}, who=table.host)
    assert isinstance(not_his, Refused) and not_his.code is RefusalCode.NOT_ALLOWED
    for refused in (
        await renew(club, {"no room": [table.host]}),
        await renew(club, {table.room: ["b\x00", table.host]}),
        await renew(club, {table.room: [uuid.uuid4().hex for _ in range(RENEWED_AT_ONCE + 1)]}),
    ):
        assert isinstance(refused, Refused)
        assert (refused.code, refused.field) == (RefusalCode.MALFORMED, "players")
    assert await empty(club, "presence_lease")


async def test_a_lease_that_cannot_be_written_is_nobody_elses_trouble(club: Club, table: RoomView) -> None:
    holds = club.rooms.presence.holds
    wishes = [holds.hold(table.room, player, "g1") for player in ("a", "b\x00", "c")]
    good, bad, other = await asyncio.gather(*wishes, return_exceptions=True)
    assert (good, other) == (True, True)
    assert isinstance(bad, asyncpg.DataError)


async def test_a_second_tab_at_another_gateway_keeps_him_there(club: Club, table: RoomView) -> None:
    await hold(club, table, table.host, "g1")
    await hold(club, table, table.host, "g2")
    await drop(club, table, table.host, "g1")
    assert await is_there(club, table, table.host)
    await drop(club, table, table.host, "g2")
    assert await coming_and_going(club, table) == ["PlayerConnected", "PlayerDisconnected"]


async def test_a_gateway_that_died_holds_nobody_longer_than_its_lease(club: Club) -> None:
    table = await club.room(await club.guest())
    club.clock.skip(2 * LEASE)
    await hold(club, table, table.host)
    club.clock.skip(LEASE - 1_000)
    await club.rooms.presence.sweep()
    assert await is_there(club, table, table.host)
    club.clock.skip(1_500)
    await club.until(lambda: gone(club, table))  # by the service's own round
    await club.until(lambda: empty(club, "attendance"))  # right after the event, by the same round
    club.clock.skip(2 * LEASE)
    await club.rooms.presence.sweep()
    assert await empty(club, "presence_lease")


async def empty(club: Club, table: str) -> bool:
    return bool(await club.pool.fetchval(f"SELECT count(*) = 0 FROM {table}"))


async def gone(club: Club, table: RoomView) -> bool:
    return not await is_there(club, table, table.host)


async def test_after_our_own_start_nobody_is_gone_for_one_lease_period(club: Club) -> None:
    await club.rooms.rounds[0].stop()
    view = await club.room(await club.guest())
    await hold(club, view, view.host, "g1")
    await hold(club, view, view.host, "g2")
    await drop(club, view, view.host, "g1")
    await drop(club, view, view.host, "g2")
    await club.rooms.presence.sweep()
    assert await is_there(club, view, view.host)
    club.clock.skip(LEASE)
    assert await club.rooms.presence.sweep() == 1
    assert not await is_there(club, view, view.host)


async def test_after_nats_returned_nobody_is_gone_for_one_lease_period(club: Club, table: RoomView) -> None:
    await hold(club, table, table.host)
    club.clock.skip(2 * LEASE)
    for callback in club.bus.reconnected:
        callback()
    assert await club.rooms.presence.sweep() == 0
    assert await is_there(club, table, table.host)
    await hold(club, table, table.host)
    club.clock.skip(LEASE - 1_000)
    assert await club.rooms.presence.sweep() == 0


async def test_leases_that_a_crashed_database_lost_are_waited_for(club: Club, table: RoomView) -> None:
    await hold(club, table, table.host)
    await club.rooms.presence.sweep()
    await club.pool.execute("TRUNCATE presence_lease")
    club.rooms.presence._postgres_since = club.rooms.presence._postgres_since.replace(year=2001)  # type: ignore[union-attr]
    assert await club.rooms.presence.sweep() == 0
    await hold(club, table, table.host)
    club.clock.skip(LEASE - 1_000)
    assert await club.rooms.presence.sweep() == 0
    assert await coming_and_going(club, table) == ["PlayerConnected"]


async def test_who_looked_on_before_he_joined_is_there_at_once(club: Club, table: RoomView) -> None:
    bruno = "b" * 32
    await hold(club, table, bruno)
    assert await coming_and_going(club, table) == []
    await club.done(f"code-{table.code}", JoinRoom(), who=bruno)
    assert await is_there(club, table, bruno)
    await club.done(f"room-{table.room}", LeaveRoom(), who=bruno)
    await club.done(f"code-{table.code}", JoinRoom(), who=bruno)
    assert await is_there(club, table, bruno)


async def test_a_lease_taken_while_he_is_marked_as_gone_wins(club: Club, table: RoomView) -> None:
    presence = club.rooms.presence
    await hold(club, table, table.host)
    club.clock.skip(LEASE + 1)
    for _ in range(5):
        await asyncio.gather(presence.sweep(), hold(club, table, table.host), presence.sweep())
        assert await is_there(club, table, table.host)
        club.clock.skip(LEASE + 1)


async def test_j4_twenty_four_players_who_connect_at_once_are_all_there(club: Club, table: RoomView) -> None:
    crowd = [uuid.uuid4().hex for _ in range(24)]
    await asyncio.gather(*(club.done(f"code-{table.code}", JoinRoom(watch=True), who=who) for who in crowd))
    await asyncio.gather(*(hold(club, table, who) for who in crowd))
    members = (await club.look(f"room-{table.room}")).members
    assert {m.player for m in members if m.connected} == set(crowd)


async def test_only_a_gateway_speaks_for_presence(club: Club, table: RoomView) -> None:
    for wish in (HoldPresence("g1", table.host), DropPresence("g1", table.host)):
        refused = await club.refused(f"room-{table.room}", wish, who=table.host)
        assert refused.code is RefusalCode.NOT_ALLOWED
    closed = await club.refused(f"room-{uuid.uuid4().hex}", HoldPresence("g1", table.host), who=GATEWAY)
    assert closed.code is RefusalCode.NOT_FOUND
