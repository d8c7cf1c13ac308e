"""Compiled selections against graphql-core: the same bytes for every document, and its errors where there are any."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import itertools
import weakref
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from circolo_contracts.cardgames import (
    Category,
    DealScore,
    Declaration,
    Declarer,
    GameHappening,
    LegalMove,
    MatchResult,
    MatchView,
    PlayedCard,
    SeatState,
    TablePlay,
)
from circolo_contracts.cards import Card
from circolo_contracts.expulsion import ExpulsionVotes
from circolo_contracts.ids import GameId, RoomId
from circolo_contracts.rematch import RematchView
from circolo_contracts.rooms import MemberView, RoomHappening, RoomView, SeatView
from circolo_contracts.solitaire import Base, PyramidPlace, SolitaireHappening, SolitaireMove, SolitaireView
from circolo_gateway.schema import room as room_module
from circolo_gateway.schema.games import GameUpdate, game_update
from circolo_gateway.schema.room import RoomUpdate, room_update
from circolo_gateway.streams.update import Update
from circolo_gateway.streams.watch import GameAddress, Requested
from circolo_gateway.transport.errors import encode
from circolo_gateway.transport.leaves import NotPlain
from circolo_gateway.transport.saying import Constant, Part, sayer
from gateway_oracle import DOCUMENTS, EXECUTION, both, valid_document
from msgspec import Raw

AT = GameAddress("cardgames", "match-" + "a" * 32, RoomId("b" * 32), GameId("a" * 32))
AT_PATIENCE = GameAddress("cardgames", "solitaire-" + "a" * 32, RoomId("b" * 32), GameId("a" * 32), own_views=False)


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
    match(status="ENDED", ranked=True,
          result=MatchResult(outcome="ABANDONED", winner=1, abandoned_by=0, reason="TIMEOUT")),
    match(status="ENDED", result=MatchResult(outcome="TIED"), deals=[DealScore(1, [60, 60])]),
    match(game="SCOPA", settings={"players": 2}, trick=[], table=[Card("4S"), Card("3B"), Card("7C")], seat=1, turn=1,
          seats=[SeatState(3, 8, 0, 0, player="1" * 32, sweeps=[Card("2D")]), SeatState(2, 0, 1, 1, sweeps=[])],
          last_play=TablePlay([Card("2C")], Card("2D"), 0, True), hand=[Card("7D"), Card("10C")],
          legal_moves=[LegalMove(Card("7D"), [[Card("7C")], [Card("4S"), Card("3B")]]), LegalMove(Card("10C"))],
          deals=[DealScore(1, [3, 1], 0, [Category("CARDS", [1, 0], [25, 15]), Category("SWEEPS", [2, 1])])]),
    match(game="TRESSETTE", settings={"players": 2, "declarations": True}, seat=0, hand=[Card("1D")],
          declarable=[Declaration("NAPOLETANA", 3, suit="D"), Declaration("BUONGIOCO", 3, rank=3, suit="C")],
          declared=[Declarer(Declaration("BUONGIOCO", 4, rank=1), 1)],
          drawn=[PlayedCard(Card("5D"), 0), PlayedCard(Card("6D"), 1)]),
]  # fmt: skip
HAPPENED = [
    GameHappening(11, "CardPlayed", card=Card("7D"), cards=[Card("7C")], seat=1, sweep=True),
    GameHappening(11, "CardPlayed", card=Card("7D"), cards=[], seat=1),
    GameHappening(11, "Declared", declaration=Declaration("NAPOLETANA", 3, suit="D"), seat=1, team=1),
    GameHappening(12, "TrickEnded", seat=1, team=1, points=[11]),
    GameHappening(12, "HandsDealt"),
    GameHappening(12, "SomethingNew"),
]


def patience(**more: Any) -> SolitaireView:
    plain: dict[str, Any] = {
        "bases": [], "columns": [], "commitment": "c" * 64, "game": "SOLITARIO", "game_id": "a" * 32,
        "legal_moves": [], "player": "1" * 32, "pyramid": [], "redeals_left": 2, "removed_count": 3, "room": "b" * 32,
        "settings": {"game": "PIRAMIDE", "redeals": 2}, "started_at": 1_800_000_000_123, "status": "RUNNING",
        "stock_count": 12, "version": 12, "waste": [Card("7D"), Card("1C")], "waste_count": 5,
    }  # fmt: skip
    return SolitaireView(**{**plain, **more})


PATIENCES = [
    patience(pyramid=[[PyramidPlace("COVERED")], [PyramidPlace("FREE", Card("7S")), PyramidPlace("EMPTY")]],
             legal_moves=[SolitaireMove("REMOVE", [Card("7S"), Card("3D")]), SolitaireMove("TURN")]),
    patience(settings={"game": "ANONIMO"}, columns=[[Card("7S"), Card("6D")], [], [], []],
             bases=[Base(1, "D"), Base(0, "C"), Base(0, "S"), Base(0, "B")],
             legal_moves=[SolitaireMove("MOVE", [Card("6D")], 0), SolitaireMove("MOVE", [Card("1C")])]),
    patience(status="ENDED", seed="d" * 64, result=MatchResult(outcome="BLOCKED")),
    patience(status="ENDED", player="", result=MatchResult(outcome="CANCELLED")),
]  # fmt: skip
HAPPENED_THERE = [
    SolitaireHappening(11, "CardsRemoved", cards=[Card("7D"), Card("3D")], revealed=[Card("1D")]),
    SolitaireHappening(12, "CardMoved", cards=[Card("7D")], to=0),
    SolitaireHappening(12, "StockTurned", cards=[Card("1D")], to_base=True),
    SolitaireHappening(12, "SomethingNew"),
]


def updates() -> Iterator[GameUpdate]:
    games: list[tuple[list[Any], list[Any], GameAddress, str]] = [
        (VIEWS, HAPPENED, AT, "BRISCOLA"), (PATIENCES, HAPPENED_THERE, AT_PATIENCE, "SOLITARIO"),
    ]  # fmt: skip
    for views, told, at, kind in games:
        happened = [Raw(msgspec.json.encode(h)) for h in told]
        for view in views:
            yield game_update(Update(10, 12, False, happened, Raw(msgspec.json.encode(view))), at)
        starting = Update(0, 0, True, (), Raw(b""))
        starting.decoded = Requested(kind)
        yield game_update(starting, at)


def room_updates() -> Iterator[RoomUpdate]:
    plain: dict[str, Any] = {
        "code": "ABCDEF", "created_at": 1_800_000_000_123, "game": "BRISCOLA", "game_no": 1, "host": "1" * 32,
        "members": [MemberView(True, "1" * 32, False), MemberView(False, "2" * 32, True)], "phase": "LOBBY",
        "room": "b" * 32, "seats": [SeatView(0, 0, player="1" * 32), SeatView(1, 1, cpu="HARD")],
        "settings": {"players": 2}, "version": 7, "visibility": "PUBLIC",
    }  # fmt: skip
    told = [RoomHappening(7, "PlayerJoined", player="2" * 32), RoomHappening(7, "CpuSeated", seat=1),
            RoomHappening(7, "ExpulsionVoted", in_favour=False, player="2" * 32, voter="1" * 32),
            RoomHappening(7, "SomethingNew")]  # fmt: skip
    happened = [Raw(msgspec.json.encode(each)) for each in told]
    for more in (
        {},
        {"phase": "PLAYING", "game_id": "a" * 32, "ranked": True, "votes": [ExpulsionVotes(["1" * 32], "2" * 32)]},
        {"game_id": "a" * 32, "rematch": RematchView(["1" * 32, "2" * 32], "1" * 32)},
        {"expires_at": 1_800_000_030_000, "game_no": 2, "game_id": "a" * 32, "latest_game": "SOLITARIO"},
    ):
        view = RoomView(**{**plain, **more})
        yield room_update(Update(6, 7, False, happened, Raw(msgspec.json.encode(view))))


@pytest.mark.parametrize("seed", range(150))
def test_a_plan_gives_the_same_bytes_as_graphql_core(seed: int) -> None:
    text = valid_document(seed)
    for payload in updates():
        rendered, expected = both(text, payload)
        assert rendered == expected, text


@pytest.mark.parametrize("seed", range(100))
def test_a_plan_of_a_room_gives_the_same_bytes_as_graphql_core(seed: int) -> None:
    text = valid_document(seed, "room", "RoomUpdate")
    for payload in room_updates():
        rendered, expected = both(text, payload)
        assert rendered == expected, text


WHOLE_GAME = """subscription { game(id: "x") { __typename version reset
  happened { __typename atVersion kind seat
    ... on CardGameEvent { card cards sweep points team declaration { kind rank suit } }
    ... on SolitaireEvent { cards revealed to toBase } }
  game { id kind version status startedAt deadline ranked result { outcome winner abandonedBy reason }
    ... on CardGame { commitment seed seat hand dealer dealNo turn trump trumpCard stockCount table lastTrickWinner
      score settings { ... on BriscolaSettings { players bestOf onTimeout } }
      seats { seat team player { id } cpu handCount pileCount sweeps } lastPlay { card seat captured sweep }
      declarable { kind points rank suit } declared { seat declaration { kind suit } } drawn { seat card }
      legalMoves { card captures } trick { seat card } lastTrick { card seat }
      deals { dealNo points winner sheet { name points amounts } } }
    ... on Solitaire { commitment seed player { id } settings { ... on SolitarioSettings { game redeals } }
      pyramid { state card } columns bases { suit count } waste wasteCount stockCount redealsLeft removedCount
      legalMoves { kind cards to } } } } }"""
WHOLE_ROOM = """subscription { room(id: "x") {
  version reset happened { atVersion kind player { id } seat voter { id } inFavour }
  room { id code visibility phase version host { id } members { player { id } connected spectator }
    seats { seat team player { id } cpu } gameKind gameNo gameId settings { ... on BriscolaSettings { bestOf } }
    createdAt expiresAt
    ranked votes { target { id } inFavour { id } } rematch { offeredBy { id } accepted { id } } } } }"""


@pytest.mark.parametrize("text", [WHOLE_GAME, WHOLE_ROOM])
def test_everything_plain_is_read_from_the_owners_json(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    payloads: list[GameUpdate | RoomUpdate] = [each for each in (*updates(), *room_updates()) if each.version > 0]
    payloads = [update for update in payloads if isinstance(update, GameUpdate) == (text is WHOLE_GAME)]
    expected = [both(text, payload)[1] for payload in payloads]
    monkeypatch.setattr(room_module, "_event", None)
    monkeypatch.setattr(room_module, "shown_room", None)
    for payload in payloads:
        if isinstance(payload, GameUpdate):
            payload.of = dataclasses.replace(payload.of, from_view=None, from_happening=None)  # type: ignore[arg-type]
    render = EXECUTION.renderer(DOCUMENTS.get(text).select(None))
    assert render is not None
    for payload, answer in zip(payloads, expected, strict=True):
        payload.rendered.clear()
        assert render(payload) == answer


def test_a_document_for_one_kind_of_game_is_answered_for_the_other() -> None:
    text = (
        'subscription { game(id: "x") { game { ... on CardGame { hand } } happened { ... on SolitaireEvent { to } } } }'
    )
    for payload in updates():
        rendered, expected = both(text, payload)
        assert rendered == expected


@pytest.mark.parametrize("wrong", [{"stock_count": 2**31}, {"score": ["one"]}, {"status": "PAUSED"}, {"turn": 1.5}])
def test_json_that_does_not_fit_the_schema_is_left_to_graphql_core(wrong: dict[str, Any]) -> None:
    view = {**msgspec.json.decode(msgspec.json.encode(VIEWS[1])), **wrong}
    payload = game_update(Update(10, 12, False, (), Raw(msgspec.json.encode(view))), AT)
    render = EXECUTION.renderer(DOCUMENTS.get(WHOLE_GAME).select(None))
    assert render is not None
    with contextlib.suppress(msgspec.ValidationError):  # as whoever makes the object meets it: an error of ours
        assert render(payload) is None


def test_a_client_may_call_a_field_by_any_name() -> None:
    text = """subscription { game(id: "x") { class: version None: reset value: __typename said: version only: version
      f2: happened { f0: kind lambda: __typename import: seat } game { self: status _: __typename
      ... on CardGame { f1: hand } } } }"""
    for payload in updates():
        rendered, expected = both(text, payload)
        assert rendered == expected


def test_an_answer_beside_a_lone_surrogate_is_still_json() -> None:
    said = sayer({"seat": Part(("seat",)), "kind": Constant("TRICK_ENDED")})
    body = encode({"data": said(HAPPENED[3]), "errors": ["\ud800"]})
    assert body == b'{"data":{"seat":1,"kind":"TRICK_ENDED"},"errors":["\\ud800"]}'


def test_an_object_of_another_type_is_not_plain() -> None:
    say = sayer({"seat": Part(("seat",))}, GameHappening)
    with pytest.raises(NotPlain):
        say(SeatState(3, 0, 0, 0))


def test_the_same_question_of_the_same_update_is_answered_once() -> None:
    payload = next(updates())
    operation = DOCUMENTS.get('subscription { game(id: "x") { version } }').select(None)
    for_one, for_another = EXECUTION.renderer(operation), EXECUTION.renderer(operation)
    assert for_one is not None
    assert for_another is not None
    first = for_one(payload)
    assert first == b'{"data":{"game":{"version":12}}}'
    assert for_another(payload) is first


@pytest.mark.parametrize(
    "text",
    [
        'subscription { game(id: "x") { game { room { id } } } }',
        'subscription { game(id: "x") { game { ... on CardGame { seats { player { name } } } } } }',
        'subscription($yes: Boolean = true) { game(id: "x") { version @include(if: $yes) } }',
    ],
)
def test_what_is_not_plain_is_left_to_graphql_core(text: str) -> None:
    assert EXECUTION.renderer(DOCUMENTS.get(text).select(None)) is None


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


def test_a_step_that_was_shown_is_gone_with_its_last_reader() -> None:
    texts = {
        GameUpdate: "subscription { game(id: 1) { version happened { __typename } game { id } } }",
        RoomUpdate: "subscription { room(id: 1) { version happened { __typename } room { id } } }",
    }
    payload: GameUpdate | RoomUpdate
    gc.collect()
    gc.disable()  # what dies now does so by itself
    try:
        kept = []
        for payload in itertools.chain(updates(), room_updates()):
            render = EXECUTION.renderer(DOCUMENTS.get(texts[type(payload)]).select(None))
            assert render is not None
            kept.append((weakref.ref(payload), render(payload)))
        del payload
        assert len(kept) > 10 and all(rendered is not None for _, rendered in kept[-4:])
        assert {shown() for shown, _ in kept} == {None}
    finally:
        gc.enable()
