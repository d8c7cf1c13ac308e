from __future__ import annotations

from circolo_cardgames.games import GAMES
from circolo_cardgames.games.scopone_nove.rules import ScoponeNove
from circolo_cardgames.rehearsal import Rehearsal
from circolo_contracts.cardgames import CardPlayed, DealEnded, DealStarted, HandsDealt
from circolo_contracts.cards import DECK, Card
from circolo_contracts.games import SCOPONE_NOVE, SettingProblem, complete_settings
from circolo_contracts.rooms import SeatOccupant
from msgspec.structs import replace

RULES = ScoponeNove()


def test_the_match_is_to_16_and_the_last_play_no_scopa_unless_the_table_says_so() -> None:
    of = GAMES["SCOPONE_NOVE"].rules
    assert of(SCOPONE_NOVE.defaults()) == ScoponeNove(16, "NEVER")
    assert of({"target": 21, "finalSweep": "COUNTS"}) == ScoponeNove(21, "COUNTS")
    assert complete_settings(SCOPONE_NOVE, {"finalSweep": "NOT_IN_LAST_HAND"}) == SettingProblem("finalSweep")


def test_cards_S33_nine_cards_each_and_the_last_four_of_the_deck_lie_open() -> None:
    deal = RULES.deal(DECK, leader=2, seats=4)
    assert [len(hand) for hand in deal.hands] == [9] * 4
    assert deal.hands[2] == DECK[:9]
    assert (deal.table, deal.stock) == (DECK[36:40], ())


def test_three_kings_opened_make_the_deal_void() -> None:
    kings = tuple(map(Card, ("10D", "10C", "10S", "2B")))
    assert RULES.is_void(replace(RULES.deal(DECK, 0, 4), table=kings))
    assert not RULES.is_void(RULES.deal(DECK, 0, 4))


def test_36_plays_no_further_dealing_and_the_next_dealer_sits_to_the_right() -> None:
    seats = [SeatOccupant(cpu="MEDIUM")] * 4
    table = Rehearsal("SCOPONE_NOVE", seats, {"target": 11}, seed=b"n" * 32, dealer=2)
    table.play_on(GAMES["SCOPONE_NOVE"].rule_of_thumb)
    deals = sum(isinstance(event, DealEnded) for event in table.events)
    assert sum(isinstance(event, CardPlayed) for event in table.events) == 36 * deals
    assert not any(isinstance(event, HandsDealt) for event in table.events)
    dealers = [event.dealer for event in table.events if isinstance(event, DealStarted)]
    assert dealers == [(2 + deal) % 4 for deal in range(deals)]
