from __future__ import annotations

import pytest
from circolo_cardgames.fishing.rules import FinalSweep
from circolo_cardgames.games import GAMES
from circolo_cardgames.games.deal import Deal, Move
from circolo_cardgames.games.scopone_dieci.rules import ScoponeDieci
from circolo_cardgames.rehearsal import Rehearsal
from circolo_contracts.cardgames import CardPlayed, DealEnded
from circolo_contracts.cards import DECK, Card
from circolo_contracts.games import SCOPONE_DIECI
from circolo_contracts.rooms import SeatOccupant
from msgspec import UNSET

RULES = ScoponeDieci()


def test_the_match_is_to_21_unless_the_table_says_so() -> None:
    assert GAMES["SCOPONE_DIECI"].rules(SCOPONE_DIECI.defaults()) == ScoponeDieci(21, "NEVER")
    assert GAMES["SCOPONE_DIECI"].rules({"target": 11, "finalSweep": "COUNTS"}) == ScoponeDieci(11, "COUNTS")


def test_ten_cards_each_an_empty_table_and_no_void_deal() -> None:
    deal = RULES.deal(DECK, leader=1, seats=4)
    assert [len(hand) for hand in deal.hands] == [10] * 4
    assert (deal.hands[1], deal.table, deal.stock) == (DECK[:10], (), ())
    assert not RULES.is_void(deal)


def test_the_first_card_can_only_be_laid() -> None:
    deal = RULES.deal(DECK, leader=0, seats=4)
    assert all(move.captures == [] for move in RULES.legal_moves(deal))
    assert RULES.played(deal, Move(Card("5D"), 0), 0).sweep is UNSET


@pytest.mark.parametrize(("rule", "scopa"), [("NEVER", False), ("COUNTS", True)])
def test_cards_S32_play_40_clears_the_table(rule: FinalSweep, scopa: bool) -> None:
    nothing: tuple[tuple[Card, ...], ...] = ((),) * 4
    dealer = 3
    deal = Deal(
        hands=(*nothing[:3], (Card("7B"),)), piles=nothing, turn=dealer, sweeps=nothing,
        table=(Card("3C"), Card("4S")), taker=0,
    )  # fmt: skip
    rules = ScoponeDieci(final_sweep=rule)
    deal = rules.evolve(deal, rules.played(deal, Move(Card("7B"), dealer), 0))
    assert rules.is_over(deal)
    sweeps = rules.count(deal, (0, 1, 0, 1)).sheet[-1]
    assert (sweeps.name, sweeps.points) == ("SWEEPS", [0, int(scopa)])


def test_forty_plays_ten_by_each_seat() -> None:
    table = Rehearsal("SCOPONE_DIECI", [SeatOccupant(cpu="MEDIUM")] * 4, {"target": 11}, seed=b"d" * 32)
    table.play_on(GAMES["SCOPONE_DIECI"].rule_of_thumb)
    deals = sum(isinstance(event, DealEnded) for event in table.events)
    plays = [event.seat for event in table.events if isinstance(event, CardPlayed)]
    assert [plays.count(seat) for seat in range(4)] == [10 * deals] * 4
