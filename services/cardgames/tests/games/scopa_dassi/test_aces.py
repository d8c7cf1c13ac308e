"""What an ace takes, by the vectors of both presets and of every option alone."""

from __future__ import annotations

import pytest
from circolo_cardgames.games import GAMES
from circolo_cardgames.games.deal import Deal, Move
from circolo_cardgames.games.scopa_dassi.rules import ScopaDassi
from circolo_cardgames.rehearsal import Rehearsal
from circolo_contracts.cardgames import CardPlayed, DealVoided, LegalMove
from circolo_contracts.cards import DECK, RANK_OF, Card
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import SeatOccupant
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

TRADITIONAL = ScopaDassi()
PORTAL = ScopaDassi(ace_on_ace="ALL", ace_on_empty="OWN_PILE", vile=True)
SWEEPING = ScopaDassi(ace_sweep_is_scopa=True)
ALL_SWEEPING = ScopaDassi(ace_on_ace="ALL", ace_sweep_is_scopa=True)
NOTHING: tuple[tuple[Card, ...], ...] = ((), ())
WHOLE_TABLE = ["5D", "2C", "3S"]


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(card) for card in text.split())


def lying(table: str, hand: str, *, last: bool = False) -> Deal:
    """Seat 0 is on turn with that hand; unless it is the last play of the deal, seat 1 still holds a card."""
    held = (cards(hand), () if last else cards("9B"))
    return Deal(hands=held, piles=NOTHING, turn=0, sweeps=NOTHING, table=cards(table))


def play(rules: ScopaDassi, table: str, card: str, *, last: bool = False) -> tuple[list[Card] | UnsetType, bool]:
    """(what it takes, whether it is a scopa)."""
    deal, move = lying(table, card, last=last), Move(Card(card), 0)
    assert rules.refusal(deal, move) is None
    event = rules.played(deal, move, 0)
    return event.captured, event.sweep is True


def options(rules: ScopaDassi, table: str, card: str) -> list[list[Card]]:
    [move] = rules.legal_moves(lying(table, card))
    return move.captures


def sit(players: int, preset: str, *, dealer: int = 0, seed: bytes = b"a" * 32) -> Rehearsal:
    seats = [SeatOccupant(player=f"{seat + 1:032x}") for seat in range(players)]
    return Rehearsal("SCOPA_DASSI", seats, {"players": players, "preset": preset}, seed=seed, dealer=dealer)


def test_the_two_presets_are_sets_of_customs_that_go_together() -> None:
    of = GAMES["SCOPA_DASSI"].rules
    assert of({"preset": "TRADITIONAL", "target": 11}) == TRADITIONAL
    assert of({"preset": "PORTAL", "target": 11}) == PORTAL
    assert of({"preset": "PORTAL", "target": 31}) == ScopaDassi(31, "NEVER", "ALL", "OWN_PILE", vile=True)


@pytest.mark.parametrize(
    ("rules", "scopa"), [(TRADITIONAL, False), (PORTAL, False), (SWEEPING, True), (ALL_SWEEPING, True)]
)
def test_cards_A1_an_ace_takes_the_whole_table_and_is_no_scopa(rules: ScopaDassi, scopa: bool) -> None:
    assert play(rules, "5D 2C 3S", "1B") == (WHOLE_TABLE, scopa)


def test_cards_A2_an_ace_on_the_table_is_taken_alone() -> None:
    assert play(TRADITIONAL, "1D 2C", "1B") == (["1D"], False)
    assert play(SWEEPING, "1D 2C", "1B") == (["1D"], False)


def test_cards_A2_with_aceOnAce_all_the_ace_takes_everything_without_a_scopa() -> None:
    assert play(PORTAL, "1D 2C", "1B") == (["1D", "2C"], False)
    assert play(ALL_SWEEPING, "1D 2C", "1B") == (["1D", "2C"], True)


def test_of_two_aces_beside_other_cards_the_player_takes_one() -> None:
    assert options(TRADITIONAL, "1D 2C 1S", "1B") == [["1D"], ["1S"]]
    deal = lying("1D 2C 1S", "1B")
    assert TRADITIONAL.refusal(deal, Move(Card("1B"), 0)) is RefusalCode.ILLEGAL_CAPTURE
    assert TRADITIONAL.played(deal, Move(Card("1B"), 0, cards("1S")), 0).captured == ["1S"]
    assert TRADITIONAL.refusal(deal, Move(Card("1B"), 0, cards("1D 2C 1S"))) is RefusalCode.ILLEGAL_CAPTURE


@pytest.mark.parametrize("rules", [TRADITIONAL, PORTAL, SWEEPING, ALL_SWEEPING])
def test_one_ace_and_nothing_else_is_an_ordinary_capture_and_a_scopa(rules: ScopaDassi) -> None:
    assert play(rules, "1D", "1B") == (["1D"], True)
    assert play(rules, "1D", "1B", last=True) == (["1D"], False)


def test_of_two_aces_and_nothing_else_one_stays() -> None:
    assert options(TRADITIONAL, "1D 1S", "1B") == [["1D"], ["1S"]]
    event = TRADITIONAL.played(lying("1D 1S", "1B"), Move(Card("1B"), 0, cards("1D")), 0)
    assert event.sweep is UNSET
    assert TRADITIONAL.evolve(lying("1D 1S", "1B"), event).table == cards("1S")


def test_with_aceOnAce_all_two_aces_alone_are_taken_together_and_a_scopa_only_if_a_sweep_is_one() -> None:
    assert play(PORTAL, "1D 1S", "1B") == (["1D", "1S"], False)
    assert play(ALL_SWEEPING, "1D 1S", "1B") == (["1D", "1S"], True)


def test_cards_A6_an_ace_takes_a_king() -> None:
    assert play(TRADITIONAL, "10S", "1D") == (["10S"], False)
    assert play(PORTAL, "10S", "1D") == (["10S"], False)
    assert play(SWEEPING, "10S", "1D") == (["10S"], True)


@pytest.mark.parametrize("rules", [TRADITIONAL, PORTAL, SWEEPING])
def test_cards_A7_a_lying_ace_counts_one_in_the_sum_of_a_king(rules: ScopaDassi) -> None:
    assert play(rules, "1D 9S", "10C") == (["1D", "9S"], True)


def test_an_ace_adds_up_to_nothing_when_it_is_played() -> None:
    assert options(TRADITIONAL, "2D 3C", "1B") == [["2D", "3C"]]
    assert TRADITIONAL.refusal(lying("2D 3C", "1B"), Move(Card("1B"), 0, cards("2D"))) is RefusalCode.ILLEGAL_CAPTURE


def test_cards_A8_with_the_portals_aces_the_first_card_for_four_may_not_be_an_ace() -> None:
    deck = [*cards("1C 5D 6D"), *(card for card in DECK if card not in cards("1C 5D 6D 1S")), Card("1S")]
    deal = PORTAL.deal(deck, leader=2, seats=4)
    assert deal.hands[2][:3] == cards("1C 5D 6D")
    assert PORTAL.refusal(deal, Move(Card("1C"), 2)) is RefusalCode.CARD_NOT_ALLOWED
    assert PORTAL.refusal(deal, Move(Card("1S"), 2)) is RefusalCode.CARD_NOT_IN_HAND
    assert Card("1C") not in [move.card for move in PORTAL.legal_moves(deal)]
    assert RANK_OF[PORTAL.automatic(deal).card] != 1
    deal = PORTAL.evolve(deal, CardPlayed(0, Card("5D"), 2))
    second = next(move for move in PORTAL.legal_moves(replace(deal, hands=(*deal.hands[:3], cards("1S")))))
    assert second == LegalMove(Card("1S"), [[Card("5D")]])


def test_cards_A8_with_the_traditional_aces_it_may_be_any_card() -> None:
    deal = TRADITIONAL.deal(DECK, leader=0, seats=4)
    assert deal.hands[0][0] == "1D"
    assert TRADITIONAL.refusal(deal, Move(Card("1D"), 0)) is None
    assert len(TRADITIONAL.legal_moves(deal)) == 10


def test_for_two_the_first_card_may_be_an_ace_with_either_preset() -> None:
    assert PORTAL.refusal(PORTAL.deal(DECK, leader=0, seats=2), Move(Card("1D"), 0)) is None


def test_a_hand_always_has_a_card_that_is_no_ace_to_begin_with() -> None:
    aces = [card for card in DECK if RANK_OF[card] == 1]
    deal = PORTAL.deal([*aces, *(card for card in DECK if card not in aces)], leader=0, seats=4)
    assert [RANK_OF[move.card] == 1 for move in PORTAL.legal_moves(deal)] == [False] * 6


@pytest.mark.parametrize("rules", [TRADITIONAL, PORTAL, SWEEPING, ALL_SWEEPING])
def test_cards_A9_the_final_play_takes_all_and_is_no_scopa_under_any_option(rules: ScopaDassi) -> None:
    assert play(rules, "4C 7D", "1S", last=True) == (["4C", "7D"], False)


def test_cards_A10_who_swept_with_an_ace_gets_the_leftovers() -> None:
    deal = Deal(
        hands=(cards("1B 8D"), cards("5S 9C")), piles=NOTHING, turn=0, sweeps=NOTHING, table=cards("2D 3D"), taker=1
    )
    for card in ("1B", "5S", "8D", "9C"):
        deal = TRADITIONAL.evolve(deal, TRADITIONAL.played(deal, Move(Card(card), deal.turn), 0))
    taken = TRADITIONAL.follows(deal)
    assert taken is not None
    assert TRADITIONAL.evolve(deal, taken).piles == (cards("2D 3D 1B 5S 8D 9C"), ())


def test_an_ace_on_an_empty_table_stays_there_by_tradition() -> None:
    assert options(TRADITIONAL, "", "1B") == []
    assert play(TRADITIONAL, "", "1B") == (UNSET, False)


def test_with_the_portals_aces_it_goes_to_its_players_pile_as_the_last_capture_and_no_scopa() -> None:
    assert options(PORTAL, "", "1B") == [[]]
    assert play(PORTAL, "", "1B") == ([], False)
    deal = replace(lying("", "1B"), taker=1)
    after = PORTAL.evolve(deal, PORTAL.played(deal, Move(Card("1B"), 0), 0))
    assert (after.table, after.piles, after.taker, after.sweeps) == ((), (cards("1B"), ()), 0, NOTHING)
    assert PORTAL.refusal(deal, Move(Card("1B"), 0, ())) is None
    assert PORTAL.refusal(deal, Move(Card("1B"), 0, cards("9B"))) is RefusalCode.ILLEGAL_CAPTURE


@pytest.mark.parametrize("preset", ["TRADITIONAL", "PORTAL"])
def test_for_two_three_cards_each_and_four_open_for_four_ten_each_and_none(preset: str) -> None:
    two, four = sit(2, preset).state.on_turn(), sit(4, preset).state.on_turn()
    assert ([len(hand) for hand in two.hands], len(two.table), len(two.stock)) == ([3, 3], 4, 30)
    assert ([len(hand) for hand in four.hands], len(four.table), len(four.stock)) == ([10] * 4, 0, 0)


def test_kings_make_a_deal_void_only_where_cards_are_opened() -> None:
    opened = replace(TRADITIONAL.deal(DECK, 0, 2), table=cards("10D 10C 10S 4B"))
    assert TRADITIONAL.is_void(opened)
    assert not TRADITIONAL.is_void(TRADITIONAL.deal(DECK[::-1], 0, 4))
    assert not any(isinstance(event, DealVoided) for event in sit(4, "PORTAL").events)


def test_cards_bug_3_an_ace_sweep_in_a_match_makes_no_scopa() -> None:
    """Not even with every other table in the house full of them."""
    for preset in ("TRADITIONAL", "PORTAL"):
        table = sit(4, preset)
        table.play_on(GAMES["SCOPA_DASSI"].rule_of_thumb)
        sweeps = [event for event in table.events if isinstance(event, CardPlayed) and event.sweep is True]
        aces = [event for event in sweeps if RANK_OF[event.card] == 1]
        assert sweeps
        assert all(event.captured is not UNSET and [RANK_OF[card] for card in event.captured] == [1] for event in aces)
