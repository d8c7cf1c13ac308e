from __future__ import annotations

import msgspec
import pytest
from circolo_contracts.cardgames import PlayCard
from circolo_contracts.cards import Card
from circolo_contracts.refusals import RefusalCode, message
from circolo_contracts.wire import (
    Actor,
    Ask,
    Command,
    Done,
    Pushed,
    Refused,
    Seen,
    answer_decoder,
    command_subject,
    encoder,
    envelope_decoder,
    poke_subject,
    pushed_decoder,
    view_subject,
)
from msgspec import UNSET, Raw

ID = "0" * 32
PLAY = Raw(msgspec.json.encode(PlayCard(Card("7D"))))


@pytest.mark.parametrize(
    "envelope",
    [
        Command(Actor("player", ID), PLAY, ID, "PlayCard"),
        Command(Actor("cpu", "2"), PLAY, ID, "PlayCard", at=5, digest="d", expected=7),
        Ask(),
        Ask(viewer=ID, after=12),
    ],
)
def test_what_is_sent_to_a_service_arrives_as_it_was(envelope: Command | Ask) -> None:
    assert envelope_decoder.decode(encoder.encode(envelope)) == envelope


@pytest.mark.parametrize(
    "answer",
    [
        Done(3, 17, False, Raw(b"{}"), 4),
        Done(3, 17, True, Raw(b"{}"), 4, extra=Raw(b'{"a":1}')),
        Refused(RefusalCode.NOT_YOUR_TURN, current_version=4),
        Refused(RefusalCode.INVALID_SETTING, field="players"),
        Seen(4, "seat-1", Raw(b"{}"), [Raw(b"[]")], reset=False),
    ],
)
def test_an_answer_arrives_as_it_was_given(answer: Done | Refused | Seen) -> None:
    assert answer_decoder.decode(encoder.encode(answer)) == answer


def test_a_pushed_view_is_carried_without_being_read() -> None:
    pushed = Pushed(3, 4, [Raw(b'{"kind":"CardPlayed"}')], Raw(b'{"version": 4}'))
    assert bytes(pushed_decoder.decode(encoder.encode(pushed)).view) == b'{"version": 4}'


def test_what_is_absent_is_not_on_the_wire() -> None:
    assert b"null" not in encoder.encode(Refused(RefusalCode.LATE))
    assert answer_decoder.decode(b'{"t":"refused","code":"LATE"}') == Refused(RefusalCode.LATE, UNSET, UNSET)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"t":"command"}',
        b'{"t":"order"}',
        b'{"t":"ask","after":"x"}',
        b"\xff",
        b'{"t":"ask"',
    ],
)
def test_what_cannot_be_read_is_an_error_of_msgspec_and_nothing_else(raw: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        envelope_decoder.decode(raw)


def test_subjects_are_made_in_one_place() -> None:
    assert command_subject("cardgames", 11, f"match-{ID}") == f"cmd.cardgames.11.match-{ID}"
    assert view_subject(f"match-{ID}", "seat-2") == f"view.match-{ID}.seat-2"
    assert poke_subject("rooms") == "poke.rooms"
    assert poke_subject("rooms", "RoomCreated") == "poke.rooms.RoomCreated"


def test_a_refusal_speaks_the_viewers_language_and_italian_otherwise() -> None:
    assert message(RefusalCode.NOT_YOUR_TURN, "EN") == "It is not your turn."
    assert message(RefusalCode.NOT_YOUR_TURN, "IT") == "Non è il tuo turno."
    assert message(RefusalCode.NOT_YOUR_TURN, "FR") == "Non è il tuo turno."
