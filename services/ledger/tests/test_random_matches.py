"""Ranked matches by chance, with leavers by chance: the decider's payments against the independent recomputation."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from circolo_ledger.schedules import load
from ranked_table import Match, balances, by_the_oracle, payments_of, random_match, some_id, sums

SHORT, LONG = 600, 20_000


def check(match: Match) -> Counter[str]:
    """Everything that must hold of one match; returns what it changes."""
    payments = payments_of(match)
    oracle = by_the_oracle(match)
    assert len({(payment.cause, payment.rule) for payment in payments}) == len(payments), "each rule once"
    assert {(payment.cause, payment.rule): dict(sums(payment.entries)) for payment in payments} == oracle
    for payment in payments:
        assert sum(entry.amount for entry in payment.entries) == 0
        assert all(type(entry.amount) is int and entry.amount for entry in payment.entries)
    changed = balances(payments)
    check_totals(match, changed)
    return changed


def check_totals(match: Match, changed: Counter[str]) -> None:
    """Sums that need no rule of payment: what a whole match hands out, what a fine is."""
    end = match.events[-1][1]
    outcome = getattr(end, "outcome", None)
    if match.started.ranked is not True:
        assert not changed
    elif outcome in ("WON", "TIED"):
        total = load().of(match.started.game, len(match.players)).total
        left_over = total + changed["pot"]
        assert 0 <= left_over <= (2 if match.started.game == "VINCIPERDI" else 0)
    elif outcome == "ABANDONED":
        assert changed["penalties"] == 70
    else:
        assert changed["penalties"] == 0


def play(seed: int, matches: int) -> None:
    source = random.Random(seed)
    people = [some_id(source) for _ in range(24)]
    total: Counter[str] = Counter()
    recomputed: Counter[str] = Counter()
    games: Counter[str] = Counter()
    for _ in range(matches):
        match = random_match(source, people)
        games[match.started.game] += 1
        total.update(check(match))
        for owed in by_the_oracle(match).values():
            recomputed.update(owed)
    assert total == recomputed
    assert sum(total.values()) == 0
    assert len(games) == 7


@pytest.mark.parametrize("seed", range(3))
def test_random_ranked_matches_pay_what_the_recomputation_says(seed: int) -> None:
    play(seed, SHORT // 3)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 105))
def test_thousands_of_random_ranked_matches_pay_what_the_recomputation_says(seed: int) -> None:
    play(seed, LONG // 5)
