"""The schema is a promise: its text is kept, nothing in it breaks, and its lists are those of the contracts."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, get_args

import pytest
from circolo_contracts import cardgames, rooms
from circolo_contracts.games import CATALOGUE
from circolo_contracts.ids import GameId, RoomId
from circolo_gateway.schema import enums
from circolo_gateway.schema.build import build_schema, sdl
from circolo_gateway.schema.node import game_gid, game_in, player_gid, player_in, room_gid, room_in
from circolo_gateway.schema.query import plain_code
from circolo_gateway.schema.scalars import rfc3339
from circolo_gateway.schema.settings import shown_settings
from circolo_gateway.streams.watch import GameAddress
from graphql import GraphQLSchema, find_breaking_changes, parse, validate, validate_schema
from graphql import build_schema as read_sdl

KEPT = Path(__file__).parents[2] / "schema.graphql"


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return build_schema()


def test_the_kept_text_is_the_schemas(schema: GraphQLSchema) -> None:
    """After a change: `python -m circolo_gateway.schema.build > services/gateway/schema.graphql`."""
    assert sdl(schema) == KEPT.read_text()


def test_no_change_breaks_a_frontend(schema: GraphQLSchema) -> None:
    """Against the text of the last commit, where there is one; so a new text does not hide what it breaks."""
    shown = subprocess.run(
        ["git", "show", "HEAD:./schema.graphql"], cwd=KEPT.parent, capture_output=True, text=True, check=False
    )
    before = read_sdl(shown.stdout if shown.returncode == 0 else KEPT.read_text())
    assert [change.description for change in find_breaking_changes(before, schema)] == []


def test_the_schema_is_valid(schema: GraphQLSchema) -> None:
    assert validate_schema(schema) == []


def test_the_enums_are_those_of_the_contracts() -> None:
    def names(made: Any) -> list[str]:
        return [member.value for member in made]

    assert names(enums.GameKind) == list(CATALOGUE)
    assert names(enums.Visibility) == list(get_args(rooms.Visibility))
    assert names(enums.RoomPhase) == list(get_args(rooms.Phase))
    assert names(enums.CpuLevel) == list(get_args(rooms.CpuLevel))
    assert names(enums.Outcome) == list(get_args(cardgames.Outcome))
    assert enums.game_event_kind("CardPlayed") is enums.GameEventKind.CARD_PLAYED
    for event in get_args(cardgames.MatchEvent):
        assert enums.game_event_kind(event.__name__) is not enums.GameEventKind.OTHER, event
    for event in get_args(rooms.RoomEvent):
        assert enums.room_event_kind(event.__name__) is not enums.RoomEventKind.OTHER, event


def test_every_mutation_takes_a_key_and_every_move_a_version(schema: GraphQLSchema) -> None:
    assert schema.mutation_type is not None
    keyless = {name for name, field in schema.mutation_type.fields.items() if "idempotencyKey" not in field.args}
    assert keyless == {"signInAsGuest", "refreshToken"}
    for name in ("playCard", "abandonGame", "startGame", "takeSeat", "changeSettings"):
        assert "expectedVersion" in schema.mutation_type.fields[name].args


def test_a_rooms_game_is_exactly_one_of_the_catalogue(schema: GraphQLSchema) -> None:
    def errors(game: str) -> int:
        return len(validate(schema, parse(f"mutation {{ createRoom(input: {{game: {game}}}) {{ __typename }} }}")))

    assert errors("{briscola: {players: 4, bestOf: 3, onTimeout: ABANDON}}") == 0
    assert errors("{}") == 1
    assert errors("{briscola: null}") == 1
    assert errors("{briscola: {players: true}}") == 1
    assert errors("{ludo: {}}") >= 1


def test_an_old_events_missing_setting_has_its_default() -> None:
    shown: Any = shown_settings("BRISCOLA", {"players": 4})
    assert (shown.players, shown.bestOf, shown.onTimeout.value) == (4, 1, "AUTOPLAY")


def test_global_ids_lead_back_to_the_owner_and_foreign_ones_nowhere() -> None:
    player, room, game = "a" * 32, "b" * 32, "c" * 32
    assert player_in(player_gid(player)) == player
    assert room_in(room_gid(room)) == room
    assert game_in(game_gid("BRISCOLA", game, room)) == GameAddress(
        "cardgames", f"match-{game}", RoomId(room), GameId(game)
    )
    for wrong in (player_gid(player), "", "x", "\ud800", "è", "Um9vbTo", "A" * 100_000):
        assert room_in(wrong) is None
        assert game_in(wrong) is None
    assert player_in(room_gid(room)) is None


def test_a_code_is_read_as_people_type_it() -> None:
    assert plain_code(" xq-kb 8e") == "XQKB8E"
    for wrong in ("", "XQKB8", "XQKB80", "XQKB8EE", "x" * 1_000_000, "\ud800" * 6):
        assert plain_code(wrong) is None


def test_times_are_utc_with_milliseconds() -> None:
    assert rfc3339(1_800_000_000_007) == "2027-01-15T08:00:00.007Z"
