from __future__ import annotations

from collections.abc import Callable

import pytest
from circolo_cardgames.games.deal import Deal
from circolo_cardgames.games.tressette.rules import Tressette
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight
from circolo_contracts.cardgames import CardPlayed, DealStarted, PlayCard, PlayedCard, TrickEnded
from circolo_contracts.cards import DECK, Card
from circolo_events.decider import PUBLIC, Viewer
from msgspec import UNSET

Sit = Callable[..., Rehearsal]
RULES = Tressette()


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def first_card(sight: Sight) -> PlayCard:
    assert sight.view.legal_moves
    return PlayCard(sight.view.legal_moves[0].card)


def after(deal: Deal, *plays: tuple[int, str]) -> Deal:
    for seat, card in plays:
        deal = RULES.evolve(deal, CardPlayed(0, Card(card), seat))
        while (event := RULES.follows(deal)) is not None:
            deal = RULES.evolve(deal, event)
    return deal


@pytest.mark.parametrize(("seats", "stock"), [(2, 20), (4, 0)])
def test_everybody_gets_five_cards_the_leader_first_and_five_again(seats: int, stock: int) -> None:
    deal = RULES.deal(DECK, leader=1, seats=seats)
    assert deal.hands[1] == DECK[:5] + DECK[5 * seats : 5 * seats + 5]
    assert deal.hands[0] == DECK[5 * seats - 5 : 5 * seats] + DECK[10 * seats - 5 : 10 * seats]
    assert deal.stock == DECK[10 * seats :]
    assert (len(deal.stock), deal.turn, deal.leader) == (stock, 1, 1)
    assert not RULES.is_void(deal)


@pytest.mark.parametrize("winner", [0, 1])
def test_cards_T17_the_winner_of_a_trick_draws_first_whichever_seat_he_has(winner: int) -> None:
    led, answer = ("3C", "4C") if winner == 0 else ("4C", "3C")
    deal = Deal(hands=(cards(f"{led} 5B"), cards(f"{answer} 6B")), piles=((), ()), turn=0, stock=cards("1S 2S"))
    deal = after(deal, (0, led), (1, answer))
    assert deal.hands[winner][-1] == "1S"
    assert deal.hands[1 - winner][-1] == "2S"
    assert deal.turn == winner
    assert deal.drawn == (PlayedCard(Card("1S"), winner), PlayedCard(Card("2S"), 1 - winner))


def test_cards_T18_after_ten_tricks_the_stock_is_empty_and_ten_more_are_played_without_drawing(sit_down: Sit) -> None:
    table = sit_down(2)
    draws = 0
    while table.state.deal_no == 1 and table.state.is_running:
        if table.state.on_turn().tricks_taken == 10 and not table.state.on_turn().trick:
            assert [len(hand) for hand in table.state.on_turn().hands] == [10, 10]
            assert table.state.on_turn().stock == ()
        table.play_on(first_card, plays=1)
    tricks = [event for event in table.events if isinstance(event, TrickEnded)][:20]
    assert [trick.trick_no for trick in tricks] == list(range(1, 21))
    assert [len(trick.drawn) for trick in tricks] == [2] * 10 + [0] * 10
    draws = sum(len(trick.drawn) for trick in tricks)
    assert draws == 20


def test_what_is_drawn_is_shown_to_everybody_until_the_next_card_is_led(sit_down: Sit) -> None:
    table = sit_down(2)
    table.play_on(first_card, plays=2)
    drawn = table.state.on_turn().drawn
    assert len(drawn) == 2
    for viewer in (Viewer.of_seat(0, 0), Viewer.of_seat(1, 1), PUBLIC):
        assert table.match.view(table.state, viewer).drawn == list(drawn)
    table.play_on(first_card, plays=1)
    assert table.match.view(table.state, PUBLIC).drawn is UNSET
    assert table.state.on_turn().known == drawn, "who has a memory still knows"


def test_each_draw_is_told_to_everybody_with_its_card(sit_down: Sit) -> None:
    table = sit_down(2)
    table.play_on(first_card, plays=1)
    table.play_on(first_card, plays=1)
    trick = next(event for event in table.events if isinstance(event, TrickEnded))
    told = table.match.tell(trick, table.state, table.state, PUBLIC)
    assert [happening.kind for happening in told] == ["TrickEnded", "CardDrawn", "CardDrawn"]
    assert [happening.card for happening in told[1:]] == trick.drawn


def test_a_cpu_remembers_what_the_other_drew_and_knows_nothing_else_of_his_hand(sit_down: Sit) -> None:
    table = sit_down(2)
    for _ in range(9):
        table.play_on(first_card, plays=2)
        deal = table.state.on_turn()
        drawn = {each.card for each in deal.known if each.seat == 1}
        assert set(table.sight(0).deal.hands[1]) == drawn & set(deal.hands[1])


def test_cards_bug_1_and_44_the_deal_moves_one_seat_on_whoever_won_the_last_trick(sit_down: Sit) -> None:
    for number in range(4):
        table = sit_down(4, number, dealer=2, target=51)
        table.play_on(first_card)
        started = [event for event in table.events if isinstance(event, DealStarted)]
        assert [event.dealer for event in started] == [(2 + n) % 4 for n in range(len(started))]
        assert [event.leader for event in started] == [(3 + n) % 4 for n in range(len(started))]
        assert len(started) > 3


@pytest.mark.parametrize(("players", "tricks"), [(2, 20), (4, 10)])
def test_a_deal_is_played_to_its_last_card(sit_down: Sit, players: int, tricks: int) -> None:
    table = sit_down(players, target=51)
    table.play_on(first_card)
    per_deal = len([event for event in table.events if isinstance(event, TrickEnded)]) / len(table.state.deals)
    assert per_deal == tricks
    assert sorted(card for pile in table.state.on_turn().piles for card in pile) == sorted(DECK)
