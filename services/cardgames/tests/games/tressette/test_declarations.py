from __future__ import annotations

from collections.abc import Callable

import pytest
from circolo_cardgames.games.deal import Deal, Move
from circolo_cardgames.games.tressette.rules import Tressette
from circolo_cardgames.notation import written
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight
from circolo_contracts.cardgames import (
    DealEnded,
    Declaration,
    Declare,
    Declared,
    Declarer,
    PlayCard,
    PlayedCard,
)
from circolo_contracts.cards import DECK, Card
from circolo_contracts.refusals import RefusalCode
from circolo_events.decider import PUBLIC, Rejection
from msgspec.structs import replace

Sit = Callable[..., Rehearsal]
RULES = Tressette()
FILLING = "4D 5D 6D 7D 4C 5C 6C"


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def first_card(sight: Sight) -> PlayCard:
    assert sight.view.legal_moves
    return PlayCard(sight.view.legal_moves[0].card)


def holding(hand: str, *, tricks: int = 0, drawn: str = "", seats: int = 2) -> Deal:
    """Seat 0 is on turn."""
    known = tuple(PlayedCard(card, 0) for card in cards(drawn))
    hands = (cards(hand), *[cards("4S")] * (seats - 1))
    return Deal(hands=hands, piles=((),) * seats, turn=0, tricks_taken=tricks, known=known)


def said(deal: Deal) -> str:
    """What the seat on turn may announce, in the house's notation, with its points."""
    return " ".join(f"{written(Declared(0, each, 0))}={each.points}" for each in RULES.declarable(deal))


def announce(deal: Deal, kind: str) -> Deal:
    declaration = next(each for each in RULES.declarable(deal) if written(Declared(0, each, 0)) == kind)
    return RULES.evolve(deal, Declared(0, declaration, deal.turn))


def test_cards_T20_ace_two_and_three_of_a_suit_are_a_napoletana() -> None:
    deal = holding(f"1D 2D 3D {FILLING}")
    assert said(deal) == "!D=3"
    assert RULES.declarable(deal) == [Declaration("NAPOLETANA", 3, suit="D")]


def test_cards_T21_three_threes_say_which_one_is_missing() -> None:
    assert said(holding(f"3D 3C 3S {FILLING}")) == "!3-B=3"


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_cards_T22_four_of_a_rank_are_four_points_and_not_three_more(rank: int) -> None:
    deal = holding(f"{rank}D {rank}C {rank}S {rank}B {FILLING}")
    assert said(deal) == f"!{rank}=4"


def test_cards_T23_a_card_serves_one_napoletana_and_one_buongioco() -> None:
    deal = holding("1D 2D 3D 3C 3S 1C 1B 2C 2B 4D")
    assert said(deal) == "!D=3 !C=3 !1-S=3 !2-S=3 !3-B=3"
    two_suits = holding("1D 2D 3D 1C 2C 3C 4D 5D 6D 7D")
    assert said(two_suits) == "!D=3 !C=3"


def test_only_aces_twos_and_threes_count() -> None:
    assert said(holding("10D 10C 10S 10B 4D 4C 4S 4B 1D 2D")) == ""


def test_cards_T24_in_the_second_trick_it_is_too_late() -> None:
    assert said(holding(f"1D 2D 3D {FILLING}", tricks=1)) == ""


def test_cards_T26_the_same_set_is_not_declared_twice() -> None:
    deal = holding(f"1D 2D 3D 3C 3S {FILLING}")
    deal = announce(deal, "!D")
    assert said(deal) == "!3-B=3"
    deal = announce(deal, "!3-B")
    assert said(deal) == ""


def test_for_two_a_drawn_card_completes_a_set_in_a_later_trick() -> None:
    assert said(holding("1D 2D 3D 4C", tricks=3, drawn="2D")) == "!D=3"
    assert said(holding("3D 3C 3S 4C", tricks=3, drawn="3S 4C")) == "!3-B=3"


def test_for_two_what_was_dealt_and_not_declared_in_the_first_trick_is_lost_even_if_something_is_drawn() -> None:
    assert said(holding("1D 2D 3D 3C 3S 4C", tricks=3, drawn="3S 4C")) == "!3-B=3"


def test_for_two_a_completed_set_may_be_declared_later_as_long_as_its_cards_are_held() -> None:
    assert said(holding("1D 2D 3D", tricks=9, drawn="2D 8S 9S")) == "!D=3"
    assert said(holding("1D 3D", tricks=9, drawn="2D 8S 9S")) == ""


def test_a_fourth_ace_drawn_to_three_declared_ones_that_are_held_is_four_points_more() -> None:
    deal = announce(holding("1D 1C 1S 4C"), "!1-B")
    later = replace(deal, hands=(cards("1D 1C 1S 1B"), ()), tricks_taken=1, known=(PlayedCard(Card("1B"), 0),))
    assert said(later) == "!1=4"
    later = announce(later, "!1")
    assert said(later) == ""
    assert sum(each.declaration.points for each in later.declared) == 7


def test_a_fourth_ace_is_nothing_when_one_of_the_declared_three_was_played() -> None:
    deal = announce(holding("1D 1C 1S 4C"), "!1-B")
    later = replace(deal, hands=(cards("1D 1C 1B 4C"), ()), tricks_taken=1, known=(PlayedCard(Card("1B"), 0),))
    assert said(later) == ""


def test_a_fourth_ace_drawn_to_three_that_were_not_declared_makes_four() -> None:
    assert said(holding("1D 1C 1S 1B", tricks=1, drawn="1B")) == "!1=4"


def test_what_the_other_drew_or_declared_is_not_mine() -> None:
    deal = replace(holding("1D 2D 3D", tricks=3), known=(PlayedCard(Card("2D"), 1),))
    assert said(deal) == ""
    theirs = Declarer(Declaration("NAPOLETANA", 3, suit="D"), 1)
    assert said(replace(holding("1D 2D 3D"), declared=(theirs,))) == "!D=3"


def test_without_declarations_nothing_can_be_declared() -> None:
    assert Tressette(21, declarations=False).declarable(holding(f"1D 2D 3D {FILLING}")) == []


def dealt_with(sit_down: Sit, players: int, **settings: int) -> Rehearsal:
    """A table whose seat on turn may declare something in the first trick."""
    tables = (sit_down(players, number, **settings) for number in range(60))
    return next(table for table in tables if table.view(table.state.turn).declarable)


def test_a_declaration_counts_for_the_team_at_once_and_the_turn_stays(sit_down: Sit) -> None:
    table = dealt_with(sit_down, 4)
    seat, version = table.state.turn, table.state.turn_version
    declared = table.view(seat).declarable
    assert declared
    table.play(written(Declared(0, declared[0], seat)))
    assert table.state.score[seat % 2] == declared[0].points
    assert table.state.score[1 - seat % 2] == 0
    assert (table.state.turn, table.state.turn_version) == (seat, version)
    assert table.match.view(table.state, PUBLIC).declared == [Declarer(declared[0], seat)]
    told = table.match.tell(table.events[-1], table.state, table.state, PUBLIC)
    assert [happening.declaration for happening in told] == [declared[0]]


def test_a_declaration_is_refused_after_the_own_card_twice_out_of_turn_and_when_it_is_not_held(sit_down: Sit) -> None:
    table = dealt_with(sit_down, 4)
    seat = table.state.turn
    held = table.view(seat).declarable
    assert held
    move = Declare(held[0].kind, held[0].rank, held[0].suit)
    stored = len(table.events)

    def refused(command: Declare, by: int) -> RefusalCode:
        decided = table.do(command, table.actor(by))
        assert isinstance(decided, Rejection)
        assert len(table.events) == stored
        return decided.code

    assert refused(move, (seat + 1) % 4) is RefusalCode.NOT_YOUR_TURN
    for suit in "DCSB":
        if not any(each.suit == suit and each.kind == "NAPOLETANA" for each in held):
            assert refused(Declare("NAPOLETANA", suit=suit), seat) is RefusalCode.ILLEGAL_DECLARATION
    assert refused(Declare("BUONGIOCO", rank=7), seat) is RefusalCode.ILLEGAL_DECLARATION
    assert refused(Declare("NAPOLETANA"), seat) is RefusalCode.ILLEGAL_DECLARATION
    table.do(move, table.actor(seat))
    stored += 1
    assert refused(move, seat) is RefusalCode.ILLEGAL_DECLARATION
    table.play_on(first_card, plays=1)
    stored = len(table.events)
    assert refused(move, seat) is RefusalCode.NOT_YOUR_TURN


def test_cards_bug_047cec1_declared_points_stay_points_and_the_score_of_the_deals_agrees(sit_down: Sit) -> None:
    table = dealt_with(sit_down, 4, target=51)
    declared = table.view(table.state.turn).declarable
    assert declared
    table.play(written(Declared(0, declared[0], table.state.turn)))
    table.play_on(first_card, plays=40)
    ended = next(event for event in table.events if isinstance(event, DealEnded))
    assert sum(ended.points) == 11 + declared[0].points
    assert table.state.score == tuple(ended.won)


def test_everybody_remembers_the_cards_that_were_announced() -> None:
    deal = announce(holding(f"3D 3C 3S {FILLING}"), "!3-B")
    assert {each.card for each in RULES.shown(deal)} == set(cards("3D 3C 3S"))
    assert {each.seat for each in RULES.shown(deal)} == {0}
    four = announce(holding(f"2D 2C 2S 2B {FILLING}"), "!2")
    assert {each.card for each in RULES.shown(four)} == set(cards("2D 2C 2S 2B"))


def test_a_set_is_lost_with_the_first_of_its_cards(sit_down: Sit) -> None:
    deal = RULES.deal(DECK, leader=0, seats=2)
    deal = replace(deal, hands=(cards("1D 2D 3D 4D"), cards("5D 6D 7D 8D")), known=(PlayedCard(Card("1D"), 0),))
    assert said(deal) == "!D=3"
    deal = RULES.evolve(deal, RULES.played(deal, Move(Card("3D"), 0), 0))
    assert said(replace(deal, turn=0, trick=(), tricks_taken=1)) == ""
