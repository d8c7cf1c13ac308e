from __future__ import annotations

import asyncio
import uuid

import pytest
from circolo_contracts.cardgames import GameCancelled, MatchEnded
from circolo_contracts.codes import ReserveCode
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    AddCpu,
    ChangeSettings,
    CreateRoom,
    EndGame,
    JoinRoom,
    LeaveRoom,
    RoomView,
    StartGame,
    TakeSeat,
)
from circolo_contracts.wire import Done, Pushed, Refused, Seen, pushed_decoder, view_subject
from circolo_events import canonical
from circolo_events.appender import ANY_VERSION, Append, Appender, NewEvent
from circolo_rooms.code import UNCLAIMED_MS
from circolo_rooms.errands import errand
from club import Club, room_view, schema_pool
from msgspec import Struct

DAY = 24 * 3_600_000


async def free_again(club: Club, code: str) -> bool:
    return (await club.rooms.runtime.state(f"code-{code}")).room == ""


# ---- opening


async def test_a_room_is_opened_with_a_code_of_its_own(club: Club) -> None:
    anna = await club.guest()
    view = await club.room(anna, players=4)
    assert (view.host, view.phase, len(view.seats), view.seats[0].player) == (anna, "LOBBY", 4, anna)
    assert await club.event_types(f"room-{view.room}") == ["RoomCreated"]
    await club.until(lambda: has_types(club, f"code-{view.code}", ["CodeReserved", "CodeClaimed"]))


async def has_types(club: Club, stream: str, types: list[str]) -> bool:
    return await club.event_types(stream) == types


async def test_the_same_key_opens_one_room(club: Club) -> None:
    anna, key = await club.guest(), uuid.uuid4().hex
    stream = f"room-{uuid.uuid4().hex}"
    wish = CreateRoom("BRISCOLA", {}, "PUBLIC")
    answers = await asyncio.gather(*(club.done(stream, wish, who=anna, key=key, digest="d1") for _ in range(5)))
    assert len({room_view(a).code for a in answers}) == 1
    assert [a.replayed for a in answers].count(False) == 1
    assert await club.event_types(stream) == ["RoomCreated"]
    held = await club.pool.fetchval("SELECT count(*) FROM stream WHERE stream LIKE 'code-%' AND version <> 2")
    assert held <= 1, "every other attempt gave its code back"
    other = await club.refused(stream, CreateRoom("BRISCOLA", {"players": 4}, "PUBLIC"), who=anna, key=key, digest="d2")
    assert other.code is RefusalCode.KEY_REUSED


@pytest.mark.parametrize(
    ("game", "settings", "code", "field"),
    [
        ("POKER", {}, RefusalCode.UNKNOWN_GAME, "game"),
        ("BRISCOLA", {"players": 3}, RefusalCode.INVALID_SETTING, "players"),
        ("BRISCOLA", {"clockSeconds": 2**53 + 1}, RefusalCode.INVALID_SETTING, "clockSeconds"),
        ("BRISCOLA", {"a\x00b": 1}, RefusalCode.INVALID_SETTING, "a\x00b"),
    ],
)
async def test_a_room_that_cannot_be_takes_no_code(
    club: Club, game: str, settings: dict[str, int], code: RefusalCode, field: str
) -> None:
    refused = await club.refused(f"room-{uuid.uuid4().hex}", CreateRoom(game, settings, "PUBLIC"), who="a" * 32)  # type: ignore[arg-type]
    assert (refused.code, refused.field) == (code, field)
    assert sum((await club.rooms.store.heads()).values()) == 0


async def test_a_code_whose_room_never_came_is_released_after_an_hour(club: Club) -> None:
    """As when the process dies between the code and the room."""
    stream, room = "code-ABC234", uuid.uuid4().hex
    await club.rooms.runtime.execute(stream, errand(uuid.uuid4().hex, ReserveCode(room)))
    assert (await club.refused(stream, JoinRoom(), who="a" * 32)).code is RefusalCode.NOT_FOUND
    club.clock.skip(UNCLAIMED_MS - 10_000)
    await asyncio.sleep(0.5)
    assert await club.event_types(stream) == ["CodeReserved"]
    club.clock.skip(10_000)
    await club.until(lambda: free_again(club, "ABC234"))
    assert await club.pool.fetchval("SELECT count(*) FROM deadline") == 0


async def test_a_code_whose_room_lives_is_claimed_by_its_deadline_at_the_latest(club: Club) -> None:
    own = club.rooms.reactions.pop(0)
    await own.stop()
    view = await club.room(await club.guest())
    assert await club.event_types(f"code-{view.code}") == ["CodeReserved"]
    club.clock.skip(UNCLAIMED_MS)
    await club.until(lambda: has_types(club, f"code-{view.code}", ["CodeReserved", "CodeClaimed"]))


# ---- joining


async def test_a_room_is_joined_by_its_code_as_soon_as_it_is_answered(club: Club) -> None:
    anna, bruno = await club.guest("Anna"), await club.guest("Bruno")
    view = await club.room(anna)
    joined = room_view(await club.done(f"code-{view.code}", JoinRoom(), who=bruno))
    assert [s.player for s in joined.seats] == [anna, bruno]


async def test_a_code_that_leads_nowhere_is_not_found(club: Club) -> None:
    for stream in ("code-ABC234", "code-OOOOOO", f"code-{uuid.uuid4().hex}"):
        assert (await club.refused(stream, JoinRoom(), who="a" * 32)).code is RefusalCode.NOT_FOUND
        answer = await club.ask(stream)
        assert isinstance(answer, Refused)
        assert answer.code is RefusalCode.NOT_FOUND


async def test_a_room_is_not_joined_past_its_code(club: Club) -> None:
    view = await club.room(await club.guest())
    assert (await club.refused(f"room-{view.room}", JoinRoom(), who="b" * 32)).code is RefusalCode.NOT_FOUND


async def test_j2_two_joins_at_once_to_a_room_with_two_free_seats_both_get_in(club: Club) -> None:
    view = await club.room(await club.guest(), players=4)
    await club.done(f"room-{view.room}", AddCpu("EASY", 3), who=view.host)
    both = await asyncio.gather(*(club.send(f"code-{view.code}", JoinRoom(), who=who * 32) for who in "bc"))
    assert all(isinstance(a, Done) for a in both)
    assert {s.player for s in (await club.look(f"room-{view.room}")).seats[1:3]} == {"b" * 32, "c" * 32}


async def test_j3_of_three_joins_at_once_to_a_room_for_two_more_the_third_is_refused(club: Club) -> None:
    view = await club.room(await club.guest(), players=4)
    await club.done(f"room-{view.room}", AddCpu("EASY", 3), who=view.host)
    answers = await asyncio.gather(*(club.send(f"code-{view.code}", JoinRoom(), who=who * 32) for who in "bcd"))
    assert sorted(getattr(a, "code", "in") for a in answers) == sorted(["in", "in", RefusalCode.ROOM_FULL])


async def test_j8_the_second_join_is_answered_like_the_first(club: Club) -> None:
    view = await club.room(await club.guest())
    first = await club.done(f"code-{view.code}", JoinRoom(), who="b" * 32)
    second = await club.done(f"code-{view.code}", JoinRoom(), who="b" * 32)
    assert room_view(first) == room_view(second)
    assert (second.version, second.replayed) == (first.version, False)


async def test_m10_twenty_joins_at_once_are_twenty_events_without_a_gap(club: Club) -> None:
    view = await club.room(await club.guest())
    pushes: list[Pushed] = []
    subscription = await club.bus.subscribe(
        view_subject(f"room-{view.room}", "public"), lambda m: pushes.append(pushed_decoder.decode(m.data))
    )
    await club.bus.flush()
    crowd = [f"{n:032x}" for n in range(1, 21)]
    answers = await asyncio.gather(
        *(club.send(f"code-{view.code}", JoinRoom(watch=True), who=who) for who in crowd)
    )  # fmt: skip
    assert all(isinstance(a, Done) for a in answers)
    seen = await club.look(f"room-{view.room}")
    assert (seen.version, {m.player for m in seen.members}) == (21, {view.host, *crowd})
    await club.until(lambda: asyncio.sleep(0, len(pushes) == 20))
    assert [(p.previous, p.version) for p in pushes] == [(n, n + 1) for n in range(1, 21)]
    await subscription.unsubscribe()


async def test_a_repeated_join_is_answered_by_the_room_of_that_time(club: Club) -> None:
    """The code may lead to another room by now."""
    view = await club.room(await club.guest())
    bruno, key = "b" * 32, uuid.uuid4().hex
    first = await club.done(f"code-{view.code}", JoinRoom(), who=bruno, key=key)
    for who in (bruno, view.host):
        await club.done(f"room-{view.room}", LeaveRoom(), who=who)
    await club.until(lambda: free_again(club, view.code))
    again = await club.done(f"code-{view.code}", JoinRoom(), who=bruno, key=key)
    assert (again.replayed, again.version, room_view(again).room) == (True, first.version, view.room)


# ---- seeing


async def test_a_private_room_is_seen_by_who_is_in_it(club: Club) -> None:
    view = await club.room(await club.guest(), "PRIVATE")
    for stream in (f"room-{view.room}", f"code-{view.code}"):
        for stranger in ("", "c" * 32):
            refused = await club.ask(stream, stranger)
            assert isinstance(refused, Refused)
            assert refused.code is RefusalCode.NOT_ALLOWED
    await club.done(f"code-{view.code}", JoinRoom(watch=True), who="c" * 32)
    assert (await club.look(f"code-{view.code}", "c" * 32)).room == view.room


async def test_a_public_room_is_found_by_its_code_and_resumed_from_a_version(club: Club) -> None:
    view = await club.room(await club.guest())
    await club.done(f"code-{view.code}", JoinRoom(), who="b" * 32)
    answer = await club.ask(f"code-{view.code}")
    assert isinstance(answer, Seen)
    assert (answer.audience, answer.version, room_view(answer).code) == ("public", 2, view.code)


# ---- the life of a room


async def test_when_the_last_person_leaves_the_code_is_free_again(club: Club) -> None:
    view = await club.room(await club.guest())
    await club.done(f"room-{view.room}", LeaveRoom(), who=view.host)
    await club.until(lambda: free_again(club, view.code))
    types = await club.event_types(f"code-{view.code}")
    assert types == ["CodeReserved", "CodeClaimed", "CodeReleased"]
    assert (await club.refused(f"code-{view.code}", JoinRoom(), who="b" * 32)).code is RefusalCode.NOT_FOUND
    closed = await club.refused(f"room-{view.room}", TakeSeat(1), who=view.host)
    assert closed.code is RefusalCode.ROOM_CLOSED


async def test_a_code_is_released_although_nobody_was_there_when_the_room_closed(club: Club) -> None:
    own = club.rooms.reactions.pop(0)
    view = await club.room(await club.guest())
    await club.until(lambda: has_types(club, f"code-{view.code}", ["CodeReserved", "CodeClaimed"]))
    await own.stop()
    await club.done(f"room-{view.room}", LeaveRoom(), who=view.host)
    restarted = type(own)(
        own.name, "rooms", service="rooms", pool=club.pool, store=club.rooms.store, registry=own._registry,
        react=own._react, client=club.client,
    )  # fmt: skip
    await restarted.start()
    await club.until(lambda: free_again(club, view.code))
    await restarted.stop()


async def test_a_room_expires_after_a_day_without_an_action(club: Club) -> None:
    view = await club.room(await club.guest())
    club.clock.skip(DAY - 60_000)
    await club.done(f"room-{view.room}", TakeSeat(1), who=view.host)
    club.clock.skip(120_000)
    await asyncio.sleep(0.5)
    assert (await club.look(f"room-{view.room}")).phase == "LOBBY"
    club.clock.skip(DAY - 120_000)
    await club.until(lambda: free_again(club, view.code))
    assert (await club.look(f"room-{view.room}")).phase == "CLOSED"
    assert await club.event_types(f"room-{view.room}") == ["RoomCreated", "SeatTaken", "RoomClosed"]


# ---- games


async def playing(club: Club) -> RoomView:
    view = await club.room(await club.guest())
    await club.done(f"code-{view.code}", JoinRoom(), who="b" * 32)
    return room_view(await club.done(f"room-{view.room}", StartGame(), who=view.host))


async def cardgames_says(database: str, game_id: str, event: Struct, *, kind: str = "match") -> None:
    """As the other service would commit it."""
    made = NewEvent(uuid.uuid4().hex, type(event).__name__, 1, canonical.encode(event), b"{}")
    async with schema_pool(database, "cardgames") as pool:
        connection = await pool.acquire()

        async def connect() -> object:
            return connection

        appender = Appender(connect)
        appender.start()
        await appender.append(Append(f"{kind}-{game_id}", ANY_VERSION, uuid.uuid4().hex, [made]))
        await appender.stop()


async def test_a_finished_match_brings_the_room_back_to_the_lobby(club: Club, database: str) -> None:
    view = await playing(club)
    assert view.phase == "PLAYING"
    assert isinstance(view.game_id, str)
    ended = MatchEnded(at=1, last_dealer=1, outcome="WON", room=view.room, winner=0)
    await cardgames_says(database, view.game_id, ended)
    await club.until(lambda: in_phase(club, view.room, "LOBBY"))
    again = await club.done(f"room-{view.room}", StartGame(), who=view.host)
    assert (room_view(again).game_no, room_view(again).game_id != view.game_id) == (2, True)
    state = await club.rooms.runtime.state(f"room-{view.room}")
    assert (state.next_dealer, state.phase) == (0, "PLAYING")


async def test_a_solitario_that_came_out_brings_its_one_player_back_to_the_lobby(club: Club, database: str) -> None:
    host = await club.guest()
    wish = CreateRoom("SOLITARIO", {"redeals": 1}, "PUBLIC")
    view = room_view(await club.done(f"room-{uuid.uuid4().hex}", wish, who=host))
    assert [seat.player for seat in view.seats] == [host]
    refused = await club.refused(f"code-{view.code}", JoinRoom(), who="b" * 32)
    assert refused.code is RefusalCode.ROOM_FULL
    await club.done(f"code-{view.code}", JoinRoom(watch=True), who="b" * 32)
    view = room_view(await club.done(f"room-{view.room}", StartGame(), who=host))
    assert isinstance(view.game_id, str)
    won = MatchEnded(at=1, last_dealer=0, outcome="WON", room=view.room, winner=0)
    await cardgames_says(database, view.game_id, won, kind="solitaire")
    await club.until(lambda: in_phase(club, view.room, "LOBBY"))
    again = room_view(await club.done(f"room-{view.room}", StartGame(), who=host))
    assert (again.game_no, again.phase) == (2, "PLAYING")


async def in_phase(club: Club, room: str, phase: str) -> bool:
    return (await club.look(f"room-{room}")).phase == phase


async def test_a_match_that_could_not_start_brings_the_room_back_too(club: Club, database: str) -> None:
    view = await playing(club)
    assert isinstance(view.game_id, str)
    cancelled = GameCancelled(at=1, game="BRISCOLA", game_id=view.game_id, reason="BROKEN", room=view.room)
    await cardgames_says(database, view.game_id, cancelled)
    await club.until(lambda: in_phase(club, view.room, "LOBBY"))


async def test_a_match_that_nobody_played_for_a_day_closes_the_room_and_frees_the_code(
    club: Club, database: str
) -> None:
    view = await playing(club)
    assert isinstance(view.game_id, str)
    idle = MatchEnded(at=1, last_dealer=0, outcome="IDLE", room=view.room)
    await cardgames_says(database, view.game_id, idle)
    await club.until(lambda: free_again(club, view.code))
    assert await in_phase(club, view.room, "CLOSED")


async def test_while_a_game_is_on_the_room_does_not_expire(club: Club) -> None:
    view = await playing(club)
    assert await club.rooms.runtime.deadlines(f"room-{view.room}") == {}
    await club.done(f"room-{view.room}", EndGame(), who=view.host)
    club.clock.skip(2 * DAY)
    await asyncio.sleep(0.5)
    assert await in_phase(club, view.room, "PLAYING")
    refused = await club.refused(f"room-{view.room}", ChangeSettings("BRISCOLA", {}), who=view.host)
    assert refused.code is RefusalCode.GAME_STARTED


async def test_the_log_reaches_the_relay(club: Club) -> None:
    await club.guest()
    await club.until(lambda: asyncio.sleep(0, club.rooms.relay.published >= 1))
    assert club.rooms.ready()
