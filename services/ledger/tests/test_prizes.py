"""Document 003 in the players' words, section by section; the ids are those of the rules' vectors (10j)."""

from __future__ import annotations

import pytest
from circolo_contracts.cardgames import DealEnded
from circolo_contracts.ledger import PENALTIES, POT
from circolo_ledger.prizes import Unpayable, deal_parts
from ranked_table import Match, balances, of_players, payments_of

A, B = 0, 1
X, V, Y, W = range(4)
"""Seats: X and Y are pair A, V and W pair B."""


def each(pair_a: int, pair_b: int) -> list[int]:
    return [pair_a, pair_b, pair_a, pair_b]


# ---------------------------------------------------------------- a deal's twelve


@pytest.mark.parametrize(
    ("vector", "points", "parts"),
    [
        ("K6", (0, 0), (6, 6)),
        ("K7", (5, 3), (8, 4)),
        ("K7 turned", (3, 5), (4, 8)),
        ("K8", (3, 2), (7, 5)),
        ("K9", (7, 0), (12, 0)),
        ("9.3", (3, 3), (6, 6)),
        ("9.2", (5, 2), (9, 3)),
        ("9.5", (1, 7), (1, 11)),
    ],
)
def test_a_deals_twelve_go_by_points_and_half_is_rounded_up_for_the_higher_pair(
    vector: str, points: tuple[int, int], parts: tuple[int, int]
) -> None:
    assert deal_parts(points, 12) == parts, vector


def test_the_two_parts_of_a_deal_are_always_twelve() -> None:
    for mine in range(30):
        for theirs in range(30):
            assert sum(deal_parts((mine, theirs), 12)) == 12
            assert deal_parts((mine, theirs), 12) == tuple(reversed(deal_parts((theirs, mine), 12)))


@pytest.mark.parametrize("points", [(3, -1), (1, 2, 3), (4,)])
def test_points_that_no_deal_can_have_are_not_paid(points: tuple[int, ...]) -> None:
    with pytest.raises(Unpayable):
        deal_parts(points, 12)


# ---------------------------------------------------------------- complete matches: 200 brilli


EXAMPLES = {
    "1": ([(4, 2), (3, 2), (5, 1), (4, 0)], A, each(79, 21)),
    "2": ([(5, 2), (6, 1), (5, 3)], A, each(81, 19)),
    "3": ([(4, 1), (3, 4), (2, 4), (3, 3), (4, 2)], A, each(63, 37)),
    "4": ([(3, 2), (2, 3), (4, 1), (1, 4), (3, 3), (3, 2)], A, each(60, 40)),
    "5": ([(3, 5), (1, 7), (2, 6)], B, each(18, 82)),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_complete_match_of_scopone_pays_as_in_worked_example(example: str) -> None:
    deals, winner, wanted = EXAMPLES[example]
    match = Match().played(*deals).won_by(winner)
    assert of_players(match) == wanted
    assert sum(wanted) == 200
    assert balances(payments_of(match))[POT] == -200


@pytest.mark.parametrize("deals", range(1, 10))
def test_a_complete_match_hands_out_200_whatever_its_length(deals: int) -> None:
    match = Match().played(*[(3 + n % 2, n % 4) for n in range(deals)]).won_by(A)
    assert sum(of_players(match)) == 200


def test_the_deals_that_a_short_match_did_not_need_go_to_the_winners_whole() -> None:
    paid = {payment.rule: payment for payment in payments_of(Match().deal(16, 0).won_by(A))}
    assert [entry.amount for entry in paid["UNPLAYED"].entries] == [48, 48, -96]


def test_K11_from_the_sixth_deal_on_only_the_match_is_played_for() -> None:
    match = Match().played(*[(2, 2)] * 5)
    before = payments_of(match)
    match.deal(9, 0)
    assert payments_of(match) == before
    assert [payment.rule for payment in payments_of(match.won_by(A))] == ["DEAL"] * 5 + ["MATCH"]


# ---------------------------------------------------------------- abandonment: the five points


SIX = [(3, 2), (2, 3), (4, 1), (1, 4), (3, 3)]
LEFT = {
    "a": ([], [-70, 12, 0, 12], -46),
    "b": ([(4, 2), (3, 2)], [-55, 21, 15, 21], 2),
    "c": ([(2, 4), (1, 4)], [-64, 30, 6, 30], 2),
    "d": ([(4, 1), (3, 4), (2, 4), (3, 3)], [-45, 35, 25, 35], 50),
    "e": (SIX, [-40, 30, 30, 30], 50),
}


@pytest.mark.parametrize("reason", ["LEFT", "TIMEOUT", "EXPELLED"])
@pytest.mark.parametrize("case", LEFT)
def test_K10_abandonment_however_it_came_about_pays_as_in_case(case: str, reason: str) -> None:
    deals, wanted, total = LEFT[case]
    match = Match().played(*deals).abandoned_by(X, reason)
    assert of_players(match) == wanted
    assert sum(wanted) == total
    after = balances(payments_of(match))
    assert (after[PENALTIES], sum(after.values())) == (70, 0)


def test_K10f_leaving_between_two_deals_counts_in_the_next_deal() -> None:
    """Nothing tells it from leaving in the third deal: two deals are over in both."""
    between = Match().played((4, 2), (3, 2)).abandoned_by(X)
    assert of_players(between) == LEFT["b"][1]
    after_the_fifth = Match().played(*SIX).abandoned_by(Y)
    assert of_players(after_the_fifth) == [30, 30, -40, 30]


def test_K10g_a_vote_that_is_not_unanimous_ends_nothing_and_pays_nothing() -> None:
    assert [payment.rule for payment in payments_of(Match().deal(3, 1))] == ["DEAL"]


def test_the_points_made_in_the_deal_that_was_left_do_not_count() -> None:
    paid = payments_of(Match().abandoned_by(W))
    assert {payment.rule for payment in paid} == {"DEAL", "PENALTY"}
    assert of_players(Match().abandoned_by(W)) == [12, 0, 12, -70]


def test_K12_a_second_leaver_of_the_same_match_is_not_fined() -> None:
    """The match ends once, by whoever left first; its log has one end."""
    match = Match().deal(4, 2).abandoned_by(X)
    assert balances(payments_of(match))[PENALTIES] == 70
    assert balances(payments_of(match))[f"player-{match.players[Y]}"] == 8


def test_K13_who_leaves_after_the_match_is_not_fined() -> None:
    match = Match().played((5, 2), (6, 1), (5, 3)).won_by(A)
    assert PENALTIES not in balances(payments_of(match))


def test_a_balance_may_go_below_zero() -> None:
    assert min(of_players(Match().abandoned_by(V))) == -70


# ---------------------------------------------------------------- what pays nothing more


@pytest.mark.parametrize("outcome", ["STOPPED", "IDLE", "CANCELLED"])
def test_a_match_that_is_nobodys_pays_nothing_more_than_its_deals(outcome: str) -> None:
    match = Match().played((4, 2), (3, 2)).end(outcome)
    assert [payment.rule for payment in payments_of(match)] == ["DEAL", "DEAL"]
    assert of_players(match) == each(15, 9)


def test_a_friendly_match_pays_nothing() -> None:
    assert payments_of(Match(ranked=False).played((5, 2), (6, 1), (5, 3)).won_by(A)) == []
    assert payments_of(Match(ranked=False).abandoned_by(X)) == []


# ---------------------------------------------------------------- the other games


@pytest.mark.parametrize("game", ["SCOPONE_DIECI", "SCOPA", "SCOPA_DASSI", "TRESSETTE"])
def test_at_four_seats_every_game_that_counts_deals_pays_as_scopone(game: str) -> None:
    deals, winner, wanted = EXAMPLES["2"]
    assert of_players(Match(game).played(*deals).won_by(winner)) == wanted


@pytest.mark.parametrize("game", ["SCOPA", "SCOPA_DASSI", "TRESSETTE"])
def test_for_two_a_complete_match_hands_out_100(game: str) -> None:
    assert of_players(Match(game, seats=2).played((5, 2), (6, 1), (5, 3)).won_by(A)) == [81, 19]
    assert of_players(Match(game, seats=2).deal(4, 2).abandoned_by(0)) == [8 - 70, 4 + 12]


@pytest.mark.parametrize(("seats", "won", "tied"), [(2, [10, 30], [20, 20]), (4, [10, 30, 10, 30], [20] * 4)])
def test_briscola_pays_the_match_only_and_a_final_60_60_is_everybodys(
    seats: int, won: list[int], tied: list[int]
) -> None:
    assert of_players(Match("BRISCOLA", seats=seats).deal(50, 70).won_by(B)) == won
    assert of_players(Match("BRISCOLA", seats=seats).deal(60, 60).end("TIED")) == tied
    three = Match("BRISCOLA", seats=seats).played((50, 70), (61, 59), (60, 60), (40, 80)).won_by(B)
    assert of_players(three) == won


def test_leaving_a_briscola_costs_the_leaver_and_pays_nobody() -> None:
    assert of_players(Match("BRISCOLA").abandoned_by(2)) == [0, 0, -70, 0]
    assert of_players(Match("BRISCOLA", seats=2).abandoned_by(0)) == [-70, 0]


@pytest.mark.parametrize(
    ("totals", "wanted"),
    [
        ((3, 21, 8, 12), [40, 10, 20, 10]),
        ((3, 21, 8, 8), [40, 10, 15, 15]),
        ((3, 21, 21, 10), [40, 10, 10, 20]),
        ((3, 21, 21, 21), [40, 13, 13, 13]),
        ((21, 4, 9), [10, 30, 20]),
        ((21, 4, 21), [15, 30, 15]),
    ],
)
def test_vinciperdi_pays_by_place_and_equal_places_share(totals: tuple[int, ...], wanted: list[int]) -> None:
    match = Match("VINCIPERDI", seats=len(totals)).deal(*totals).won_by(totals.index(min(totals)))
    assert of_players(match) == wanted
    assert balances(payments_of(match))[POT] == -sum(wanted), "what cannot be shared stays in the pot"


def test_the_places_of_vinciperdi_are_those_of_all_deals_together() -> None:
    match = Match("VINCIPERDI", seats=3).played((11, 0, 0), (0, 11, 0), (12, 0, 11)).won_by(B)
    assert match.totals == [23, 11, 11]
    assert of_players(match) == [10, 25, 25]


def test_leaving_vinciperdi_costs_the_leaver_and_pays_nobody() -> None:
    assert of_players(Match("VINCIPERDI").deal(4, 2, 2, 3).abandoned_by(3)) == [0, 0, 0, -70]


# ---------------------------------------------------------------- what cannot have happened


def test_results_that_no_ranked_table_can_have_are_left_to_somebody_who_looks_at_them() -> None:
    with pytest.raises(Unpayable, match="no winner"):
        payments_of(Match("SCOPA").deal(11, 3).end("TIED"))
    with pytest.raises(Unpayable, match="nobody abandoned"):
        payments_of(Match().end("ABANDONED"))
    alone = Match()
    alone.events.append(("0" * 32, DealEnded(1, [3, 1, 1], [3, 1, 1])))
    with pytest.raises(Unpayable, match="divided"):
        payments_of(alone)
