"""What becomes of decided events before they are appended: ids, what is stored beside them, states and deadlines."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import msgspec
import pytest
from circolo_contracts.wire import Actor, Command
from circolo_events import canonical
from circolo_events.aggregate import Entry, VersionDrift
from circolo_events.decider import Deadline, Foreseen
from circolo_events.proposal import Proposal, propose, sibling, uuid7
from msgspec import Raw, Struct
from tally import OWNER, REGISTRY, TALLY, Added, Noted, Tally

NOW = 1_800_000_000_123
STREAM = "tally-" + "1" * 32


def proposed(decided: Sequence[Struct], entry: Entry | None = None, traceparent: str | None = None) -> Proposal:
    command = Command(Actor("player", OWNER), Raw(b"{}"), "c" * 32, "Add", digest='d"è')
    return propose(entry or Entry(STREAM, TALLY), REGISTRY, command, decided, uuid7(NOW), traceparent)


def test_an_id_is_a_uuid_of_version_7_that_begins_with_the_time() -> None:
    made = [uuid.UUID(uuid7(NOW)) for _ in range(2_000)]
    assert {(each.version, each.variant, each.int >> 80) for each in made} == {(7, uuid.RFC_4122, NOW)}
    assert len(set(made)) == len(made)
    assert {f"{each.int:032x}"[16] for each in made} == set("89ab")
    assert uuid7((1 << 48) + 5).startswith("000000000005"), "a time of more than 48 bits does not make a longer id"


def test_the_events_of_a_command_have_ids_that_count_up() -> None:
    ids = [event.id for event in proposed([Added(1)] * 5).item.events]
    assert [int(each, 16) - int(ids[0], 16) for each in ids] == [0, 1, 2, 3, 4]
    assert sibling(ids[0], 3) == ids[3]


@pytest.mark.parametrize("traceparent", [None, "00-" + "a" * 32 + "-" + "b" * 16 + "-01"])
def test_what_is_stored_beside_an_event_is_canonical_and_says_who_wanted_it(traceparent: str | None) -> None:
    (event,) = proposed([Added(1)], traceparent=traceparent).item.events
    fields: dict[str, object] = {"actor": ["player", OWNER], "digest": 'd"è'}
    if traceparent:
        fields["trace"] = traceparent
    assert event.meta == canonical.encode(fields)
    assert msgspec.json.decode(event.meta) == fields


def test_states_that_were_foreseen_are_taken_and_the_others_folded() -> None:
    entry = Entry(STREAM, TALLY)
    first = TALLY.decider.evolve(entry.state, Added(3))
    steps = proposed(Foreseen([Added(3), Added(4)], [first]), entry).steps
    assert steps[0].after is first
    assert [step.after for step in steps] == [Tally(1, 3, "", 1), Tally(2, 7, "", 2)]
    assert [step.before for step in steps] == [entry.state, first]


def test_a_state_that_does_not_count_its_version_is_no_proposal() -> None:
    with pytest.raises(VersionDrift):
        proposed(Foreseen([Added(3)], [Tally(2, 3)]))


def test_a_deadline_that_stays_is_written_once() -> None:
    entry = Entry(STREAM, TALLY)
    first = proposed([Added(3)], entry)
    assert [(arm.kind, arm.due_at, arm.version) for arm in first.item.arm] == [("reset", 3, 1)]
    entry.advance(first.steps, first.armed)
    assert entry.armed == {"reset": Deadline(3, 1)}
    assert proposed([Noted("x")], entry).item.arm == ()
    cleared = proposed([Added(1)], entry).item
    assert (list(cleared.arm), list(cleared.clear)) == ([], ["reset"])


def test_deadlines_are_asked_for_again_when_the_state_was_read_from_the_store() -> None:
    entry = Entry(STREAM, TALLY)
    first = proposed([Added(3)], entry)
    entry.advance(first.steps)
    assert entry.armed is None
    assert list(proposed([Added(1)], entry).item.clear) == ["reset"]
