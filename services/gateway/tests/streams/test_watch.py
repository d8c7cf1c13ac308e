"""Watching rooms and games: every version once, whoever joins when; nothing for who may not see it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from circolo_contracts.ids import GameId, RoomId
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import up_subject
from circolo_events.bus import BusTimeout
from circolo_gateway.streams.update import NotShown
from circolo_gateway.streams.watch import GameAddress
from gateway_reader import Reader, until
from msgspec import UNSET

ADA, BEA, EVE = "a" * 32, "b" * 32, "e" * 32
ROOM = RoomId("1" * 32)
GAME = GameId("2" * 32)
AT = GameAddress("cardgames", f"match-{GAME}", ROOM, GAME)


def steps(reader: Reader, played: Callable[[Any], list[int]]) -> list[int]:
    """The version of the first snapshot, then every event's: must be without hole or repetition."""
    first, *later = reader.got
    assert first.reset or first.happened
    found = [first.version] if first.reset else played(first)
    for update in later:
        assert not update.reset
        found.extend(played(update))
    return found


@pytest.fixture
def played() -> Callable[[Any], list[int]]:
    return lambda update: [msgspec.json.decode(each)["at_version"] for each in update.happened]


async def test_M5_who_joins_during_200_moves_gets_each_version_once(table: Any, played: Any) -> None:
    table.game.commit("MatchStarted")
    readers: list[Reader] = []

    async def play() -> None:
        for n in range(200):
            table.game.commit(*["CardPlayed"] * (1 + n % 3))
            await asyncio.sleep(0.002 if n % 5 else 0.01)

    playing = asyncio.create_task(play())
    for n in range(40):
        after: Any = UNSET if n % 2 else table.game.version
        readers.append(Reader(table.watch.game(AT, (ADA, BEA)[n % 2], after)))
        await asyncio.sleep(0.01)
    await playing
    for reader in readers:
        await reader.reaches(table.game.version)
        found = steps(reader, played)
        assert found == list(range(found[0], table.game.version + 1))
        await reader.stop()


async def test_M6_a_move_between_the_snapshot_and_the_subscription_is_not_lost(table: Any, played: Any) -> None:
    table.game.commit("MatchStarted")
    table.game.answer_after = 0.3
    reader = Reader(table.watch.game(AT, ADA, UNSET))
    for _ in range(12):
        await asyncio.sleep(0.07)
        table.game.commit("CardPlayed")
    table.game.answer_after = 0
    await reader.reaches(table.game.version)
    found = steps(reader, played)
    assert found == list(range(found[0], table.game.version + 1))
    await reader.stop()


async def test_after_n_gives_everything_after_n_and_too_long_ago_one_reset(table: Any, played: Any) -> None:
    table.game.commit(*["CardPlayed"] * 150)
    near, far, none = (Reader(table.watch.game(AT, ADA, after)) for after in (147, 3, 150))
    await near.reaches(150)
    await far.reaches(150)
    assert [played(update) for update in near.got] == [[148, 149, 150]]
    assert [(update.reset, played(update)) for update in far.got] == [(True, [])]
    table.game.commit("CardPlayed")
    await none.reaches(151)
    assert [(update.reset, played(update)) for update in none.got] == [(False, [151])]
    for reader in (near, far, none):
        await reader.stop()


async def test_a_lost_push_is_asked_for_when_the_next_one_shows_the_hole(table: Any, played: Any) -> None:
    table.game.commit("MatchStarted")
    readers = [Reader(table.watch.game(AT, ADA, UNSET)) for _ in range(5)]
    for reader in readers:
        await reader.reaches(1)
    asked = table.game.asked
    table.game.lose = 2
    for _ in range(4):
        table.game.commit("CardPlayed")
    for reader in readers:
        await reader.reaches(5)
        assert steps(reader, played) == [1, 2, 3, 4, 5]
    assert table.game.asked - asked <= 2, "one question for all, not one each"
    for reader in readers:
        await reader.stop()


async def test_a_lost_last_push_heals_by_the_check_of_quiet_streams(checked_table: Any, played: Any) -> None:
    checked_table.game.commit("MatchStarted")
    reader = Reader(checked_table.watch.game(AT, ADA, UNSET))
    await reader.reaches(1)
    checked_table.game.lose = 1
    checked_table.game.commit("CardPlayed")
    await reader.reaches(2)
    assert steps(reader, played) == [1, 2]
    await reader.stop()


async def test_game_M2_what_a_dead_process_committed_and_did_not_push_is_asked_for_when_its_successor_starts(
    table: Any, played: Any
) -> None:
    table.game.commit("MatchStarted")
    reader = Reader(table.watch.game(AT, ADA, UNSET))
    await reader.reaches(1)
    table.game.lose = 1
    table.game.commit("CardPlayed")
    table.game.bus.publish(up_subject("rooms"), b"")
    table.game.bus.publish(up_subject("cardgames"), b"")
    await reader.reaches(2)
    assert steps(reader, played) == [1, 2]
    await reader.stop()


async def test_a_commands_answer_tells_of_a_push_that_does_not_come(table: Any) -> None:
    table.game.commit("MatchStarted")
    reader = Reader(table.watch.game(AT, ADA, UNSET))
    await reader.reaches(1)
    table.game.lose = 1
    table.game.commit("CardPlayed")
    table.feeds.expect(AT.stream, 2)
    await reader.reaches(2)
    await reader.stop()


async def test_after_a_reconnect_everything_missed_is_asked_for(table: Any, played: Any) -> None:
    table.game.commit("MatchStarted")
    reader = Reader(table.watch.game(AT, ADA, UNSET))
    await reader.reaches(1)
    table.game.lose = 3
    for _ in range(3):
        table.game.commit("CardPlayed")
    for callback in table.bus.reconnected:
        callback()
    await reader.reaches(4)
    assert steps(reader, played) == [1, 2, 3, 4]
    await reader.stop()


async def test_a_slow_subscriber_gets_merged_steps_without_a_gap(small_table: Any, played: Any) -> None:
    small_table.game.commit("MatchStarted")
    slow = Reader(small_table.watch.game(AT, ADA, UNSET), pause=0.25)
    await slow.reaches(1)
    for _ in range(9):
        small_table.game.commit("CardPlayed")
        await asyncio.sleep(0.005)
    await slow.reaches(10)
    assert steps(slow, played) == list(range(1, 11))
    assert len(slow.got) < 7
    for _ in range(60):
        small_table.game.commit("CardPlayed")
        await asyncio.sleep(0.001)
    await slow.reaches(70)
    assert any(update.reset for update in slow.got[-2:]), "too much to tell is one reset"
    await slow.stop()


async def test_each_viewer_gets_his_own_audience_and_nothing_of_the_others(table: Any) -> None:
    table.room.private = False
    table.game.commit("MatchStarted")
    ada, bea, tv = (Reader(table.watch.game(AT, viewer, UNSET)) for viewer in (ADA, BEA, ""))
    for reader in (ada, bea, tv):
        await reader.reaches(1)
    for _ in range(20):
        table.game.commit("CardPlayed")
    for reader in (ada, bea, tv):
        await reader.reaches(21)
    for reader, hidden in (
        (ada, ("1B", "2B", "3B")),
        (bea, ("1D", "2D", "3D")),
        (tv, ("1D", "2D", "3D", "1B", "2B", "3B")),
    ):
        received = b"".join(bytes(update.view) + b"".join(map(bytes, update.happened)) for update in reader.got)
        assert not [card for card in hidden if card.encode() in received]
        await reader.stop()


async def test_spectators_of_one_game_share_one_nats_subscription(table: Any) -> None:
    table.room.private = False
    table.game.commit("MatchStarted")
    readers = [Reader(table.watch.game(AT, "", UNSET)) for _ in range(50)]
    for reader in readers:
        await reader.reaches(1)
    assert len(table.feeds) == 2, "the room's and the game's public view"
    table.game.commit("CardPlayed")
    for reader in readers:
        await reader.reaches(2)
    assert len({id(reader.got[-1]) for reader in readers}) == 1, "one update for all"
    for reader in readers:
        await reader.stop()
    assert table.feeds.subscribers == 0
    await until(lambda: len(table.feeds) == 0, 5)


async def test_a_private_room_opens_for_its_members_only(table: Any) -> None:
    table.game.commit("MatchStarted")
    for updates in (
        table.watch.room(ROOM, EVE, UNSET),
        table.watch.game(AT, EVE, UNSET),
        table.watch.game(AT, "", UNSET),
    ):
        reader = Reader(updates)
        await reader.task
        assert isinstance(reader.ended, NotShown)
        assert reader.ended.code is RefusalCode.NOT_ALLOWED
        assert reader.got == []


async def test_who_is_removed_from_a_private_room_gets_nothing_more(table: Any) -> None:
    table.game.commit("MatchStarted")
    room, game = Reader(table.watch.room(ROOM, BEA, UNSET)), Reader(table.watch.game(AT, BEA, UNSET))
    await room.reaches(1)
    await game.reaches(1)
    table.room.answer_after = 0.2
    table.room.members = [ADA]
    table.room.commit("PlayerLeft")
    for _ in range(10):
        table.room.commit("CpuSeated")
        table.game.commit("CardPlayed")
        await asyncio.sleep(0.01)
    await asyncio.wait_for(asyncio.gather(room.task, game.task), 3)
    assert (room.versions, game.versions) == ([1], [1])
    for reader in (room, game):
        assert isinstance(reader.ended, NotShown)
        assert reader.ended.code is RefusalCode.NOT_ALLOWED


async def test_after_a_change_of_seats_the_audience_is_asked_for_again(table: Any, played: Any) -> None:
    table.room.private = False
    table.game.commit("MatchStarted")
    reader = Reader(table.watch.game(AT, BEA, UNSET))
    await reader.reaches(1)
    assert b'"hand"' in bytes(reader.got[-1].view)
    table.game.seats = [ADA, EVE]
    table.room.members = [ADA, BEA, EVE]
    table.room.commit("PlayerJoined")
    await asyncio.sleep(0.1)
    table.game.commit("CardPlayed")
    await reader.reaches(2)
    assert b'"hand"' not in bytes(reader.got[-1].view)
    assert steps(reader, played) == [1, 2]
    await reader.stop()


async def test_a_requested_game_is_starting_until_its_first_event(table: Any, played: Any) -> None:
    reader = Reader(table.watch.game(AT, ADA, UNSET))
    await until(lambda: reader.versions == [0])
    await asyncio.sleep(0.1)
    table.game.commit("MatchStarted", "DealStarted")
    await reader.reaches(2, 0.9)
    assert reader.versions == [0, 2]
    assert played(reader.got[-1]) == [1, 2]
    await reader.stop()


async def test_a_game_that_nobody_requested_is_not_found(table: Any) -> None:
    table.room.game_id = None
    reader = Reader(table.watch.game(AT, ADA, UNSET))
    await reader.task
    assert isinstance(reader.ended, NotShown)
    assert reader.ended.code is RefusalCode.NOT_FOUND


async def test_the_id_of_a_private_game_with_another_room_in_it_opens_no_door(table: Any) -> None:
    table.room.private = False
    table.game.commit("MatchStarted")
    table.game.room = "9" * 32
    reader = Reader(table.watch.game(AT, EVE, UNSET))
    await reader.task
    assert isinstance(reader.ended, NotShown)
    assert reader.ended.code is RefusalCode.NOT_FOUND
    assert reader.got == []


async def test_no_answer_from_the_owner_ends_as_unavailable(table: Any) -> None:
    nobody = RoomId("7" * 32)
    reader = Reader(table.watch.room(nobody, ADA, UNSET))
    await asyncio.wait_for(reader.task, 5)
    assert isinstance(reader.ended, NotShown)
    assert reader.ended.code is RefusalCode.UNAVAILABLE


async def test_while_nats_is_away_opening_is_unavailable_and_afterwards_nothing_is_subscribed_twice(
    table: Any, played: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.game.commit("MatchStarted")
    bus, subjects = table.feeds._bus, []
    follow = bus.follow

    async def noted(subject: str, *args: Any, **kwargs: Any) -> Any:
        subjects.append(subject)
        return await follow(subject, *args, **kwargs)

    async def away() -> None:
        raise BusTimeout("NATS does not answer")

    monkeypatch.setattr(bus, "follow", noted)
    with monkeypatch.context() as patch:
        patch.setattr(bus, "flush", away)
        refused = Reader(table.watch.game(AT, ADA, UNSET))
        await asyncio.wait_for(refused.task, 5)
        assert isinstance(refused.ended, NotShown)
        assert refused.ended.code is RefusalCode.UNAVAILABLE
    reader = Reader(table.watch.game(AT, ADA, UNSET))
    await reader.reaches(1)
    table.game.commit("CardPlayed")
    await reader.reaches(2)
    assert steps(reader, played) == [1, 2]
    assert len(subjects) == len(set(subjects)) == 2
    await reader.stop()


async def test_a_subscriber_who_goes_while_it_still_opens_leaves_nothing(table: Any) -> None:
    table.game.commit("MatchStarted")
    table.room.answer_after = 0.3
    readers = [Reader(table.watch.game(AT, ADA, UNSET)) for _ in range(10)]
    await asyncio.sleep(0.1)
    for reader in readers:
        await reader.stop()
    assert table.feeds.subscribers == 0
    assert table.said == []
    await until(lambda: len(table.feeds) == 0, 5)


async def test_a_step_goes_straight_to_who_rests_and_waits_for_who_was_woken(straight_table: Any, played: Any) -> None:
    table = straight_table
    table.room.private = False
    table.game.commit("MatchStarted")
    reader = Reader(table.watch.game(AT, BEA, UNSET))
    await reader.reaches(1)
    for version in range(2, 6):
        table.game.commit("CardPlayed")
        await reader.reaches(version)
    assert reader.straight == 4
    table.room.commit("CpuSeated")
    table.game.commit("CardPlayed")
    await reader.reaches(6)
    assert reader.straight == 5, "a room in which nobody came or went wakes nobody"
    table.room.answer_after = 0.2
    table.room.members = [ADA, BEA, EVE]
    table.room.commit("PlayerJoined")
    table.game.commit("CardPlayed")
    await asyncio.sleep(0.1)
    assert reader.versions[-1] == 6, "rights first"
    await reader.reaches(7)
    assert reader.straight == 5
    assert steps(reader, played) == list(range(1, 8))
    await reader.stop()


async def test_who_sits_in_the_room_is_in_his_game_after_one_question(table: Any, played: Any) -> None:
    table.game.commit("MatchStarted")
    for viewer, audience in ((ADA, "seat-0"), (BEA, "seat-1")):
        asked = table.game.asked
        reader = Reader(table.watch.game(AT, viewer, UNSET))
        await reader.reaches(1)
        assert table.game.asked - asked == 1
        assert b'"hand"' in bytes(reader.got[0].view), audience
        await reader.stop()


async def test_another_seat_in_the_game_than_in_the_room_is_what_counts(table: Any, played: Any) -> None:
    table.game.seats = [BEA, ADA]
    table.game.commit("MatchStarted")
    reader = Reader(table.watch.game(AT, ADA, UNSET))
    await reader.reaches(1)
    table.game.commit("CardPlayed")
    await reader.reaches(2)
    assert [b'"1B"' in bytes(update.view) for update in reader.got] == [True, True], "the second seat's hand"
    assert steps(reader, played) == [1, 2]
    await reader.stop()


async def test_a_requested_game_opens_with_its_first_push_and_one_more_question(table: Any) -> None:
    reader = Reader(table.watch.game(AT, ADA, UNSET))
    await until(lambda: bool(reader.got))
    assert reader.versions == [0]
    in_room = table.room.asked
    asked = table.game.asked
    table.game.commit("MatchStarted")
    await reader.reaches(1)
    assert (table.game.asked - asked, table.room.asked - in_room) == (1, 0)
    await reader.stop()
