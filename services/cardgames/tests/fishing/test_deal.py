"""A deal from the first hand to the leftovers, and how deals follow one another."""

from __future__ import annotations

import hashlib

import pytest
from circolo_cardgames.fishing.rules import FinalSweep, Fishing
from circolo_cardgames.games.deal import NOBODY, Deal, Move
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight
from circolo_contracts.cardgames import (
    CardPlayed,
    DealEnded,
    DealScore,
    DealStarted,
    DealVoided,
    HandsDealt,
    LegalMove,
    MatchEnded,
    PlayCard,
    TablePlay,
    TableTaken,
)
from circolo_contracts.cards import DECK, Card
from circolo_contracts.rooms import SeatOccupant
from msgspec import UNSET
from msgspec.structs import replace

RULES = Fishing()
NOTHING: tuple[tuple[Card, ...], ...] = ((), ())
VOID_FOR_TWO = "ac48f54ac53dc73e428f6e734407d6fa02cbd929467583506fdce630eaaf620c"


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(card) for card in text.split())


def sit(players: int = 2, *, seed: bytes = b"s" * 32, dealer: int = 0, **settings: int | str) -> Rehearsal:
    seats = [SeatOccupant(player=f"{seat + 1:032x}") for seat in range(players)]
    return Rehearsal("SCOPA", seats, {"players": players, **settings}, seed=seed, dealer=dealer)


def first_legal(sight: Sight) -> PlayCard:
    assert sight.view.legal_moves
    move = Move.of(sight.view.legal_moves[0], sight.seat)
    return PlayCard(move.card, UNSET if move.capture is None else list(move.capture))


def last_play(table: str, card: str, rules: Fishing = RULES, *, taker: int = 0) -> Deal:
    """Seat 1 plays the last card of the deal and whatever follows has happened."""
    deal = Deal(
        hands=((), cards(card)), piles=NOTHING, turn=1, sweeps=NOTHING, table=cards(table), taker=taker
    )  # fmt: skip
    return through(rules, deal, card)


def through(rules: Fishing, deal: Deal, card: str) -> Deal:
    deal = rules.evolve(deal, rules.played(deal, Move(Card(card), deal.turn), 0))
    while (event := rules.follows(deal)) is not None:
        deal = rules.evolve(deal, event)
    return deal


def test_three_cards_each_from_the_leader_on_then_four_on_the_table() -> None:
    deal = RULES.deal(DECK, leader=1, seats=2)
    assert deal.hands == (DECK[3:6], DECK[:3])
    assert deal.table == DECK[6:10]
    assert deal.stock == DECK[10:]
    assert (deal.turn, deal.leader, deal.hand_no) == (1, 1, 1)


@pytest.mark.parametrize("opened", ["10D 10C 10S 4B", "10D 10C 10S 10B", "4B 10B 10C 10S"])
def test_cards_S21_three_or_four_kings_on_the_table_make_the_deal_void(opened: str) -> None:
    assert RULES.is_void(replace(RULES.deal(DECK, 0, 2), table=cards(opened)))


def test_cards_S22_with_two_kings_play_goes_on() -> None:
    assert not RULES.is_void(replace(RULES.deal(DECK, 0, 2), table=cards("10D 10C 9S 4B")))


def test_cards_S21_M9_a_void_deal_is_dealt_again_by_the_same_dealer_and_counts_for_nothing() -> None:
    table = sit(seed=bytes.fromhex(VOID_FOR_TWO), dealer=0)
    first, voided, second = table.events[1:4]
    assert isinstance(first, DealStarted) and isinstance(voided, DealVoided) and isinstance(second, DealStarted)
    assert voided.opened == [*cards("10S 10D 10B 5D")] == first.deck[6:10]
    assert (first.deal_no, first.dealer, first.leader) == (second.deal_no, second.dealer, second.leader) == (1, 0, 1)
    assert (first.shuffle_no, second.shuffle_no) == (1, 2)
    assert first.deck != second.deck
    table.play_on(first_legal, plays=36)
    assert [event.deal_no for event in table.events if isinstance(event, DealEnded)] == [1]
    assert (table.state.deal_no, table.state.dealer, table.state.shuffle_no) == (2, 1, 3)


def test_cards_bug_kings_opened_for_four_are_dealt_again_for_four() -> None:
    """Of twelve cards in the hands the next four lie open."""
    tables = (sit(4, seed=hashlib.sha256(b"four%d" % number).digest(), dealer=3) for number in range(10_000))
    table = next(table for table in tables if any(isinstance(event, DealVoided) for event in table.events))
    assert [len(hand) for hand in table.state.on_turn().hands] == [3, 3, 3, 3]
    assert (table.state.dealer, table.state.turn, len(table.state.on_turn().stock)) == (3, 0, 24)


def test_cards_S24_for_four_the_stock_goes_from_24_to_12_to_none() -> None:
    table = sit(4)
    stocks = [len(table.state.on_turn().stock)]
    for _ in range(2):
        table.play_on(first_legal, plays=12)
        stocks.append(len(table.state.on_turn().stock))
    assert stocks == [24, 12, 0]
    assert table.state.on_turn().hand_no == 3


def test_for_two_there_are_six_hands_of_three_cards() -> None:
    table = sit()
    table.play_on(first_legal, plays=36)
    hands = [event for event in table.events if isinstance(event, HandsDealt)]
    assert [event.hand_no for event in hands] == [2, 3, 4, 5, 6]
    assert all(len(event.cards) == 6 for event in hands)


def test_cards_bug_9_new_cards_only_come_when_every_hand_is_empty() -> None:
    table = sit()
    table.play_on(first_legal, plays=5)
    leader, follower = table.state.on_turn().leader, 1 - table.state.on_turn().leader
    assert [len(table.state.on_turn().hands[seat]) for seat in (leader, follower)] == [0, 1]
    assert table.state.turn == follower
    assert not table.state.rules.is_over(table.state.on_turn())
    assert not any(isinstance(event, HandsDealt) for event in table.events)
    table.play_on(first_legal, plays=1)
    dealt = table.events[-1]
    assert isinstance(dealt, HandsDealt)
    hands = table.state.on_turn().hands
    assert [*hands[leader], *hands[follower]] == dealt.cards
    assert table.state.turn == leader


def test_cards_S25_after_a_scopa_no_cards_are_put_on_the_table() -> None:
    deal = Deal(
        hands=(cards("5S"), cards("9B")), piles=NOTHING, turn=0, stock=DECK[:6], sweeps=NOTHING, table=cards("5C")
    )
    deal = through(RULES, deal, "5S")
    assert (deal.table, deal.stock, deal.sweeps) == ((), DECK[:6], (cards("5S"), ()))
    deal = through(RULES, deal, "9B")
    assert (deal.table, deal.stock, deal.hand_no) == (cards("9B"), (), 2)


def test_cards_S26_the_final_play_captures_and_is_no_scopa_but_the_last_capture() -> None:
    deal = last_play("5C", "5D")
    assert (deal.piles, deal.sweeps, deal.taker) == (((), cards("5C 5D")), NOTHING, 1)
    assert deal.last_play == TablePlay([Card("5C")], Card("5D"), 1, False)
    assert RULES.is_over(deal)


@pytest.mark.parametrize(("rule", "counts"), [("NEVER", False), ("COUNTS", True), ("NOT_IN_LAST_HAND", False)])
def test_whether_the_final_play_is_a_scopa_is_the_tables_choice(rule: FinalSweep, counts: bool) -> None:
    assert last_play("5C", "5D", Fishing(final_sweep=rule)).sweeps == ((), cards("5D") if counts else ())


@pytest.mark.parametrize(("rule", "counts"), [("NEVER", True), ("COUNTS", True), ("NOT_IN_LAST_HAND", False)])
def test_whether_the_last_hand_makes_scope_before_its_final_play_too(rule: FinalSweep, counts: bool) -> None:
    rules = Fishing(final_sweep=rule)
    deal = Deal(hands=(cards("5D"), cards("9B")), piles=NOTHING, turn=0, sweeps=NOTHING, table=cards("5C"))
    assert through(rules, deal, "5D").sweeps[0] == (cards("5D") if counts else ())


@pytest.mark.parametrize("rule", ["NEVER", "COUNTS", "NOT_IN_LAST_HAND"])
def test_cards_S27_the_last_card_of_a_hand_that_is_not_the_last_makes_a_scopa(rule: FinalSweep) -> None:
    deal = Deal(
        hands=((), cards("5D")), piles=NOTHING, turn=1, stock=DECK[:6], sweeps=NOTHING, table=cards("5C")
    )  # fmt: skip
    assert through(Fishing(final_sweep=rule), deal, "5D").sweeps == ((), cards("5D"))


def test_what_is_left_goes_to_who_captured_last_and_is_no_scopa() -> None:
    deal = last_play("2C 9S", "4B", taker=0)
    assert (deal.piles, deal.table, deal.sweeps) == ((cards("2C 9S 4B"), ()), (), NOTHING)
    deal = last_play("2C 9S 4C", "4B", taker=0)
    assert deal.piles == ((), cards("4C 4B 2C 9S"))


def test_cards_S31_when_nobody_has_captured_the_cards_are_nobodys_and_count_for_nothing() -> None:
    deal = last_play("2C 9S", "4B", taker=NOBODY)
    assert (deal.piles, deal.table) == (NOTHING, cards("2C 9S 4B"))
    assert RULES.is_over(deal)
    count = RULES.count(deal, (0, 1))
    assert (count.points, count.winner) == ((0, 0), None)
    assert all(line.points == [0, 0] for line in count.sheet)


def test_the_clock_plays_the_best_capture_or_lays_the_card_that_is_worth_least() -> None:
    def automatic(table: str, hand: str) -> Move:
        deal = RULES.deal(DECK, leader=0, seats=2)
        return RULES.automatic(replace(deal, hands=(cards(hand), ()), table=cards(table)))

    assert automatic("7D 2C", "7B 2S") == Move(Card("7B"), 0, cards("7D"))
    assert automatic("5D 2C 3C 4C", "7B") == Move(Card("7B"), 0, cards("5D 2C"))
    assert automatic("10C", "7D 7C 9D 9S") == Move(Card("9S"), 0)
    assert automatic("", "7D") == Move(Card("7D"), 0)


def test_cards_M7_the_deal_goes_on_though_a_scopa_is_the_eleventh_point() -> None:
    table = sit(target=11)
    deal = Deal(
        hands=(cards("9B"), cards("5D")), piles=(DECK[10:20], ()), turn=1, stock=cards("8S 8B"), leader=1,
        sweeps=NOTHING, table=cards("5C"),
    )  # fmt: skip
    scored = (DealScore(1, [8, 10], 1),)
    table.state = replace(table.state, deal=deal, deals=scored, score=(8, 10), deal_no=2)
    table.play("5D*5C")
    assert table.state.on_turn().sweeps == ((), cards("5D"))
    assert table.state.is_running
    assert table.state.score == (8, 10)


def test_cards_bug_1_44_the_deal_goes_one_seat_on_whoever_won() -> None:
    for players in (2, 4):
        table = sit(players, dealer=1, target=21)
        table.play_on(first_legal)
        starts = [event for event in table.events if isinstance(event, DealStarted)]
        assert [event.dealer for event in starts] == [(1 + deal) % players for deal in range(len(starts))]
        assert [event.leader for event in starts] == [(2 + deal) % players for deal in range(len(starts))]
        assert len({event.winner for event in table.events if isinstance(event, DealEnded)}) > 1


def test_the_last_play_of_a_deal_can_still_be_looked_at_in_the_next() -> None:
    table = sit()
    table.play_on(first_legal, plays=36)
    last = [event for event in table.events if isinstance(event, CardPlayed)][-1]
    assert table.state.deal_no == 2
    shown = table.view(0).last_play
    assert shown is not UNSET and (shown.card, shown.seat) == (last.card, last.seat)


def test_a_view_shows_table_scope_and_counts_and_no_pile() -> None:
    table = sit(4)
    table.play_on(first_legal, plays=7)
    view, deal = table.view(0), table.state.on_turn()
    assert view.table == list(deal.table)
    assert [seat.pile_count for seat in view.seats] == [len(pile) for pile in deal.piles]
    assert [seat.sweeps for seat in view.seats] == [list(made) for made in deal.sweeps]


def test_the_leftovers_come_before_the_count_and_the_winner_ends_the_match() -> None:
    table = sit(4, target=11)
    table.play_on(first_legal)
    for before, event in zip(table.events, table.events[1:], strict=False):
        if isinstance(event, DealEnded):
            assert isinstance(before, (CardPlayed, TableTaken))
    ended = table.events[-2]
    assert isinstance(ended, MatchEnded) and ended.outcome == "WON"
    assert table.state.score[int(ended.winner or 0)] == max(table.state.score) >= 11


def test_nobody_is_on_turn_when_a_deal_is_over() -> None:
    deal = last_play("5C", "5D")
    assert (deal.turn, RULES.legal_moves(deal)) == (NOBODY, [])
    assert LegalMove(Card("5D")) not in RULES.legal_moves(deal)
