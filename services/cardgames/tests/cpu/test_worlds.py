"""The worlds that a CPU imagines: all that fit what its seat has seen, each as often as the others."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import permutations

import pytest
from circolo_cardgames import conformance
from circolo_cardgames.cpu.worlds import Worlds
from circolo_cardgames.games import GAMES
from circolo_cardgames.games.deal import Deal
from circolo_cardgames.games.playout import NUMBER_OF
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight
from circolo_contracts.cards import DECK, Card
from circolo_contracts.games import SettingValue
from msgspec.structs import replace

Settings = Mapping[str, SettingValue]
See = Callable[..., Sight]
Sights = Callable[..., Iterator[tuple[Sight, Deal]]]
Table = Callable[..., Rehearsal]
TABLES = [
    pytest.param(kind, settings, id=conformance.label(kind, settings))
    for kind in GAMES
    for settings in conformance.presets(kind)
]


@pytest.mark.parametrize(("kind", "settings"), TABLES)
def test_every_world_has_the_forty_cards_and_what_the_seat_has_seen(
    kind: str, settings: Settings, sights: Sights
) -> None:
    for seen, deal in sights(kind, settings, 3):
        excluded = GAMES[kind].excluded(seen)
        worlds = Worlds(seen, excluded, random.Random(1))
        assert worlds.count >= 1
        for _ in range(5):
            world = worlds.draw()
            hidden = [*world.stock, *world.aside, *(card for hand in world.hands for card in hand)]
            shown = [
                *deal.table,
                *(played.card for played in deal.trick),
                *(card for pile in deal.piles for card in pile),
            ]
            assert sorted(hidden + [NUMBER_OF[card] for card in shown]) == list(range(40))
            assert [len(hand) for hand in world.hands] == [len(hand) for hand in deal.hands]
            assert (len(world.stock), len(world.aside)) == (len(deal.stock), len(deal.aside))
            assert list(world.hands[seen.seat]) == [NUMBER_OF[card] for card in deal.hands[seen.seat]]
            for seat, hand in enumerate(seen.deal.hands):
                assert {NUMBER_OF[card] for card in hand} <= set(world.hands[seat]), "what was shown stays where it is"
                assert not {DECK[number] for number in world.hands[seat]} & excluded[seat]


@pytest.mark.parametrize(("kind", "settings"), TABLES)
def test_the_truth_is_one_of_the_worlds(kind: str, settings: Settings, sights: Sights) -> None:
    for seed_no in range(3):
        for seen, deal in sights(kind, settings, seed_no):
            excluded = GAMES[kind].excluded(seen)
            for seat, hand in enumerate(deal.hands):
                assert not set(hand) & excluded[seat], "a seat is said not to hold what it holds"


def test_the_exposed_trump_is_drawn_last_in_every_world(sights: Sights) -> None:
    seen, deal = next(sights("BRISCOLA", {"players": 4}, 1))
    assert deal.trump_card is not None
    worlds = Worlds(seen, [frozenset()] * 4, random.Random(1))
    assert {worlds.draw().stock[-1] for _ in range(50)} == {NUMBER_OF[deal.trump_card]}


def six_hidden(table: Table) -> tuple[Sight, list[Card]]:
    """Six cards nobody has shown: two with seat 1, one with seat 2, one with seat 3, one in the stock, one aside."""
    playing = table("BRISCOLA", {"players": 4}, 1)
    seen = playing.sight(playing.state.turn)
    assert seen.seat == playing.state.turn
    hidden = list(DECK[:6])
    own = tuple(DECK[6:9])
    hands = tuple(own if seat == seen.seat else () for seat in range(4))
    counts = dict(zip(others(seen), (2, 1, 1), strict=True))
    deal = replace(seen.deal, hands=hands, piles=(tuple(DECK[9:]), (), (), ()), stock=(), trump_card=None)
    seats = [replace(seat, hand_count=counts.get(seat.seat, 3)) for seat in seen.view.seats]
    return replace(seen, deal=deal, view=replace(seen.view, seats=seats, stock_count=1)), hidden


def others(seen: Sight) -> list[int]:
    return [seat for seat in range(4) if seat != seen.seat]


@pytest.mark.parametrize("forbidden", [{}, {0: (0,), 1: (0, 1)}, {0: (0, 1, 2), 1: (3,), 2: (0, 4)}])
def test_every_world_that_fits_is_as_likely_as_any_other(table: Table, forbidden: dict[int, tuple[int, ...]]) -> None:
    """Chi-square over all of them, by counting them one by one; four standard deviations are allowed."""
    seen, hidden = six_hidden(table)
    excluded = [frozenset[Card]()] * 4
    for place, numbers in forbidden.items():
        excluded[others(seen)[place]] = frozenset(hidden[number] for number in numbers)
    first, second, third = others(seen)
    fitting = {
        (frozenset(order[:2]), order[2], order[3], order[4], order[5])
        for order in permutations(range(6))
        if not {hidden[n] for n in order[:2]} & excluded[first]
        and hidden[order[2]] not in excluded[second]
        and hidden[order[3]] not in excluded[third]
    }
    worlds = Worlds(seen, excluded, random.Random(5))
    assert worlds.count == len(fitting)
    draws = 40 * len(fitting)
    found: Counter[object] = Counter()
    for _ in range(draws):
        world = worlds.draw()
        key = (
            frozenset(world.hands[first]),
            world.hands[second][0],
            world.hands[third][0],
            world.stock[0],
            world.aside[0],
        )
        found[key] += 1
    assert set(found) <= fitting
    expected = draws / len(fitting)
    chi_square = sum((found[key] - expected) ** 2 / expected for key in fitting)
    freedom = len(fitting) - 1
    assert abs(chi_square - freedom) < 4 * (2 * freedom) ** 0.5


def test_the_stock_comes_in_every_order(sights: Sights) -> None:
    seen, _ = next(sights("BRISCOLA", {"players": 2}, 2))
    worlds = Worlds(seen, [frozenset()] * 2, random.Random(1))
    tops = Counter(worlds.draw().stock[0] for _ in range(3600))
    assert len(tops) == 36
    assert sum((count - 100) ** 2 / 100 for count in tops.values()) < 35 + 4 * 70**0.5


def test_what_contradicts_itself_still_gives_worlds(sights: Sights) -> None:
    seen, _ = next(sights("BRISCOLA", {"players": 4}, 1))
    worlds = Worlds(seen, [frozenset(DECK)] * 4, random.Random(1))
    assert [len(hand) for hand in worlds.draw().hands] == [3, 3, 3, 3]


def test_at_the_end_of_a_game_of_two_there_is_one_world(briscola_end: See) -> None:
    seen = briscola_end("1D 2C 3S", "4B 5B 6B", won="1C 3C")
    assert Worlds(seen, [frozenset()] * 2, random.Random(1)).count == 1
