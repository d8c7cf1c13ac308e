from __future__ import annotations

import base64

import pytest
from circolo_contracts.ids import (
    ROOM_CODE_ALPHABET,
    RoomId,
    global_id,
    id_of,
    is_hex_id,
    is_room_code,
    is_stream,
    kind_of,
    parse_global_id,
)
from hypothesis import given
from hypothesis import strategies as st

HEX = "0123456789abcdef" * 2
OTHER = "f" * 32


@pytest.mark.parametrize("stream", [f"room-{HEX}", f"match-{OTHER}", "code-ABC234"])
def test_a_stream_is_its_kind_and_its_id(stream: str) -> None:
    assert is_stream(stream)
    assert f"{kind_of(stream)}-{id_of(stream)}" == stream


@pytest.mark.parametrize(
    "text",
    [
        "",
        "room",
        "room-",
        f"room-{HEX[:-1]}",
        f"room-{HEX}0",
        f"room-{HEX.upper()}",
        f"Room-{HEX}",
        f"-{HEX}",
        f"room-{HEX}\n",
        f"room-{HEX}.seat-1",
        "room-*",
        "room->",
        f"code-{HEX}",
        "code-ABC23",
        "code-ABC230",
        "code-ABCDEI",
        "code-abc234",
        "code-ABC234\n",
    ],
)
def test_what_is_no_stream_never_reaches_a_subject(text: str) -> None:
    assert not is_stream(text)


def test_room_codes_have_no_look_alikes() -> None:
    assert not set("01ILO") & set(ROOM_CODE_ALPHABET)
    assert is_room_code("ABC234")
    assert not any(is_room_code(text) for text in ("ABC23", "ABC2345", "ABC230", "abc234", "ABC23\n"))


def test_an_id_is_32_lower_case_hex_digits() -> None:
    assert is_hex_id(HEX)
    assert not any(is_hex_id(text) for text in (HEX[1:], HEX + "0", HEX.upper(), HEX + "\n", "g" * 32))


def test_a_global_id_comes_back_with_its_type_stream_and_room() -> None:
    assert parse_global_id(global_id("Room", f"room-{HEX}")) == ("Room", f"room-{HEX}", None)
    game = global_id("CardGame", f"match-{HEX}", RoomId(OTHER))
    assert parse_global_id(game) == ("CardGame", f"match-{HEX}", OTHER)


@pytest.mark.parametrize(
    "inside",
    [b"", b"Room", b"Room:room-1", b"Room:room-" + HEX.encode() + b":x", b"a:b:c:d", b"\xff\xfe:room", b"Room:\x00"],
)
def test_a_foreign_global_id_is_none(inside: bytes) -> None:
    assert parse_global_id(base64.urlsafe_b64encode(inside).decode().rstrip("=")) is None


@given(st.text(max_size=80))
def test_any_text_at_all_is_read_or_none(text: str) -> None:
    parsed = parse_global_id(text)
    assert parsed is None or is_stream(parsed[1])
