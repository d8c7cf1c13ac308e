from __future__ import annotations

from circolo_cardgames.deck.dealing import deal_blocks, in_play_order, leader_after
from circolo_contracts.cards import DECK


def test_each_seat_gets_one_block_from_the_top_leader_first() -> None:
    hands, rest = deal_blocks(DECK, leader=2, seats=4, size=3)
    assert hands[2] == DECK[0:3]
    assert hands[3] == DECK[3:6]
    assert hands[0] == DECK[6:9]
    assert hands[1] == DECK[9:12]
    assert rest == DECK[12:]


def test_ten_cards_for_four_leave_no_rest() -> None:
    hands, rest = deal_blocks(DECK, leader=0, seats=4, size=10)
    assert [len(hand) for hand in hands] == [10] * 4
    assert rest == ()


def test_the_dealers_right_leads_and_the_dealer_plays_last() -> None:
    assert leader_after(3, 4) == 0
    assert in_play_order(leader_after(1, 4), 4) == [2, 3, 0, 1]
