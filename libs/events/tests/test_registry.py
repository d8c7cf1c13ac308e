"""Stored events outlive the code that wrote them."""

from __future__ import annotations

import pytest
from circolo_events.registry import EventRegistry, EventType, UnknownEvent
from msgspec import Struct


class Renamed(Struct, frozen=True):
    at: int
    player: str


class Dealt(Struct, frozen=True):
    deck: list[str]
    no: int


def test_store_26_an_old_version_is_read_after_the_class_was_renamed_and_a_field_too() -> None:
    registry = EventRegistry(
        EventType("Joined", Renamed, version=2, upcasters={1: lambda old: {"player": old["who"], "at": 0}})
    )
    assert registry.decode("Joined", 1, b'{"who":"x"}') == Renamed(0, "x")
    assert registry.encode(Renamed(1, "y")) == ("Joined", 2, b'{"at":1,"player":"y"}')


def test_an_unknown_type_or_a_newer_version_is_an_error_and_not_a_guess() -> None:
    registry = EventRegistry.of_unions(Renamed)
    with pytest.raises(UnknownEvent):
        registry.decode("Other", 1, b"{}")
    with pytest.raises(UnknownEvent):
        registry.decode("Renamed", 2, b"{}")


def test_every_older_version_needs_its_upcaster() -> None:
    with pytest.raises(ValueError, match="needs an upcaster"):
        EventType("Joined", Renamed, version=3, upcasters={1: dict})


def test_secret_fields_are_left_out_for_analysts() -> None:
    registry = EventRegistry.of_unions(Dealt, secret={Dealt: frozenset({"deck"})})
    name, _, data = registry.encode(Dealt(["7D"], 1))
    assert registry.by_name[name].without_secrets(data) == b'{"no":1}'


def test_a_secret_field_that_does_not_exist_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="does not have"):
        EventRegistry.of_unions(Dealt, secret={Dealt: frozenset({"cards"})})
