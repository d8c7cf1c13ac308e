"""Compiled selections against graphql-core: the same bytes for every document, and its errors where there are any."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from circolo_contracts.cardgames import (
    DealScore,
    GameHappening,
    LegalMove,
    MatchResult,
    MatchView,
    PlayedCard,
    SeatState,
)
from circolo_contracts.cards import Card
from circolo_contracts.ids import GameId, RoomId
from circolo_gateway.schema.build import build_schema
from circolo_gateway.schema.game import GameUpdate, game_update
from circolo_gateway.streams.update import Update
from circolo_gateway.streams.watch import GameAddress
from circolo_gateway.transport.documents import Documents
from circolo_gateway.transport.errors import encode_result
from circolo_gateway.transport.execution import Execution
from circolo_gateway.transport.plans import PlannedExecutor
from graphql import GraphQLEnumType, GraphQLObjectType, GraphQLScalarType, get_named_type
from graphql.execution import Executor
from msgspec import Raw

SCHEMA = build_schema()
DOCUMENTS = Documents(SCHEMA)
EXECUTION = Execution(SCHEMA)
AT = GameAddress("cardgames", "match-" + "a" * 32, RoomId("b" * 32), GameId("a" * 32))


def match(**more: Any) -> MatchView:
    plain: dict[str, Any] = {
        "commitment": "c" * 64, "deal_no": 1, "deals": [], "dealer": 0, "game": "BRISCOLA", "game_id": "a" * 32,
        "room": "b" * 32, "score": [0, 0], "seats": [
            SeatState(hand_count=3, pile_count=0, seat=0, team=0, player="1" * 32),
            SeatState(hand_count=3, pile_count=2, seat=1, team=1, cpu="MEDIUM"),
        ],
        "settings": {"players": 2, "bestOf": 1, "clockSeconds": 0, "onTimeout": "AUTOPLAY"},
        "started_at": 1_800_000_000_123, "status": "RUNNING", "stock_count": 28, "table": [],
        "trick": [PlayedCard(Card("7D"), 1)], "version": 12,
    }  # fmt: skip
    return MatchView(**{**plain, **more})


VIEWS = [
    match(),
    match(seat=0, hand=[Card("1D"), Card("10C")], legal_moves=[LegalMove(Card("1D"))], turn=0, trump="S",
          trump_card=Card("3S"), deadline=1_800_000_030_000, last_trick=[PlayedCard(Card("2C"), 0)],
          last_trick_winner=1),
    match(status="ENDED", seed="d" * 64, result=MatchResult(outcome="WON", winner=1),
          deals=[DealScore(1, [50, 70], 1)]),
    match(status="ENDED", result=MatchResult(outcome="TIED"), deals=[DealScore(1, [60, 60])]),
]  # fmt: skip
HAPPENED = [
    GameHappening(11, "CardPlayed", card=Card("7D"), seat=1),
    GameHappening(12, "TrickEnded", seat=1, team=1, points=[11]),
    GameHappening(12, "SomethingNew"),
]


def updates() -> Iterator[GameUpdate]:
    happened = [Raw(msgspec.json.encode(h)) for h in HAPPENED]
    for view in VIEWS:
        yield game_update(Update(10, 12, False, happened, Raw(msgspec.json.encode(view))), AT)
    starting = Update(0, 0, True, (), Raw(b""))
    starting.decoded = "BRISCOLA"
    yield game_update(starting, AT)


def selection(rng: random.Random, type_name: str, depth: int) -> str:
    """A random selection of plain fields, with aliases, fragments and repeated fields."""
    of: Any = SCHEMA.type_map[type_name]
    possible = [of] if isinstance(of, GraphQLObjectType) else SCHEMA.get_possible_types(of)
    parts: list[str] = []
    for _ in range(rng.randint(1, 6)):
        target = rng.choice(possible)
        parts.append(f"... on {target.name} {{ {field(rng, target, depth)} }}")
    if rng.random() < 0.5:
        parts.append("__typename")
    rng.shuffle(parts)
    return " ".join(parts)


def is_plain(of: Any) -> bool:
    base = getattr(of.extensions.get("strawberry-definition"), "base_resolver", None)
    return base is None or not (base.is_async or base.info_parameter or of.args)


def field(rng: random.Random, of: GraphQLObjectType, depth: int) -> str:
    names = [n for n, f in of.fields.items() if (depth or _is_leaf(f)) and is_plain(f)]
    name = rng.choice(names)
    alias = f"x{rng.randint(0, 999)}: " if rng.random() < 0.3 else ""
    named = get_named_type(of.fields[name].type)
    if isinstance(named, GraphQLScalarType | GraphQLEnumType):
        return f"{alias}{name}"
    return f"{alias}{name} {{ {selection(rng, named.name, depth - 1)} }}"


def _is_leaf(of: Any) -> bool:
    return isinstance(get_named_type(of.type), GraphQLScalarType | GraphQLEnumType)


def both(text: str, payload: GameUpdate) -> tuple[bytes | None, bytes]:
    """What the plan renders (None: it does not), and what graphql-core says."""
    document = DOCUMENTS.get(text)
    assert not document.errors, (text, document.errors)
    operation = document.select(None)
    prepared = EXECUTION.prepare(operation, {}, None)
    assert isinstance(prepared, PlannedExecutor)
    oracle: Any = Executor.build(SCHEMA, operation.document, context_value=None)
    payload.rendered.clear()
    expected = oracle.build_per_event_executor(payload).execute_operation(False)
    return prepared.render_event(payload), encode_result(expected)


def valid_document(seed: int) -> str:
    """Random, and valid: an alias that stands for two different fields is tried again."""
    rng = random.Random(seed)
    while True:
        text = f'subscription {{ game(id: "x") {{ {selection(rng, "GameUpdate", 3)} }} }}'
        if not DOCUMENTS.get(text).errors:
            return text


@pytest.mark.parametrize("seed", range(150))
def test_a_plan_gives_the_same_bytes_as_graphql_core(seed: int) -> None:
    text = valid_document(seed)
    for payload in updates():
        rendered, expected = both(text, payload)
        assert rendered == expected, text


def test_the_same_question_of_the_same_update_is_answered_once() -> None:
    payload = next(updates())
    prepared = EXECUTION.prepare(DOCUMENTS.get('subscription { game(id: "x") { version } }').select(None), {}, None)
    assert isinstance(prepared, PlannedExecutor)
    first = prepared.render_event(payload)
    assert first == b'{"data":{"game":{"version":12}}}'
    assert prepared.render_event(payload) is first


@pytest.mark.parametrize(
    "text",
    [
        'subscription { game(id: "x") { game { room { id } } } }',
        'subscription { game(id: "x") { game { ... on CardGame { seats { player { name } } } } } }',
        'subscription($yes: Boolean = true) { game(id: "x") { version @include(if: $yes) } }',
    ],
)
def test_what_is_not_plain_is_left_to_graphql_core(text: str) -> None:
    prepared = EXECUTION.prepare(DOCUMENTS.get(text).select(None), {}, None)
    assert isinstance(prepared, PlannedExecutor)
    assert prepared.render_event(next(updates())) is None


@pytest.mark.parametrize("bad", [None, "twelve", 2**40])
async def test_an_impossible_value_is_graphql_core_s_error(bad: Any) -> None:
    payload = next(updates())
    payload.version = bad
    text = 'subscription { game(id: "x") { version happened { kind } } }'
    rendered, expected = both(text, payload)
    assert rendered is None
    prepared = EXECUTION.prepare(DOCUMENTS.get(text).select(None), {}, None)
    assert not isinstance(prepared, list)
    answered = msgspec.json.decode(await EXECUTION.event(prepared, payload, None))
    assert answered["data"] is None
    assert answered["errors"][0]["path"] == msgspec.json.decode(expected)["errors"][0]["path"]
