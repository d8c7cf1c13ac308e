"""A fast playout is held against the rules of its game, card by card."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

import pytest
from circolo_cardgames import conformance
from circolo_cardgames.cpu.by_rules import ByRules
from circolo_cardgames.games import GAMES
from circolo_cardgames.games.deal import NOBODY, Deal
from circolo_cardgames.games.playout import World
from circolo_cardgames.sight import Sight
from circolo_contracts.games import SettingValue

FAST = {kind: game.playout for kind, game in GAMES.items() if game.playout is not None}
TABLES = [
    pytest.param(kind, settings, id=conformance.label(kind, settings))
    for kind in FAST
    for settings in conformance.presets(kind)
]
DEALS = 4
Settings = Mapping[str, SettingValue]
Sights = Callable[..., Iterator[tuple[Sight, Deal]]]
Really = Callable[[Deal], World]
every_table = pytest.mark.parametrize(("kind", "settings"), TABLES)


def test_briscola_is_played_fast() -> None:
    assert "BRISCOLA" in FAST


@every_table
def test_in_thought_the_same_moves_captures_and_points_as_by_the_rules(
    kind: str, settings: Settings, sights: Sights, really: Really
) -> None:
    """Started anywhere in a deal, played on at random to its end."""
    whim = random.Random(7)
    for seed_no in range(DEALS):
        for seen, deal in sights(kind, settings, seed_no):
            fast, slow = FAST[kind](seen, really(deal)), ByRules(deal, seen.rules, _teams(seen))
            while slow.turn != NOBODY:
                assert fast.turn == slow.turn
                assert fast.left() == slow.left()
                assert sorted(fast.moves()) == sorted(slow.moves())
                move = whim.choice(slow.moves())
                fast, before = fast.copy(), fast
                fast.play(move)
                assert before.turn == slow.turn, "a copy is another one"
                slow.play(move)
                if whim.random() < 0.7:
                    continue
                break
            else:
                assert fast.turn == NOBODY
                assert fast.points() == slow.points()


@every_table
def test_a_deal_in_thought_is_played_to_its_end(kind: str, settings: Settings, sights: Sights, really: Really) -> None:
    whim = random.Random(8)
    for seed_no in range(DEALS):
        for seen, deal in sights(kind, settings, seed_no):
            fast = FAST[kind](seen, really(deal))
            fast.finish(whim.random)
            assert (fast.turn, fast.left(), len(fast.moves())) == (NOBODY, 0, 0)
            assert len(fast.points()) == len(set(_teams(seen)))


@every_table
def test_a_deal_in_thought_ends_with_points_that_the_rules_would_count(
    kind: str, settings: Settings, sights: Sights, really: Really
) -> None:
    """The sensible playing on has its own loop: each of its cards is a legal one, and the points are theirs."""
    for seed_no in range(DEALS):
        for number, (seen, deal) in enumerate(sights(kind, settings, seed_no)):
            if number % 5:
                continue
            script = random.Random(seed_no)
            finished = FAST[kind](seen, really(deal))
            finished.finish(script.random)
            assert _reachable(ByRules(deal, seen.rules, _teams(seen)), finished.points())


def _reachable(slow: ByRules, points: tuple[int, ...]) -> bool:
    """With few cards left every end is looked at; with many, only whether the points add up."""
    if slow.left() > 6:
        other = slow.copy()
        other.finish(random.Random(1).random)
        return len(points) == len(other.points())
    if slow.turn == NOBODY:
        return slow.points() == points
    for move in slow.moves():
        after = slow.copy()
        after.play(move)
        if _reachable(after, points):
            return True
    return False


def _teams(seen: Sight) -> list[int]:
    return [seat.team for seat in seen.view.seats]
