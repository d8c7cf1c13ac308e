from __future__ import annotations

from importlib.resources import files

import pytest
from circolo_contracts.games import CATALOGUE
from circolo_ledger.schedules import WrongSchedule, load
from ranked_table import RANKED

TEXT = files("circolo_ledger").joinpath("prizes.toml").read_text(encoding="utf-8")
NOVE = next(block for block in TEXT.split("[[schedule]]") if "SCOPONE_NOVE" in block)


def test_every_ranked_game_has_a_schedule_for_every_number_of_seats() -> None:
    prizes = load()
    assert set(prizes.schedules) == set(RANKED)
    assert prizes.penalty == 70


def test_the_pot_is_fifty_a_seat_and_two_fifths_of_it_are_the_matchs() -> None:
    for schedule in load().schedules.values():
        match = sum(schedule.ranks) or (schedule.winner + schedule.loser) * schedule.seats // 2
        assert match == 20 * schedule.seats
        assert schedule.total == (50 if schedule.deals else 20) * schedule.seats


@pytest.mark.parametrize(
    ("was", "becomes", "says"),
    [
        ("total = 200", "total = 201", "hands out 200, not 201"),
        ("winner = 30", "winner = 30.5", "winner"),
        ("winner = 30", "winner = -30", "winner"),
        ("winner = 30\n", "", "winner and loser, or ranks"),
        ("deals = 5\n", "", "deal and deals"),
        ("deal = 12", "deal = 11", "even"),
        ("seats = 4", "seats = 5", "hands out"),
        ("loser = 10", "loser = 10\nbonus = 3", "bonus"),
        ("loser = 10", "loser = 10\ntie = 21", "a tie hands out"),
        ("loser = 10", "loser = 10\nranks = [40, 20, 10, 10]", "ranks"),
        ('"SCOPONE_NOVE"', '"SCOPONE_UNDICI"', "not ranked"),
        ('"SCOPONE_NOVE"', '"SCOPONE_DIECI"', "twice"),
        ("winner = 30", "winner = ", "Invalid value"),
    ],
)
def test_a_schedule_that_does_not_add_up_stops_the_start(was: str, becomes: str, says: str) -> None:
    assert was in NOVE
    with pytest.raises(WrongSchedule, match=says):
        load(TEXT.replace(NOVE, NOVE.replace(was, becomes, 1), 1))


def test_a_ranked_game_without_a_schedule_stops_the_start() -> None:
    with pytest.raises(WrongSchedule, match="SCOPONE_NOVE with 4 seats has no schedule"):
        load(TEXT.replace("[[schedule]]" + NOVE, "", 1))


def test_ranks_are_for_games_where_each_plays_for_himself() -> None:
    by_rank = '\ngame = "SCOPONE_NOVE"\nseats = 4\nranks = [40, 20, 10, 10]\ntotal = 80\n\n'
    with pytest.raises(WrongSchedule, match="for himself"):
        load(TEXT.replace(NOVE, by_rank, 1))
    with pytest.raises(WrongSchedule, match="highest first"):
        load(TEXT.replace("ranks = [30, 20, 10]", "ranks = [10, 20, 30]", 1))


def test_the_solitario_is_no_competition() -> None:
    assert [game.kind for game in CATALOGUE.values() if not game.ranked and game.service == "cardgames"] == [
        "SOLITARIO"
    ]
