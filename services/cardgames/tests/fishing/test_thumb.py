"""How a CPU of the middle level plays: a sensible player's habits, from what its own seat sees."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable

import pytest
from circolo_cardgames.cpu import choose as cpu
from circolo_cardgames.games import GAMES
from circolo_cardgames.games.deal import NOBODY, Deal
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight
from circolo_contracts.cardgames import DealEnded, PlayCard
from circolo_contracts.cards import DECK, Card
from circolo_contracts.games import CATALOGUE, SettingValue
from circolo_contracts.rooms import SeatOccupant
from msgspec import UNSET
from msgspec.structs import replace

Player = Callable[[Sight], PlayCard]
SWAPPED = 60
"""Deals that are played twice, with the sides changed."""


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(card) for card in text.split())


def choice(
    hand: str, table: str, *, taken: str = "", theirs: str = "", game: str = "SCOPA", last: bool = False,
    settings: dict[str, SettingValue] | None = None,
) -> tuple[str, list[str]]:  # fmt: skip
    """What seat 0 of two plays: (card, captured)."""
    players = CATALOGUE[game].seats[0]
    chosen = {**(settings or {}), **({"players": 2} if players == 2 else {})}
    sitting = Rehearsal(game, [SeatOccupant(cpu="MEDIUM")] * players, chosen, seed=b"t" * 32, dealer=1)
    gone = [*cards(hand), *cards(table), *cards(taken), *cards(theirs)]
    free = [card for card in DECK if card not in gone]
    others = tuple(tuple(free[3 * seat : 3 * seat + 3]) for seat in range(players - 1))
    nothing: tuple[tuple[Card, ...], ...] = ((),) * players
    deal = Deal(
        hands=(cards(hand), *others), piles=(cards(taken), cards(theirs), *nothing[2:]), turn=0,
        stock=() if last else tuple(free[3 * players - 3 :]), sweeps=nothing, table=cards(table),
        taker=NOBODY,
    )  # fmt: skip
    sitting.state = replace(sitting.state, deal=deal)
    command = GAMES[game].rule_of_thumb(sitting.sight(0))
    return command.card, [] if command.capture is UNSET else list(command.capture)


def test_a_scopa_is_made_before_anything_else() -> None:
    assert choice("7C 9B 2S", "3D 4S") == ("7C", ["3D", "4S"])


def test_the_settebello_is_taken_when_it_lies_there() -> None:
    assert choice("7C 5S 2B", "7D 3C 2S 9C")[0] == "7C"
    assert choice("10C 5S 3B", "7D 3C 5D") == ("10C", ["7D", "3C"])


def test_of_two_equal_cards_the_coin_is_taken() -> None:
    assert choice("5B 10S", "5D 5C 9S") == ("5B", ["5D"])


def test_of_two_sums_the_one_with_coins_and_sevens_is_taken() -> None:
    assert choice("9B 10S", "7C 2D 5C 4S") == ("9B", ["7C", "2D"])


def test_no_sum_is_left_that_makes_a_scopa_when_a_card_can_be_laid_that_leaves_more_than_ten() -> None:
    card, _ = choice("2S 9C 1B", "4D")
    assert card == "9C"


def test_a_card_whose_equals_are_gone_is_laid_on_an_empty_table() -> None:
    assert choice("3S 5B", "", taken="3D 3C 3B", theirs="6D 6C")[0] == "3S"


def test_the_seven_is_not_laid_where_another_card_will_do() -> None:
    assert choice("7D 8C", "10C 10S")[0] == "8C"
    assert choice("7S 9C", "10C 10S")[0] == "9C"


def test_a_category_that_is_decided_no_longer_counts() -> None:
    """Two coins are better than a seven of cups, but not when six have gone already."""
    assert choice("9B", "7C 2S 5D 4D") == ("9B", ["5D", "4D"])
    assert choice("9B", "7C 2S 5D 4D", theirs="1D 2D 3D 6D 8D 10D") == ("9B", ["7C", "2S"])


def test_an_ace_is_kept_for_a_table_that_is_worth_it() -> None:
    assert choice("1C 9C 8C", "4B", game="SCOPA_DASSI")[0] != "1C"
    assert choice("1C 9C 8C", "7D 6D 5D 4S", game="SCOPA_DASSI") == ("1C", ["7D", "6D", "5D", "4S"])


def test_an_ace_on_an_empty_table_is_no_error_with_the_portals_aces() -> None:
    assert choice("1C", "", game="SCOPA_DASSI", settings={"preset": "PORTAL"}) == ("1C", [])


def at_random(chance: random.Random) -> Player:
    def play(sight: Sight) -> PlayCard:
        command = cpu(sight, "EASY", str(chance.random()))
        assert command is not None
        return command

    return play


def margins(game: str, players: int, settings: dict[str, SettingValue], one: Player, other: Player) -> list[float]:
    """Of each deal, by how many points it was won by one side, the mean over both ways to sit."""
    found = []
    for number in range(SWAPPED):
        margin = 0
        for side in (0, 1):
            seed = hashlib.sha256(f"thumb {number}".encode()).digest()
            table = Rehearsal(game, [SeatOccupant(cpu="MEDIUM")] * players, settings, seed=seed)
            while not any(isinstance(event, DealEnded) for event in table.events[-8:]):
                table.play_on([one if seat % 2 == side else other for seat in range(players)], plays=1)
            ended = next(event for event in table.events if isinstance(event, DealEnded))
            margin += ended.points[side] - ended.points[1 - side]
        found.append(margin / 2)
    return found


@pytest.mark.parametrize(
    ("game", "players", "settings"),
    [
        ("SCOPA", 2, {"players": 2}),
        ("SCOPA", 4, {"players": 4}),
        ("SCOPA_DASSI", 2, {"players": 2}),
        ("SCOPA_DASSI", 4, {"players": 4, "preset": "PORTAL"}),
        ("SCOPONE_NOVE", 4, {}),
        ("SCOPONE_DIECI", 4, {}),
    ],
)
def test_it_beats_whoever_plays_anything(game: str, players: int, settings: dict[str, SettingValue]) -> None:
    """By more than one point a deal, and by four times what chance could do."""
    won = margins(game, players, settings, GAMES[game].rule_of_thumb, at_random(random.Random(7)))
    mean = sum(won) / SWAPPED
    error = math.sqrt(sum((each - mean) ** 2 for each in won) / (SWAPPED - 1) / SWAPPED)
    assert mean > 1
    assert mean > 4 * error
