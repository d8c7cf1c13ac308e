"""The schema is a promise: its text is kept, nothing in it breaks, and its lists are those of the contracts."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from circolo_contracts import (
    cardgames,
    direction,
    ledger,
    questions,
    rooms,
    solitaire,
    talk,
    tombola,
    trivia,
    trivia_view,
)
from circolo_contracts.games import CATALOGUE, SOLITARIO
from circolo_contracts.ids import GameId, RoomId, global_id
from circolo_gateway.records import leaderboard
from circolo_gateway.schema import bank, enums
from circolo_gateway.schema import tombola as board
from circolo_gateway.schema import trivia as night
from circolo_gateway.schema.build import build_schema, sdl
from circolo_gateway.schema.catalogue import catalogue
from circolo_gateway.schema.node import game_gid, game_in, player_gid, player_in, room_gid, room_in
from circolo_gateway.schema.query import plain_code
from circolo_gateway.schema.scalars import rfc3339
from circolo_gateway.schema.settings import shown_settings
from circolo_gateway.streams.watch import GameAddress
from graphql import (
    GraphQLSchema,
    find_breaking_changes,
    get_named_type,
    is_abstract_type,
    is_leaf_type,
    parse,
    validate,
    validate_schema,
)
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
    assert names(enums.DeclarationKind) == list(get_args(get_type_hints(cardgames.Declaration)["kind"]))
    assert names(enums.AbandonReason) == list(get_args(rooms.AbandonReason))
    assert names(enums.Channel) == list(get_args(talk.Channel))
    assert names(enums.ReportReason) == list(get_args(direction.Reason))
    assert names(enums.Role) == list(get_args(direction.Role))
    assert names(enums.Verdict) == list(get_args(direction.Verdict))
    assert names(enums.LedgerRule) == [*get_args(ledger.Rule), "REVERSED"]
    assert names(enums.ReversalReason) == list(get_args(ledger.ReversalReason))
    assert sorted(names(enums.Measure)) == sorted(get_args(leaderboard.Measure))
    assert {f"{account}" for account in (ledger.POT, ledger.PENALTIES)} == {
        kind.lower() for kind in names(enums.AccountKind) if kind != "PLAYER"
    }
    assert names(enums.PlaceState) == list(get_args(get_type_hints(solitaire.PyramidPlace)["state"]))
    assert names(enums.SolitaireMoveKind) == list(get_args(get_type_hints(solitaire.SolitaireMove)["kind"]))
    assert names(board.Prize) == list(tombola.PRIZES)
    assert names(board.Calling) == list(get_args(tombola.Calling))
    assert names(board.PauseReason) == list(get_args(tombola.PauseReason))
    assert names(night.TriviaMode) == list(get_args(trivia.TriviaMode))
    assert names(night.TriviaPhase) == list(get_args(trivia.TriviaPhase))
    assert names(night.CloseReason) == list(get_args(trivia.CloseReason))
    assert names(night.TriviaMove) == list(get_args(trivia_view.Doing))
    assert names(night.TileState) == list(get_args(get_type_hints(trivia_view.Tile)["state"]))
    assert names(bank.QuestionFormat) == list(get_args(questions.FileFormat))
    assert names(bank.RowProblem) == list(get_args(questions.RowProblem))
    for event in get_args(cardgames.MatchEvent | solitaire.SolitaireEvent | tombola.TombolaEvent | trivia.TriviaEvent):
        assert enums.game_event_kind(event.__name__) is not enums.GameEventKind.OTHER, event
    for event in get_args(rooms.RoomEvent):
        assert enums.room_event_kind(event.__name__) is not enums.RoomEventKind.OTHER, event


def test_every_mutation_takes_a_key_and_every_move_a_version(schema: GraphQLSchema) -> None:
    assert schema.mutation_type is not None
    keyless = {name for name, field in schema.mutation_type.fields.items() if "idempotencyKey" not in field.args}
    assert keyless == {"signInAsGuest", "refreshToken"}
    moves = {name for name, field in schema.mutation_type.fields.items() if "gameId" in field.args}
    cards = {"playCard", "declare", "removeCards", "moveCard", "turnStock", "abandonGame"}
    calls = {"drawNumber", "setCalling", "pauseCalling", "resumeCalling", "markNumber", "claimPrize", "claimAll"}
    answers = {"answerQuestion", "pickTile", "buzz", "stake", "nextQuestion", "skipQuestion", "closeQuestion"}
    assert moves == cards | calls | answers | {"actAsCaptain", "passControl"}
    for name in (*moves, "startGame", "takeSeat", "changeSettings", "voteToExpel", "acceptRematch"):
        assert "expectedVersion" in schema.mutation_type.fields[name].args


def test_a_rooms_game_is_exactly_one_of_the_catalogue(schema: GraphQLSchema) -> None:
    def errors(game: str) -> int:
        return len(validate(schema, parse(f"mutation {{ createRoom(input: {{game: {game}}}) {{ __typename }} }}")))

    assert errors("{briscola: {players: 4, bestOf: 3, onTimeout: ABANDON}}") == 0
    assert errors("{}") == 1
    assert errors("{briscola: null}") == 1
    assert errors("{briscola: {players: true}}") == 1
    assert errors("{ludo: {}}") >= 1
    assert errors("{scopa: {players: 4, target: 16, finalSweep: NOT_IN_LAST_HAND}}") == 0
    assert errors("{scoponeNove: {finalSweep: NOT_IN_LAST_HAND}}") == 1
    assert errors("{scopaDassi: {preset: PORTAL}}") == 0
    assert errors("{tressette: {declarations: false}}") == 0
    assert errors("{solitario: {game: ANONIMO, redeals: 3}}") == 0
    assert errors("{solitario: {}, scopa: {}}") == 1
    assert errors("{tombola: {calling: AUTOMATIC, everySeconds: 5, claimRule: FIRST_CLAIM}}") == 0
    assert errors("{tombola: {calling: SOMETIMES}}") == 1
    assert errors("{trivia: {mode: TUTTO_O_NIENTE, teams: 3, themeArte: false}}") == 0


def test_one_document_can_ask_everything_of_every_kind_of_game(schema: GraphQLSchema) -> None:
    """What types of one interface call by the same name has the same shape; else a frontend had to rename it."""

    def selection(of: Any, depth: int) -> str:
        named = get_named_type(of)
        if is_leaf_type(named):
            return ""
        if not depth or is_abstract_type(named):
            return "{ __typename }"
        wanted = (f"{name} {selection(field.type, depth - 1)}" for name, field in named.fields.items())
        return f"{{ {' '.join(wanted)} }}"

    for interface, field in (("Game", "game"), ("GameEvent", "happened")):
        parts = [f"... on {of.name} {selection(of, 4)}" for of in schema.get_possible_types(schema.type_map[interface])]
        assert len(parts) == 4
        text = f'subscription {{ game(id: "x") {{ {field} {{ {" ".join(parts)} }} }} }}'
        assert [error.message for error in validate(schema, parse(text))] == []


def test_the_catalogue_says_all_that_a_form_needs() -> None:
    games = {game.kind.value: game for game in catalogue()}
    assert list(games) == list(CATALOGUE)
    for kind, game in CATALOGUE.items():
        shown = games[kind]
        assert (shown.seats, shown.team_seats, shown.cpu) == (list(game.seats), list(game.team_seats), game.cpu)
        assert shown.least_people == game.least_people
        assert [setting.name for setting in shown.settings] == [setting.name for setting in game.settings]
    declarations = next(s for s in games["TRESSETTE"].settings if s.name == "declarations")
    assert (declarations.kind, declarations.default, declarations.depends_on) == ("bool", "true", "players")
    assert [(each.when, each.default) for each in declarations.default_for] == [("2", "false")]
    sweep = next(s for s in games["SCOPONE_DIECI"].settings if s.name == "finalSweep")
    assert (sweep.type, sweep.choices, sweep.depends_on) == ("FinalSweepOfOneHand", ["NEVER", "COUNTS"], None)


def test_a_default_that_depends_on_another_setting_follows_it() -> None:
    shown: Any = shown_settings("TRESSETTE", {"players": 2})
    assert (shown.declarations, shown.target) == (False, 21)
    shown = shown_settings("TRESSETTE", {"players": 2, "declarations": True})
    assert (shown.declarations, shown.target) == (True, 31)


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
    patience = game_in(game_gid(SOLITARIO.kind, game, room))
    assert patience == GameAddress("cardgames", f"solitaire-{game}", RoomId(room), GameId(game), own_views=False)
    assert game_in(global_id("CardGame", f"solitaire-{game}", RoomId(room))) is None, "a type with another's stream"
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


def test_every_list_is_a_connection_whose_pages_have_an_end(schema: GraphQLSchema) -> None:
    for of in schema.type_map.values():
        for name, field in getattr(of, "fields", {}).items():
            if get_named_type(field.type).name.endswith("Connection"):
                assert {"first", "after"} <= set(field.args), name
