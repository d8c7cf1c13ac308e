"""Two worlds that differ only in what lies face down look the same to everybody, to the byte, at every move."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from circolo_cardgames.registry import REGISTRY
from circolo_cardgames.solitaire.decider import Solitaire
from circolo_cardgames.solitaire.rehearsal import SolitaireRehearsal
from circolo_cardgames.solitaire.state import SolitaireState
from circolo_contracts.cards import DECK, Card
from circolo_contracts.solitaire import (
    CardMoved,
    CardsRemoved,
    MoveCard,
    RemoveCards,
    SolitaireEvent,
    SolitaireStarted,
    SolitaireView,
    StockTurned,
    TurnStock,
)
from circolo_events import canonical
from circolo_events.decider import PUBLIC, Viewer
from msgspec import UNSET
from msgspec.structs import replace

Lay = Callable[..., SolitaireRehearsal]
SOLITAIRE = Solitaire()
CARD = re.compile(r'"((?:10|[1-9])[DCSB])"')
VIEWERS = [PUBLIC, Viewer.of_seat(0, 0), Viewer(""), Viewer("tv"), Viewer("team-0", team=0)]
SETTINGS = [("PIRAMIDE", 0), ("PIRAMIDE", 3), ("ANONIMO", 0), ("ANONIMO", 2)]


def fold(events: Sequence[SolitaireEvent]) -> list[SolitaireState]:
    states = [SOLITAIRE.initial]
    for event in events:
        states.append(SOLITAIRE.evolve(states[-1], event))
    return states


def shown(events: Sequence[SolitaireEvent]) -> set[Card]:
    """Every card that has lain face up so far."""
    seen: set[Card] = set()
    for event in events:
        if isinstance(event, SolitaireStarted):
            seen.update(event.opened)
        elif isinstance(event, CardsRemoved):
            seen.update(event.revealed)
        elif isinstance(event, StockTurned):
            seen.add(event.card)
    return seen


def other_world(events: Sequence[SolitaireEvent], chance: random.Random) -> list[SolitaireEvent]:
    """Cards that nobody has seen exchanged among themselves, another seed, the same commitment."""
    hidden = [card for card in DECK if card not in shown(events)]
    mixed = hidden[:]
    chance.shuffle(mixed)
    other = dict(zip(hidden, mixed, strict=True))
    started = events[0]
    assert isinstance(started, SolitaireStarted)
    return [replace(started, seed="f" * 64, deck=[other.get(card, card) for card in started.deck]), *events[1:]]


def at_will(seed: int) -> Callable[[SolitaireView], Any]:
    chance = random.Random(seed)

    def choose(view: SolitaireView) -> Any:
        move = chance.choice(view.legal_moves)
        if move.kind == "TURN":
            return TurnStock()
        return RemoveCards(move.cards) if move.kind == "REMOVE" else MoveCard(move.cards[0], move.to)

    return choose


@pytest.fixture(params=SETTINGS, ids=lambda table: f"{table[0].lower()}-{table[1]}")
def played(request: pytest.FixtureRequest, lay: Lay) -> SolitaireRehearsal:
    game, redeals = request.param
    table = lay(game, redeals=redeals, seed_no=5)
    table.play_on(at_will(1))
    return table


def told(events: Sequence[SolitaireEvent], states: Sequence[SolitaireState], viewer: Viewer) -> bytes:
    return canonical.encode([SOLITAIRE.tell(e, states[n], states[n + 1], viewer) for n, e in enumerate(events)])


def test_cards_R12_two_worlds_look_the_same_at_every_move_to_everybody(played: SolitaireRehearsal) -> None:
    chance, different = random.Random(3), 0
    for version in range(1, len(played.events) - 1):
        events = played.events[:version]
        other = other_world(events, chance)
        here, there = fold(events), fold(other)
        different += here[-1].position != there[-1].position
        for viewer in VIEWERS:
            same = canonical.encode(SOLITAIRE.view(here[-1], viewer))
            assert same == canonical.encode(SOLITAIRE.view(there[-1], viewer))
            assert told(events, here, viewer) == told(other, there, viewer)
        assert SOLITAIRE.deadlines(here[-1]) == SOLITAIRE.deadlines(there[-1])
    assert different > 10, "the other worlds must be other worlds"


def test_cards_R12_nothing_that_is_shown_told_or_published_names_a_card_that_is_face_down(
    played: SolitaireRehearsal,
) -> None:
    states = fold(played.events)
    for version in range(1, len(played.events) - 1):
        events = played.events[:version]
        seen = shown(events)
        view = canonical.encode(SOLITAIRE.view(states[version], PUBLIC)).decode()
        happened = told(events, states[: version + 1], PUBLIC).decode()
        open_log = "".join(for_analysts(event) for event in events)
        for text in (view, happened, open_log):
            assert set(CARD.findall(text)) <= seen
            assert states[version].seed not in text


def for_analysts(event: SolitaireEvent) -> str:
    name, _, data = REGISTRY.encode(event)
    return REGISTRY.by_name[name].without_secrets(data).decode()


def test_a_card_that_is_refused_tells_nothing_of_where_it_lies(played: SolitaireRehearsal) -> None:
    chance = random.Random(4)
    for version in range(1, len(played.events) - 1, 3):
        events = played.events[:version]
        here, there = fold(events)[-1], fold(other_world(events, chance))[-1]
        rules = here.rules
        free = [*rules.free(here.lying()), *here.lying().waste[-1:]]
        for card in DECK:
            asked: list[RemoveCards | MoveCard] = [RemoveCards([card]), MoveCard(card), MoveCard(card, 1)]
            asked += [RemoveCards([card, other]) for other in free]
            for move in asked:
                assert rules.refusal(here.lying(), move) == rules.refusal(there.lying(), move)


def test_the_stocks_order_is_not_shown_even_when_everybody_has_seen_it_before(lay: Lay) -> None:
    table = lay("PIRAMIDE", redeals=1)
    table.play(*["T"] * 13)
    view = table.view()
    assert (view.stock_count, view.waste, view.waste_count, view.redeals_left) == (12, [], 0, 0)
    assert set(CARD.findall(canonical.encode(view).decode())) == set(table.events[0].opened)  # type: ignore[union-attr]


def test_the_seed_is_shown_after_the_end(played: SolitaireRehearsal) -> None:
    states = fold(played.events)
    assert all(SOLITAIRE.view(state, PUBLIC).seed is UNSET for state in states[1:-1])
    assert SOLITAIRE.view(states[-1], PUBLIC).seed == states[-1].seed


def test_what_a_view_says_of_a_pyramid(lay: Lay) -> None:
    view = lay("PIRAMIDE").view()
    assert [len(row) for row in view.pyramid] == [1, 2, 3, 4, 5, 6, 7]
    assert {place.state for row in view.pyramid[:6] for place in row} == {"COVERED"}
    assert all(place.card is UNSET for row in view.pyramid[:6] for place in row)
    assert all(place.state == "FREE" and place.card is not UNSET for place in view.pyramid[6])
    assert (view.stock_count, view.removed_count, view.columns, view.bases) == (12, 0, [], [])


def test_what_a_view_says_of_an_anonimo(lay: Lay) -> None:
    table = lay("ANONIMO")
    view = table.view()
    assert view.pyramid == []
    assert [base.suit for base in view.bases] == ["D", "C", "S", "B"]
    assert sum(map(len, view.columns)) + sum(base.count for base in view.bases) == 4
    assert view.stock_count == 36


def test_every_move_is_told_with_its_cards(played: SolitaireRehearsal) -> None:
    states = fold(played.events)
    for n, event in enumerate(played.events):
        (happening,) = SOLITAIRE.tell(event, states[n], states[n + 1], PUBLIC)
        assert (happening.kind, happening.at_version) == (type(event).__name__, n + 1)
        if isinstance(event, CardsRemoved):
            assert (happening.cards, happening.revealed) == (event.cards, event.revealed)
        if isinstance(event, (StockTurned, CardMoved)):
            assert happening.cards == [event.card]
        assert msgspec.json.encode(happening)
