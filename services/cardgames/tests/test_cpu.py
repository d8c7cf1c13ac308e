from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest
from circolo_cardgames.cpu import choose
from circolo_cardgames.games.briscola import thumb
from circolo_cardgames.games.briscola.rules import Briscola
from circolo_cardgames.games.deal import Deal
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight
from circolo_contracts.cardgames import LegalMove, MatchView, PlayCard, PlayedCard, SeatState
from circolo_contracts.cards import Card
from msgspec import UNSET

Sit = Callable[..., Rehearsal]


def by(level: str, salt: object) -> Callable[[Sight], PlayCard]:
    def chooser(sight: Sight) -> PlayCard:
        command = choose(sight, level, f"{salt}-{sight.view.version}")  # type: ignore[arg-type]
        assert command is not None
        return command

    return chooser


def seen(hand: str, trick: str = "", *, trump: str = "D", players: int = 2, stock: int = 20) -> Sight:
    """What the seat on turn sees; the trick was led by seat 0."""
    cards = [Card(card) for card in hand.split()]
    played = [PlayedCard(Card(card), seat) for seat, card in enumerate(trick.split())]
    seat = len(played)
    view = MatchView(
        commitment="", deal_no=1, deals=[], dealer=players - 1, game="BRISCOLA", game_id="a" * 32, room="b" * 32,
        score=[0, 0], seats=[SeatState(3, 0, n, n % 2) for n in range(players)],
        settings={"players": players, "bestOf": 1}, started_at=0, status="RUNNING", stock_count=stock, table=[],
        trick=played, version=9, hand=cards, legal_moves=[LegalMove(card) for card in cards], seat=seat,
        trump=trump, turn=seat,
    )  # fmt: skip
    hands = tuple(tuple(cards) if place == seat else () for place in range(players))
    return Sight(Deal(hands, ((),) * players, seat, trick=tuple(played)), Briscola(), seat, view)


def choice(*args: str, **how: object) -> str:
    command = choose(seen(*args, **how), "MEDIUM", "1" * 32)  # type: ignore[arg-type]
    assert command is not None
    return command.card


def test_it_takes_an_asso_with_the_smallest_trump() -> None:
    assert choice("2D 7D 3D", "1C") == "2D"


def test_it_takes_with_its_own_three_when_nobody_can_play_after_it() -> None:
    assert choice("3C 2D 4S", "10C") == "3C"


def test_it_does_not_waste_a_trump_on_a_worthless_trick() -> None:
    assert choice("2D 4S 5B", "7C") in ("4S", "5B")


def test_it_gives_nothing_to_a_trick_that_it_cannot_take() -> None:
    assert choice("1S 10B 4B", "3C") == "4B"


def test_it_leads_a_worthless_card() -> None:
    assert choice("1S 2D 4B") == "4B"


def test_it_leads_a_small_trump_rather_than_an_asso() -> None:
    assert choice("1S 3B 2D") == "2D"


def test_partners_points_go_to_the_partner_and_not_to_the_others() -> None:
    assert choice("3S 4B 5B", "2C 1C 4C", players=4) == "3S", "seat 1 is the partner and holds the trick"
    assert choice("3S 4B 5B", "1C 2C 4C", players=4) in ("4B", "5B"), "seat 0 is not"


def test_it_does_not_overtake_its_partner_for_nothing() -> None:
    assert choice("2D 4B 5B", "2C 1C 4C", players=4) != "2D"


@pytest.mark.parametrize("level", ["EASY", "MEDIUM", "HARD"])
@pytest.mark.parametrize("players", [2, 4])
def test_every_level_plays_legal_cards_to_the_end(sit: Sit, level: str, players: int) -> None:
    for seed_no in range(15):
        table = sit(players, cpus=tuple(range(players)), level=level, seed_no=seed_no)
        table.play_on(by(level, seed_no))
        assert not table.state.is_running


def test_it_is_given_a_seats_sight_and_nothing_else() -> None:
    assert list(inspect.signature(choose).parameters) == ["sight", "level", "command_id"]
    assert list(inspect.signature(thumb.choose).parameters) == ["sight"]


def test_it_says_nothing_when_it_is_not_on_turn(sit: Sit) -> None:
    table = sit(2, cpus=(0, 1), dealer=1)
    assert choose(table.sight(1), "MEDIUM", "1" * 32) is None
    assert table.view(1).legal_moves is UNSET


def test_a_deadline_that_fires_twice_asks_for_the_same_card(sit: Sit) -> None:
    table = sit(2, cpus=(0,), dealer=1)
    for level in ("EASY", "MEDIUM"):
        assert len({choose(table.sight(0), level, "1" * 32).card for _ in range(5)}) == 1  # type: ignore[arg-type,union-attr]
    assert len({choose(table.sight(0), "EASY", f"{n:032x}").card for n in range(50)}) == 3  # type: ignore[union-attr]


@pytest.mark.parametrize("players", [2, 4])
def test_rules_of_thumb_beat_chance(sit: Sit, players: int) -> None:
    """150 mirrored pairs of games: by chance 150 wins of 300; four standard deviations are 35."""
    won = 0
    for seed_no in range(150):
        for side in (0, 1):
            table = sit(players, cpus=tuple(range(players)), seed_no=seed_no, dealer=0)
            choosers = [by("MEDIUM" if seat % 2 == side else "EASY", seed_no) for seat in range(players)]
            table.play_on(choosers)
            assert table.state.result is not None
            won += table.state.result.winner == side
    assert won > 150 + 60, won
