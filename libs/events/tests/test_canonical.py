"""What may be stored, and that it is stored the same everywhere."""

from __future__ import annotations

import uuid

import pytest
from circolo_events import canonical
from hypothesis import given
from hypothesis import strategies as st


def test_keys_are_sorted_and_text_stays_text() -> None:
    assert canonical.encode({"b": 1, "a": "è", "c": [True, {"z": 0, "y": 2}]}) == (
        '{"a":"è","b":1,"c":[true,{"y":2,"z":0}]}'.encode()
    )


@pytest.mark.parametrize(
    ("value", "code", "path"),
    [
        ({"text": "a\x00b"}, "NUL", "text"),
        ({"text": "\ud800"}, "SURROGATE", "text"),
        ({"deep": [{"n": 2**53}]}, "INTEGER", "deep[0].n"),
        ({"n": -(2**53)}, "INTEGER", "n"),
        ({"n": 2**64}, "INTEGER", "n"),
        ({"n": 1.10}, "FLOAT", "n"),
        ({"n": -0.0}, "FLOAT", "n"),
        ({"n": float("inf")}, "FLOAT", "n"),
        ({"n": None}, "NULL", "n"),
        ({"a\x00": 1}, "NUL", ""),
        ({"n": (1, 2)}, "TYPE", "n"),
    ],
)
def test_store_23_24_what_cannot_be_stored_is_refused_by_name(value: object, code: str, path: str) -> None:
    with pytest.raises(canonical.NotCanonical) as refused:
        canonical.check(value)
    assert (refused.value.code, refused.value.path) == (code, path)


def test_the_largest_integer_that_every_reader_keeps_is_allowed() -> None:
    canonical.check({"n": 2**53 - 1, "m": -(2**53) + 1})


@given(st.lists(st.binary(max_size=8), max_size=4), st.lists(st.binary(max_size=8), max_size=4))
def test_different_lists_of_parts_never_share_a_digest(left: list[bytes], right: list[bytes]) -> None:
    assert (canonical.digest(*left) == canonical.digest(*right)) == (left == right)


def test_shards_are_frozen() -> None:
    streams = ["room-" + "0" * 32, "match-" + "a" * 32, "code-ABCDEF"]
    assert [canonical.shard_of(s) for s in streams] == [11, 0, 9]


@given(st.uuids(), st.uuids())
def test_a_player_s_command_id_is_the_standard_s_uuid_version_5(player: uuid.UUID, key: uuid.UUID) -> None:
    assert canonical.client_command_id(player.hex, key.hex) == uuid.uuid5(player, key.hex).hex


def test_command_ids_of_timers_reactions_and_players_never_meet() -> None:
    player = "5" * 32
    ids = {
        canonical.deadline_command_id("match-" + "0" * 32, "turn", 3),
        canonical.reaction_command_id("0" * 32, "turn"),
        canonical.client_command_id(player, "0" * 32),
        canonical.client_command_id("6" * 32, "0" * 32),
    }
    assert len(ids) == 4
    assert canonical.client_command_id(player, "0" * 32) == uuid.uuid5(uuid.UUID(hex=player), "0" * 32).hex
