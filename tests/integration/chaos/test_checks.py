"""The checker finds what it is for: each kind of violation is planted in a true story, and named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec
import pytest
from chaos.archive import Armed, Row
from chaos.checks import store
from chaos.checks_of_play import everything
from chaos.history import Accepted, Refusal, Shown, Watching
from chaos.small_house import GAME, NOW, PLAYER, ROOM, SmallHouse
from circolo_events import feed
from msgspec.structs import replace as changed

Plant = Callable[[SmallHouse], object]


def kinds(house: SmallHouse) -> set[str]:
    return {violation.kind for violation in everything(house.history, house.stored)}


def test_a_true_story_has_no_violation() -> None:
    house = SmallHouse()
    assert not everything(house.history, house.stored)
    assert len(house.history.accepted) == 24, "20 cards and four wishes"
    assert len(house.history.watching) == 3


# ---------------------------------------------------------------- what may be spoilt


def rows_of(house: SmallHouse, stream: str) -> list[Row]:
    return house.stored.of("cardgames" if stream.startswith("match-") else "rooms").by_stream[stream]


def swap(house: SmallHouse, old: Row, new: Row | None) -> None:
    """Put another row in an event's place, or none."""
    archive = house.stored.cardgames if old.event.stream.startswith("match-") else house.stored.rooms
    for rows in (archive.rows, archive.by_stream[old.event.stream]):
        place = rows.index(old)
        rows[place : place + 1] = [] if new is None else [new]


def card_row(house: SmallHouse, number: int = 10) -> Row:
    return [row for row in rows_of(house, f"match-{GAME}") if row.event.type == "CardPlayed"][number]


def player(house: SmallHouse) -> Watching:
    return house.history.watching[0]


def spoil_shown(house: SmallHouse, number: int, **changes: object) -> None:
    shown = player(house).shown
    shown[number] = replace(shown[number], **changes)  # type: ignore[arg-type]


def a_lost_event(house: SmallHouse) -> None:
    swap(house, rows_of(house, f"match-{GAME}")[-1], None)


def a_hole_in_the_positions(house: SmallHouse) -> None:
    row = rows_of(house, f"match-{GAME}")[-1]
    swap(house, row, replace(row, event=changed(row.event, pos=row.event.pos + 1)))
    house.stored.cardgames.heads[row.event.shard] += 1


def a_head_beyond_its_events(house: SmallHouse) -> None:
    house.stored.rooms.heads[3] += 1


def an_event_in_another_shard(house: SmallHouse) -> None:
    row = card_row(house)
    swap(house, row, replace(row, event=changed(row.event, shard=(row.event.shard + 1) % 16)))


def a_version_that_is_there_twice(house: SmallHouse) -> None:
    row = card_row(house)
    swap(house, row, replace(row, event=changed(row.event, version=row.event.version - 1)))


def a_stream_that_says_more_than_it_has(house: SmallHouse) -> None:
    version, tail = house.stored.cardgames.streams[f"match-{GAME}"]
    house.stored.cardgames.streams[f"match-{GAME}"] = (version + 1, tail)


def an_event_that_was_changed_afterwards(house: SmallHouse) -> None:
    row = card_row(house)
    swap(house, row, replace(row, event=changed(row.event, meta=b'{"actor":["player","x"]}')))


def a_tail_of_another_chain(house: SmallHouse) -> None:
    version, _ = house.stored.cardgames.streams[f"match-{GAME}"]
    house.stored.cardgames.streams[f"match-{GAME}"] = (version, bytes(32))


def half_of_an_append(house: SmallHouse) -> None:
    row = next(row for row in rows_of(house, f"match-{GAME}") if row.event.n > 1 and row.event.seq == 0)
    swap(house, row, replace(row, event=changed(row.event, seq=1)))


def a_command_that_is_stored_twice(house: SmallHouse) -> None:
    first, second = card_row(house, 4), card_row(house, 6)
    batch = [row for row in rows_of(house, f"match-{GAME}") if row.event.command == second.event.command]
    for row in batch:
        swap(house, row, replace(row, event=changed(row.event, command=first.event.command)))


def an_accepted_card_that_nobody_stored(house: SmallHouse) -> None:
    house.history.accept(Accepted("cardgames", f"match-{GAME}", "f" * 32, "playCard", 7, False))


def an_answer_with_another_version(house: SmallHouse) -> None:
    house.history.accepted[5] = replace(house.history.accepted[5], version=house.history.accepted[5].version + 1)


def an_answer_with_another_position(house: SmallHouse) -> None:
    house.history.accepted[5] = replace(house.history.accepted[5], position=1_000)


def a_retry_that_was_done_again(house: SmallHouse) -> None:
    house.history.accept(house.history.accepted[5])


def a_refused_card_that_was_played(house: SmallHouse) -> None:
    told = house.history.accepted[5]
    house.history.refused.append(Refusal(told.service, told.stream, told.command, told.what, "STALE_VERSION"))


def an_internal_error(house: SmallHouse) -> None:
    house.history.odd.append("playCard: INTERNAL")


def an_update_that_came_again(house: SmallHouse) -> None:
    player(house).shown.insert(6, player(house).shown[5])


def a_happening_that_was_told_twice(house: SmallHouse) -> None:
    happened = player(house).shown[6].happened
    spoil_shown(house, 6, happened=(*happened, happened[-1]))


def a_version_that_was_jumped_over(house: SmallHouse) -> None:
    del player(house).shown[6]


def a_happening_that_was_left_out(house: SmallHouse) -> None:
    spoil_shown(house, 6, happened=player(house).shown[6].happened[1:])


def an_update_of_what_never_happened(house: SmallHouse) -> None:
    last = player(house).shown[-1]
    player(house).shown.append(Shown(last.version + 1, True, (), last.view))


def a_view_with_another_hand(house: SmallHouse) -> None:
    spoil_shown(house, 6, view={**player(house).shown[6].view, "hand": ["1D"]})


def a_view_of_a_room_with_another_phase(house: SmallHouse) -> None:
    watching = house.history.watching[2]
    watching.shown[1] = replace(watching.shown[1], view={**watching.shown[1].view, "phase": "CLOSED"})


def a_subscriber_who_never_saw_the_end(house: SmallHouse) -> None:
    player(house).converged = False


def a_subscriber_with_another_last_view(house: SmallHouse) -> None:
    assert player(house).final is not None
    player(house).final = {**player(house).final, "deals": []}  # type: ignore[dict-item]


def a_read_model_behind_the_log(house: SmallHouse) -> None:
    row = house.stored.read_model[ROOM]
    house.stored.read_model[ROOM] = changed(row, version=row.version - 1, phase="LOBBY")


def a_read_model_without_a_room(house: SmallHouse) -> None:
    house.stored.read_model.clear()


def a_row_of_a_deadline_that_is_over(house: SmallHouse) -> None:
    house.stored.cardgames.deadlines.append(Armed(f"match-{GAME}", "cpu", NOW - 5, 7))


def a_deadline_that_was_forgotten(house: SmallHouse) -> None:
    """The match is still on by its events, and nobody will ever move."""
    archive = house.stored.cardgames
    keep = next(i for i, r in enumerate(archive.by_stream[f"match-{GAME}"]) if r.event.type == "CardPlayed")
    for row in archive.by_stream[f"match-{GAME}"][keep:]:
        swap(house, row, None)


def a_due_row_that_nobody_fired(house: SmallHouse) -> None:
    a_deadline_that_was_forgotten(house)
    house.stored.cardgames.deadlines = [Armed(f"match-{GAME}", "idle", NOW + 86_460_000, 1)]
    house.stored.cardgames.now = NOW + 86_460_001


def a_cpu_that_moved_by_itself(house: SmallHouse) -> None:
    own = next(row for row in rows_of(house, f"match-{GAME}") if row.event.type == "CardPlayed" and is_cpu(row))
    batch = [row for row in rows_of(house, f"match-{GAME}") if row.event.command == own.event.command]
    for row in batch:
        swap(house, row, replace(row, event=changed(row.event, command="e" * 32)))


def is_cpu(row: Row) -> bool:
    return bool(msgspec.json.decode(row.event.data)["seat"] == 1)


def a_cpu_whose_deadline_fired_twice(house: SmallHouse) -> None:
    cards = [row for row in rows_of(house, f"match-{GAME}") if row.event.type == "CardPlayed" and is_cpu(row)]
    second = [row for row in rows_of(house, f"match-{GAME}") if row.event.command == cards[3].event.command]
    for row in second:
        swap(house, row, replace(row, event=changed(row.event, command=cards[1].event.command)))


def a_result_that_came_twice(house: SmallHouse) -> None:
    finished = next(row for row in rows_of(house, f"room-{ROOM}") if row.event.type == "GameFinished")
    joined = next(row for row in rows_of(house, f"room-{ROOM}") if row.event.type == "CpuSeated")
    swap(house, joined, replace(joined, event=changed(joined.event, type="GameFinished", data=finished.event.data)))


def a_game_that_nobody_requested(house: SmallHouse) -> None:
    requested = next(row for row in rows_of(house, f"room-{ROOM}") if row.event.type == "GameRequested")
    other = requested.event.data.replace(GAME.encode(), b"d4" * 16)
    swap(house, requested, replace(requested, event=changed(requested.event, data=other)))


def a_deal_from_another_deck(house: SmallHouse) -> None:
    dealt = next(row for row in rows_of(house, f"match-{GAME}") if row.event.type == "DealStarted")
    deal = msgspec.json.decode(dealt.event.data)
    deal["deck"] = [*deal["deck"][:-2], deal["deck"][-1], deal["deck"][-2]]
    data = msgspec.json.encode(deal, order="sorted")
    swap(house, dealt, replace(dealt, event=changed(dealt.event, data=data)))


def a_feed_that_ends_too_early(house: SmallHouse) -> None:
    house.stored.feeds["cardgames"].pop()


def a_feed_with_a_hole(house: SmallHouse) -> None:
    del house.stored.feeds["cardgames"][1]


def a_feed_of_another_log(house: SmallHouse) -> None:
    message = house.stored.feeds["cardgames"][1]
    house.stored.feeds["cardgames"][1] = message.replace(b'"type":"CardPlayed"', b'"type":"CardDealt"')


def a_feed_whose_header_lies(house: SmallHouse) -> None:
    message = house.stored.feeds["cardgames"][1]
    head, rest = message.split(b"\n", 1)
    header, _ = feed.unpack(message)
    shard, first, last = header.ranges[0]
    lie = head.replace(f"[{shard},{first},{last}]".encode(), f"[{shard},{first},{last + 1}]".encode())
    house.stored.feeds["cardgames"][1] = lie + b"\n" + rest


def a_parked_event(house: SmallHouse) -> None:
    house.stored.rooms.parked = 1


@pytest.mark.parametrize(
    ("plant", "kind"),
    [
        (a_lost_event, "version"),
        (a_lost_event, "position"),
        (a_lost_event, "chain"),
        (a_hole_in_the_positions, "position"),
        (a_head_beyond_its_events, "position"),
        (an_event_in_another_shard, "shard"),
        (a_version_that_is_there_twice, "version"),
        (a_stream_that_says_more_than_it_has, "version"),
        (an_event_that_was_changed_afterwards, "chain"),
        (a_tail_of_another_chain, "chain"),
        (half_of_an_append, "half an append"),
        (a_command_that_is_stored_twice, "twice"),
        (an_accepted_card_that_nobody_stored, "lost"),
        (an_answer_with_another_version, "answer"),
        (an_answer_with_another_position, "answer"),
        (a_retry_that_was_done_again, "answer"),
        (a_refused_card_that_was_played, "refused and done"),
        (an_internal_error, "odd"),
        (an_update_that_came_again, "told twice"),
        (a_happening_that_was_told_twice, "told twice"),
        (a_version_that_was_jumped_over, "missed"),
        (a_happening_that_was_left_out, "missed"),
        (an_update_of_what_never_happened, "told of nothing"),
        (a_view_with_another_hand, "another view"),
        (a_view_of_a_room_with_another_phase, "another view"),
        (a_subscriber_who_never_saw_the_end, "not converged"),
        (a_subscriber_with_another_last_view, "not converged"),
        (a_read_model_behind_the_log, "read model"),
        (a_read_model_without_a_room, "read model"),
        (a_row_of_a_deadline_that_is_over, "deadline"),
        (a_deadline_that_was_forgotten, "deadline"),
        (a_due_row_that_nobody_fired, "due"),
        (a_cpu_that_moved_by_itself, "fired by nobody"),
        (a_cpu_whose_deadline_fired_twice, "fired twice"),
        (a_result_that_came_twice, "result"),
        (a_game_that_nobody_requested, "result"),
        (a_deal_from_another_deck, "unfair"),
        (a_feed_that_ends_too_early, "feed"),
        (a_feed_with_a_hole, "feed"),
        (a_feed_of_another_log, "feed"),
        (a_feed_whose_header_lies, "feed"),
        (a_parked_event, "parked"),
    ],
    ids=lambda each: each.__name__ if callable(each) else each.replace(" ", "_"),
)
def test_a_planted_violation_is_found(plant: Plant, kind: str) -> None:
    house = SmallHouse()
    plant(house)
    assert kind in kinds(house)


def test_a_violation_says_where_it_is() -> None:
    house = SmallHouse()
    a_head_beyond_its_events(house)
    assert [str(violation) for violation in store(house.stored.rooms)] == [
        f"position: rooms shard 3: head 1, events to {0}"
    ]
    assert PLAYER not in str([*store(house.stored.rooms)])
