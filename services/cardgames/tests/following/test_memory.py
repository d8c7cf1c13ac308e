"""What a player who watches every card knows of the others' hands."""

from __future__ import annotations

from circolo_cardgames.following.memory import Memory, excluded
from circolo_cardgames.games.deal import Deal
from circolo_cardgames.games.tressette.rules import Tressette
from circolo_cardgames.sight import Sight
from circolo_contracts.cardgames import MatchView, PlayedCard, SeatState
from circolo_contracts.cards import DECK, Card


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def plays(text: str) -> tuple[PlayedCard, ...]:
    """``0:4C 1:7D``: by which seat, which card."""
    return tuple(PlayedCard(Card(play[2:]), int(play[0])) for play in text.split())


def seen(
    hand: str, *, played: str = "", known: str = "", trick: str = "", counts: tuple[int, ...] = (10, 10), stock: int = 0
) -> Sight:
    """Of seat 0: what was played in complete tricks lies in the piles."""
    lying, drawn = plays(trick), plays(known)
    done = plays(played)
    gone = {each.card for each in (*done, *lying)}
    deal = Deal(
        hands=(cards(hand), *(tuple(e.card for e in drawn if e.seat == s and e.card not in gone)
                              for s in range(1, len(counts)))),
        piles=(tuple(each.card for each in done), *[()] * (len(counts) - 1)),
        turn=0, known=drawn, played=(*done, *lying), trick=lying,
    )  # fmt: skip
    view = MatchView(
        commitment="", deal_no=1, deals=[], dealer=0, game="TRESSETTE", game_id="a" * 32, room="b" * 32, score=[0, 0],
        seats=[SeatState(count, 0, seat, seat % 2) for seat, count in enumerate(counts)], settings={}, started_at=0,
        status="RUNNING", stock_count=stock, table=[], trick=list(lying), version=9, seat=0, turn=0,
    )  # fmt: skip
    return Sight(deal, Tressette(), 0, view)


def test_who_did_not_follow_has_none_of_the_suit_led() -> None:
    sight = seen("3D", played="0:4C 1:7D 2:5C 3:1S", counts=(9, 9, 9, 9))
    assert excluded(sight)[1] == {card for card in DECK if card[-1] == "C"} == excluded(sight)[3]
    assert excluded(sight)[0] == excluded(sight)[2] == frozenset()


def test_it_shows_within_a_trick_too() -> None:
    sight = seen("3D 4D", played="0:4C 1:5C 2:6C 3:7C", trick="3:8C 2:1S", counts=(9, 9, 8, 8))
    assert excluded(sight)[2] == {card for card in DECK if card[-1] == "C"}


def test_who_was_out_of_a_suit_and_was_seen_to_draw_a_card_of_it_may_hold_that_one() -> None:
    sight = seen("3D", played="0:4C 1:7D", known="0:1B 1:9C")
    assert excluded(sight)[1] == {card for card in DECK if card[-1] == "C" and card != "9C"}


def test_when_he_has_played_it_he_is_out_of_the_suit_again() -> None:
    sight = seen("3D", played="0:4C 1:7D 0:5C 1:9C", known="0:1B 1:9C")
    assert Card("9C") in excluded(sight)[1]


def test_chances_are_certain_where_the_memory_is() -> None:
    sight = seen("2D", played="0:4C 1:7D", known="1:3D 0:2D", counts=(1, 9), stock=18)
    memory = Memory(sight)
    assert memory.beats(1, Card("2D")) == 1.0
    assert memory.stronger(Card("2D")) == ["3D"]
    assert memory.holds_any(1, cards("1C 2C 3C")) == 0.0


def test_a_card_that_nobody_can_beat_any_more_is_not_beaten() -> None:
    memory = Memory(seen("2D 1D", played="0:3D 1:4D", counts=(2, 2)))
    assert memory.stronger(Card("2D")) == []
    assert memory.beats(1, Card("2D")) == 0.0
    assert memory.stronger(Card("1D")) == [], "the two is in the own hand"


def test_a_chance_counts_the_places_where_a_card_may_lie() -> None:
    hand = " ".join(DECK[:10])
    memory = Memory(seen(hand, counts=(10, 10), stock=20))
    assert abs(memory.holds_any(1, cards("3C")) - 10 / 30) < 1e-9
    assert abs(memory.holds_any(1, cards("3C 2C")) - (1 - 20 / 30 * 19 / 29)) < 1e-9
    four = Memory(seen(hand, counts=(10, 10, 10, 10)))
    assert abs(sum(four.holds_any(seat, cards("3C")) for seat in (1, 2, 3)) - 1) < 1e-9


def test_who_holds_only_higher_cards_must_beat() -> None:
    memory = Memory(seen("7D", played="0:4D 1:5D 0:6D 1:8C", known="1:9D", counts=(2, 1), stock=0))
    assert memory.must_beat(1, Card("7D")) == 1.0
    lower = Memory(seen("10D", known="1:3D 1:9D", counts=(2, 2), stock=0))
    assert lower.must_beat(1, Card("10D")) == 0.0
