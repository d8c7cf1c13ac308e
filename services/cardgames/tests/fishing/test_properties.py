"""Whatever is played: nothing is lost, nothing hangs, and the points are those of the game."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from circolo_cardgames.fishing.rules import Fishing
from circolo_cardgames.games.deal import NOBODY, Deal, Move
from circolo_cardgames.games.scopa.rules import Scopa
from circolo_cardgames.games.scopa_dassi.rules import ScopaDassi
from circolo_cardgames.games.scopone_dieci.rules import ScoponeDieci
from circolo_cardgames.games.scopone_nove.rules import ScoponeNove
from circolo_contracts.cardgames import CardPlayed
from circolo_contracts.cards import DECK
from circolo_contracts.refusals import RefusalCode
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

TABLES: dict[str, tuple[Fishing, int, int]] = {
    "scopa for two": (Scopa(), 2, 36),
    "scopa for four": (Scopa(final_sweep="COUNTS"), 4, 36),
    "scopa without scope in the last hand": (Scopa(final_sweep="NOT_IN_LAST_HAND"), 2, 36),
    "scopa d'assi for two": (ScopaDassi(), 2, 36),
    "scopa d'assi for four": (ScopaDassi(), 4, 40),
    "portal for two": (ScopaDassi(ace_on_ace="ALL", ace_on_empty="OWN_PILE", vile=True), 2, 36),
    "portal for four": (ScopaDassi(ace_on_ace="ALL", ace_on_empty="OWN_PILE", vile=True), 4, 40),
    "every ace sweeps": (ScopaDassi(ace_on_ace="ALL", ace_sweep_is_scopa=True), 4, 40),
    "scopone nove": (ScoponeNove(), 4, 36),
    "scopone dieci": (ScoponeDieci(), 4, 40),
}
"""Rules, seats, plays in a deal."""
CHANCE = st.integers(0, 2**32).map(random.Random)
A_FEW = settings(max_examples=25, deadline=None)
AT_EVERY_TABLE = pytest.mark.parametrize("name", TABLES)


def positions(rules: Fishing, seats: int, chance: random.Random) -> Iterator[tuple[Deal, CardPlayed | None]]:
    """Every position of a random deal in which somebody is on turn, and the end; each with the play that led there."""
    deck = list(DECK)
    chance.shuffle(deck)
    deal = rules.deal(deck, chance.randrange(seats), seats)
    event = None
    while deal.turn != NOBODY:
        yield deal, event
        legal = chance.choice(rules.legal_moves(deal))
        move = Move(legal.card, deal.turn, tuple(chance.choice(legal.captures)) if legal.captures else None)
        assert rules.refusal(deal, move) is None
        event = rules.played(deal, move, 0)
        deal = rules.evolve(deal, event)
        while (following := rules.follows(deal)) is not None:
            deal = rules.evolve(deal, following)
    yield deal, event


@AT_EVERY_TABLE
@A_FEW
@given(chance=CHANCE)
def test_the_forty_cards_are_there_at_every_moment_and_any_play_comes_to_an_end(
    name: str, chance: random.Random
) -> None:
    rules, seats, plays = TABLES[name]
    seen = 0
    for deal, _ in positions(rules, seats, chance):
        assert sorted(deal.cards()) == sorted(DECK)
        assert len(deal.played) == seen
        assert rules.is_over(deal) == (deal.turn == NOBODY)
        seen += 1
    assert seen == plays + 1


@AT_EVERY_TABLE
@A_FEW
@given(chance=CHANCE)
def test_every_capture_is_an_option_and_every_other_set_is_refused(name: str, chance: random.Random) -> None:
    rules, seats, _ = TABLES[name]
    for deal, _ in positions(rules, seats, chance):
        legal = {move.card: move.captures for move in rules.legal_moves(deal)}
        for card in deal.hands[deal.turn] if deal.turn != NOBODY else ():
            options = [set(capture) for capture in legal.get(card, [])]
            some = tuple(chance.sample(deal.table, chance.randint(0, len(deal.table))))
            refusal = rules.refusal(deal, Move(card, deal.turn, some))
            if card not in legal:
                assert refusal is RefusalCode.CARD_NOT_ALLOWED
            elif options:
                assert (refusal is None) == (set(some) in options)
            else:
                assert (refusal is None) == (some == ())
            unnamed = rules.refusal(deal, Move(card, deal.turn))
            assert (unnamed is None) == (card in legal and len(options) <= 1)


@AT_EVERY_TABLE
@A_FEW
@given(chance=CHANCE)
def test_what_the_clock_plays_is_legal_in_every_position(name: str, chance: random.Random) -> None:
    rules, seats, _ = TABLES[name]
    for deal, _ in positions(rules, seats, chance):
        if deal.turn != NOBODY:
            move = rules.automatic(deal)
            assert move.seat == deal.turn
            assert rules.refusal(deal, move) is None


@AT_EVERY_TABLE
@A_FEW
@given(chance=CHANCE)
def test_a_scopa_leaves_an_empty_table_and_is_counted_once(name: str, chance: random.Random) -> None:
    rules, seats, plays = TABLES[name]
    made = [0] * seats
    for number, (deal, event) in enumerate(positions(rules, seats, chance)):
        if event is not None and event.sweep is not UNSET:
            made[event.seat] += 1
            assert event.sweep is True and event.captured
            assert deal.table == () or rules.is_over(deal)
            assert number < plays or rules.final_sweep == "COUNTS"
        assert [len(cards) for cards in deal.sweeps] == made


@AT_EVERY_TABLE
@A_FEW
@given(chance=CHANCE)
def test_the_points_of_a_deal_are_four_at_most_and_the_scope(name: str, chance: random.Random) -> None:
    rules, seats, _ = TABLES[name]
    teams = tuple(seat % 2 for seat in range(seats))
    *_, (deal, _) = positions(rules, seats, chance)
    count = rules.count(deal, teams)
    lines = {line.name: line for line in count.sheet}
    assert list(lines) == ["CARDS", "COINS", "SETTEBELLO", "PRIMIERA", "SWEEPS"]
    assert [sum(line.points[team] for line in count.sheet) for team in (0, 1)] == list(count.points)
    assert sum(count.points) <= 4 + sum(map(len, deal.sweeps))
    if not deal.table:
        assert sum(lines["CARDS"].amounts or []) == 40
        assert sum(lines["COINS"].amounts or []) == 10
        assert sum(lines["SETTEBELLO"].points) == 1
    ahead = count.points[0] - count.points[1]
    assert count.winner == (None if ahead == 0 else int(ahead < 0))
