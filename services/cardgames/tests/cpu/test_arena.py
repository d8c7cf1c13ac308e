"""The arena: mirrored deals, honest intervals, and an end by Ctrl-C that loses no figure."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from circolo_cardgames import arena
from circolo_cardgames.tally import Deals, Estimate, Tally


def bout(*words: str) -> arena.Bout:
    parsed, _ = arena._parse(["--game", *words])
    return parsed


@pytest.mark.parametrize(
    ("game", "games"),
    [
        (["briscola"], 2),
        (["tressette", "--players", "4"], 2),
        (["vinciperdi", "--players", "4"], 2),
        (["vinciperdi", "--players", "3"], 6),
    ],
)
def test_each_level_sits_on_each_seat_as_often_as_the_other(game: list[str], games: int) -> None:
    ways = list(arena.sides(bout(*game)))
    assert len(ways) == games
    assert {sum(seats) for seats in zip(*ways, strict=True)} == {games // 2}


@pytest.mark.parametrize("game", [["scopa"], ["vinciperdi", "--players", "3"], ["scopone_dieci"]])
def test_a_level_against_itself_on_mirrored_decks_is_exactly_even(game: list[str]) -> None:
    """The same choosers get the same cards on both sides: what one wins, the other loses."""
    for number in range(3):
        played = arena.mirrored(bout(*game, "--a", "medium", "--b", "medium"), number)
        assert sum(ahead for _, ahead in played.games) == pytest.approx(0)


def test_medium_beats_easy_in_the_figures_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    words = "--game briscola --a medium --b easy --deals 40 --json"
    assert arena.main([*words.split(), str(file)]) == 0
    figures = json.loads(file.read_bytes())
    assert figures["significant"]
    assert figures["winRateOfA"]["mean"] > 0.7
    assert figures["wonByA"] <= figures["games"] == 80
    assert f"MEDIUM wins {100 * figures['winRateOfA']['mean']:.1f} %" in capsys.readouterr().out


def test_the_interval_is_of_decks_and_not_of_games() -> None:
    tally = Tally()
    for won, lost in ((1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.5, 0.5)):
        tally.add(Deals([(won, 10.0), (lost, -4.0)]))
    figures = tally.figures()
    assert figures["pointsAheadOfA"] == Estimate(3.0, 0.0)
    assert figures["winRateOfA"] == Estimate(0.625, pytest.approx(1.96 * 0.25 / 2))
    assert Estimate.of([1.0]) == Estimate(1.0, None)


@pytest.mark.parametrize(
    "words",
    [
        "--game morra",
        "--game briscola --a brilliant",
        "--game briscola --budget soon",
        "--game briscola --budget 0ms",
        "--game briscola --players 3",
        "--game scopa --setting target=12",
        "--game scopa --deals 0",
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_played(words: str) -> None:
    with pytest.raises(SystemExit) as refused:
        arena.main(words.split())
    assert refused.value.code == 2


def test_ctrl_c_prints_what_has_been_played() -> None:
    words = "--game briscola --a medium --b easy --deals 1000000"
    command = [sys.executable, "-m", "circolo_cardgames.arena", *words.split()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as playing:
        assert playing.stderr is not None
        assert "decks" in playing.stderr.readline()
        playing.send_signal(signal.SIGINT)
        out, _ = playing.communicate(timeout=30)
    assert playing.returncode == 130
    assert "MEDIUM wins" in out
