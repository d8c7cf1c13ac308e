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
                assert fast.left() in (slow.left(), sum(map(len, slow.deal.hands)))
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
                assert fast.judged() == slow.judged()


@every_table
def test_playing_on_in_thought_ends_where_the_rules_could_end(
    kind: str, settings: Settings, sights: Sights, really: Really
) -> None:
    """The sensible playing on has a loop of its own, and may stop before the end: then it says what it expects."""
    whim = random.Random(8)
    for seed_no in range(DEALS):
        for seen, deal in sights(kind, settings, seed_no):
            fast = FAST[kind](seen, really(deal))
            points = fast.finish(whim.random)
            assert points == fast.judged()
            assert len(points) == len(set(_teams(seen)))
            if fast.turn == NOBODY:
                assert (fast.left(), list(fast.moves())) == (0, [])
                assert all(isinstance(each, int) for each in points)
                assert _may_end_so(ByRules(deal, seen.rules, _teams(seen)), points)


def _may_end_so(slow: ByRules, points: tuple[float, ...]) -> bool:
    """With few cards left every end is looked at."""
    if slow.left() > 5:
        return True
    if slow.turn == NOBODY:
        return slow.judged() == points
    for move in slow.moves():
        after = slow.copy()
        after.play(move)
        if _may_end_so(after, points):
            return True
    return False


def _teams(seen: Sight) -> list[int]:
    return [seat.team for seat in seen.view.seats]
