from __future__ import annotations

from circolo_contracts.codes import (
    ClaimCode,
    CodeClaimed,
    CodeEvent,
    CodeReleased,
    CodeReserved,
    ReleaseCode,
    ReserveCode,
)
from circolo_contracts.ids import ROOM_CODE_ALPHABET, is_room_code
from circolo_contracts.refusals import RefusalCode
from circolo_events.decider import Deadline
from circolo_events.testing.scenario import NOON, Scenario, given
from circolo_rooms.code import REMEMBERED_ROOMS, UNCLAIMED_MS, CodeDecider, code_from
from table_talk import ANNA, CODE, ROOM, ROOMS

OTHER = "7" * 32
RESERVED = CodeReserved(at=NOON, room=ROOM)
CLAIMED = CodeClaimed(room=ROOM)
RELEASED = CodeReleased(room=ROOM)


def code(*events: CodeEvent) -> Scenario:
    return given(CodeDecider(), *events, stream=f"code-{CODE}")


def test_a_free_code_is_reserved_for_one_room() -> None:
    held = code().when(ReserveCode(ROOM), actor=ROOMS).then(RESERVED)
    held.when(ReserveCode(ROOM), actor=ROOMS).then_nothing()
    held.when(ReserveCode(OTHER), actor=ROOMS).then_refused(RefusalCode.NOT_ALLOWED)


def test_a_released_code_may_be_reserved_again() -> None:
    free = code(RESERVED, CLAIMED).when(ReleaseCode(ROOM), actor=ROOMS).then(RELEASED)
    again = free.when(ReserveCode(OTHER), actor=ROOMS).then(CodeReserved(at=NOON, room=OTHER))
    assert (again.state.room, again.state.earlier) == (OTHER, (ROOM,))


def test_only_the_room_that_has_the_code_releases_it() -> None:
    code(RESERVED).when(ReleaseCode(OTHER), actor=ROOMS).then_nothing()
    code(RESERVED, RELEASED).when(ReleaseCode(ROOM), actor=ROOMS).then_nothing()


def test_a_reservation_waits_an_hour_for_its_room() -> None:
    waiting = code(RESERVED)
    assert waiting.decider.deadlines(waiting.state) == {"unclaimed": Deadline(NOON + UNCLAIMED_MS, 1)}
    claimed = waiting.when(ClaimCode(ROOM), actor=ROOMS).then(CLAIMED)
    assert claimed.decider.deadlines(claimed.state) == {}
    claimed.when(ClaimCode(ROOM), actor=ROOMS).then_nothing()
    claimed.when(ClaimCode(OTHER), actor=ROOMS).then_nothing()
    free = code(RESERVED, RELEASED)
    assert free.decider.deadlines(free.state) == {}


def test_people_have_no_say_in_codes() -> None:
    for wish in (ReserveCode(ROOM), ClaimCode(ROOM), ReleaseCode(ROOM)):
        code(RESERVED).when(wish, actor=ANNA).then_refused(RefusalCode.NOT_ALLOWED)


def test_a_code_remembers_only_its_last_rooms() -> None:
    table = code()
    for n in range(REMEMBERED_ROOMS + 2):
        held = table.when(ReserveCode(f"{n:032x}"), actor=ROOMS).go_on()
        table = held.when(ReleaseCode(f"{n:032x}"), actor=ROOMS).go_on()
    assert len(table.state.earlier) == REMEMBERED_ROOMS


def test_a_code_has_six_characters_that_do_not_look_alike() -> None:
    drawn = code_from(bytes(range(32)))
    assert drawn is not None
    assert is_room_code(drawn)
    assert not set("01OIL") & set(ROOM_CODE_ALPHABET)
    assert code_from(b"\xff" * 32) is None
    assert code_from(bytes([31, 247, 255, 0, 30, 1])) is None
    assert code_from(bytes([31, 247, 255, 0, 30, 1, 2])) == "2Z2Z34"
