from __future__ import annotations

from circolo_cardgames.games import GAMES
from circolo_cardgames.games.scopa.rules import Scopa
from circolo_cardgames.rehearsal import Rehearsal
from circolo_contracts.cardgames import GameCancelled
from circolo_contracts.games import SCOPA, complete_settings
from circolo_contracts.rooms import SeatOccupant


def test_the_house_plays_to_11_and_the_last_play_is_no_scopa() -> None:
    assert GAMES["SCOPA"].rules(SCOPA.defaults()) == Scopa(11, "NEVER")


def test_every_setting_reaches_the_rules() -> None:
    for target in (11, 16, 21):
        for sweep in ("NEVER", "COUNTS", "NOT_IN_LAST_HAND"):
            settings = complete_settings(SCOPA, {"target": target, "finalSweep": sweep})
            assert isinstance(settings, dict)
            rules = GAMES["SCOPA"].rules(settings)
            assert isinstance(rules, Scopa) and (rules.target, rules.final_sweep) == (target, sweep)


def test_a_match_to_12_does_not_start() -> None:
    seats = [SeatOccupant(cpu="EASY")] * 2
    table = Rehearsal("SCOPA", seats, {"players": 2, "target": 12}, seed=b"s" * 32)
    assert [type(event) for event in table.events] == [GameCancelled]
