"""Stored events: what a field may be. They are hashed, replayed for ever and read by other languages."""

from __future__ import annotations

import importlib
import types
import typing
from collections.abc import Iterator
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from circolo_contracts import cardgames, codes, direction, ledger, rooms, solitaire, talk, tombola, trivia
from circolo_contracts.refusals import MESSAGES, RefusalCode
from msgspec import NODEFAULT, Struct, UnsetType

UNIONS = [
    rooms.PlayerEvent,
    codes.CodeEvent,
    rooms.RoomEvent,
    talk.ChatEvent,
    direction.ReportEvent,
    cardgames.MatchEvent | solitaire.SolitaireEvent | tombola.TombolaEvent | tombola.MarksEvent | trivia.TriviaEvent,
    ledger.PayoutEvent,
]
EVENTS: list[type[Struct]] = [event for union in UNIONS for event in get_args(union)]
SECRET_OF = {
    "amount": {"StakeLocked"},
    "cards": {"HandsDealt"},
    "deck": {"DealStarted", "SolitaireStarted"},
    "drawn": {"TrickEnded"},
    "draws": {"TombolaStarted"},
    "number": {"MarkSet"},
    "option": {"AnswerJudged", "AnswerLocked", "FinalLocked"},
    "questions": {"TriviaStarted"},
    "reporter": {"ReportFiled"},
    "seed": {"MatchStarted", "SolitaireStarted", "TombolaStarted", "TriviaStarted"},
    "tickets": {"TombolaStarted"},
}
PERSONAL = {"address", "chat", "email", "ip", "message", "name", "text"}


def nested(annotation: Any) -> Iterator[Any]:
    """The plain types that an annotation is made of."""
    origin = get_origin(annotation)
    if isinstance(annotation, typing.NewType):
        yield from nested(annotation.__supertype__)
    elif origin in (Union, types.UnionType, list, dict):
        for inner in get_args(annotation):
            yield from nested(inner)
    elif origin is Literal:
        yield from (type(value) for value in get_args(annotation))
    elif isinstance(annotation, type) and issubclass(annotation, Struct):
        for inner in get_type_hints(annotation).values():
            yield from nested(inner)
    else:
        yield annotation


def structs_of(event: type[Struct]) -> set[type[Struct]]:
    found = {event}
    for annotation in get_type_hints(event).values():
        ahead = [annotation]
        while ahead:
            part = ahead.pop()
            if isinstance(part, type) and issubclass(part, Struct):
                found |= structs_of(part)
            ahead += get_args(part)
    return found


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
def test_an_event_is_made_of_strings_booleans_and_integers(event: type[Struct]) -> None:
    assert set(nested(event)) <= {str, bool, int, UnsetType}


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
def test_the_fields_of_an_event_are_in_alphabetical_order_and_it_is_frozen(event: type[Struct]) -> None:
    for struct in structs_of(event):
        fields = msgspec.structs.fields(struct)
        required = [field.name for field in fields if field.default is NODEFAULT and field.default_factory is NODEFAULT]
        optional = [field.name for field in fields if field.name not in required]
        assert (required, optional) == (sorted(required), sorted(optional)), struct.__name__
        assert struct.__struct_config__.frozen, struct.__name__
        assert struct.__struct_config__.tag is None, "the type is stored beside the data"


def test_no_two_events_have_one_name() -> None:
    names = [event.__name__ for event in EVENTS]
    assert len(names) == len(set(names))


def test_no_event_has_a_field_for_personal_text() -> None:
    found = [f"{event.__name__}.{field}" for event in EVENTS for field in event.__struct_fields__ if field in PERSONAL]
    assert found == []


@pytest.mark.parametrize("service", ["cardgames", "ledger", "rooms", "tombola", "trivia"])
def test_fields_that_hold_a_games_secret_are_marked(service: str) -> None:
    registry = importlib.import_module(f"circolo_{service}.registry").REGISTRY
    for kind in registry.by_name.values():
        holds = {field for field, events in SECRET_OF.items() if kind.name in events}
        assert kind.secret == holds, kind.name


def test_every_stored_event_is_registered() -> None:
    registered = set()
    for service in ("cardgames", "ledger", "rooms", "tombola", "trivia"):
        registered |= set(importlib.import_module(f"circolo_{service}.registry").REGISTRY.by_struct)
    assert {event.__name__ for event in EVENTS if event not in registered} == set()


@pytest.mark.parametrize("code", RefusalCode)
def test_every_refusal_speaks_italian_and_english(code: RefusalCode) -> None:
    italian, english = MESSAGES[code]
    assert italian.endswith(".")
    assert english.endswith(".")
    assert code.value == code.name
