"""The record of a finished match: read by people, played again by the rules."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from circolo_cardgames import conformance
from circolo_cardgames.conformance.matches import at_random, sat_down
from circolo_cardgames.games import GAMES
from circolo_cardgames.record import read_record, record_of
from circolo_cardgames.rehearsal import SERVICE, Rehearsal
from circolo_contracts.cardgames import AbandonGame, IdleTimeout, StopMatch, TurnTimeout
from circolo_contracts.rooms import SeatOccupant
from circolo_service.export import Unreadable
from msgspec.structs import replace

Sit = Callable[..., Rehearsal]
TABLES = [
    pytest.param(kind, settings, id=conformance.label(kind, settings))
    for kind in GAMES
    for settings in conformance.presets(kind)
]


def without_times(events: list[object]) -> list[object]:
    return [replace(event, at=0) if hasattr(event, "at") else event for event in events]  # type: ignore[type-var]


@pytest.mark.parametrize(("kind", "settings"), TABLES)
def test_what_is_written_is_read_again_as_the_same_match(kind: str, settings: dict[str, object]) -> None:
    table = sat_down(kind, settings, "record")  # type: ignore[arg-type]
    table.play_on(at_random(random.Random(kind)))
    read = read_record(record_of(table.events))
    assert without_times(read) == without_times(table.events)  # type: ignore[arg-type]


def test_it_is_a_line_a_move_and_headers_for_what_it_was_played_with(sit: Sit) -> None:
    table = sit(2, cpus=(1,), dealer=1)
    table.play_on(at_random(random.Random(1)))
    lines = record_of(table.events).splitlines()
    assert lines[:3] == ['[Format "circolo-record-1"]', '[Game "BRISCOLA"]', f'[GameId "{table.state.game_id}"]']
    assert '[Seat1 "cpu MEDIUM"]' in lines
    assert '[Setting.bestOf "1"]' in lines
    assert f'[Commitment "{table.state.commitment}"]' in lines
    assert sum(line.partition(". ")[0].isdigit() for line in lines) == 40
    assert lines[-1].startswith(("WON by team ", "TIED"))


def test_the_clocks_cards_are_marked_and_read(sit: Sit) -> None:
    table = sit(2, dealer=1, clockSeconds=30)
    table.now = table.state.turn_at + 31_000
    table.do(TurnTimeout(table.state.turn_version), SERVICE)
    table.play_on(at_random(random.Random(1)))
    text = record_of(table.events)
    assert sum(line.endswith(" @") for line in text.splitlines()) == 1
    read_record(text)


@pytest.mark.parametrize("how", ["ABANDONED by seat 0", "STOPPED", "IDLE"])
def test_a_match_that_ended_before_its_last_card_has_a_record_too(sit: Sit, how: str) -> None:
    table = sit(2, dealer=1)
    table.play_on(at_random(random.Random(1)), plays=7)
    if how == "STOPPED":
        table.do(StopMatch(), SERVICE)
    elif how == "IDLE":
        table.now += 25 * 3_600_000
        table.do(IdleTimeout(table.state.idle_version), SERVICE)
    else:
        table.do(AbandonGame(), table.actor(0))
    text = record_of(table.events)
    assert text.splitlines()[-1].startswith(how)
    assert without_times(read_record(text)) == without_times(table.events)  # type: ignore[arg-type]


@pytest.fixture
def text(sit: Sit) -> str:
    table = sit(2, dealer=1)
    table.play_on(at_random(random.Random(1)))
    return record_of(table.events)


def line_of(text: str, start: str) -> int:
    return next(place for place, line in enumerate(text.splitlines(), 1) if line.startswith(start))


def test_an_illegal_card_is_refused_with_its_line(text: str) -> None:
    place = line_of(text, "5. ")
    lines = text.splitlines()
    lines[place - 1] = lines[place - 1].rpartition(" ")[0] + " " + lines[place - 2].split()[2]
    with pytest.raises(Unreadable, match=f"line {place}: .* is refused: CARD_NOT_IN_HAND"):
        read_record("\n".join(lines))


def test_another_seats_card_is_refused_with_its_line(text: str) -> None:
    place = line_of(text, "1. 0")
    with pytest.raises(Unreadable, match=f"line {place}: seat 1 is not on turn"):
        read_record(text.replace("\n1. 0 ", "\n1. 1 "))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("circolo-record-1", "pgn", "a record of format 'pgn'"),
        ('[Game "BRISCOLA"]', '[Game "BRIDGE"]', "no game 'BRIDGE'"),
        ('[Setting.bestOf "1"]', '[Setting.bestOf "2"]', "Setting.bestOf is '2'"),
        ('[Dealer "1"]', '[Dealer "7"]', "Dealer is '7'"),
        ('[Dealer "1"]', '[Dealer "one"]', "Dealer is 'one'"),
        ('[Seed "', '[Seed "0', "64 hex digits"),
        ('[Commitment "', '[Commitment "0', "not the one that was promised"),
        ('[Seat1 "player ', '[Seat1 "nobody ', "Seat1 is neither"),
        ("\ndeal 1 ends ", "\ndeal 1 ends 1", "should have been 'deal 1 ends "),
        ("\n40. ", "\n41. ", "should have been '40. "),
        ('[GameNo "1"]', '[GameNo "1"]\n[GameNo "1"]', "was there before"),
        ("\ndeal 1, shuffle 1", "\n\u202edeal 1, shuffle 1", "should have been 'deal 1, shuffle 1"),
    ],
)
def test_what_does_not_hold_is_named(text: str, old: str, new: str, complaint: str) -> None:
    assert old in text
    with pytest.raises(Unreadable, match=complaint):
        read_record(text.replace(old, new, 1))


def test_a_record_that_breaks_off_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="lines after the headers"):
        read_record("\n".join(text.splitlines()[:-1]))
    with pytest.raises(Unreadable, match=r"lines after the headers|should have been"):
        read_record(text + "and so on\n")


def test_a_running_match_has_no_record_and_a_cancelled_one_never_has(sit: Sit) -> None:
    table = sit(2)
    with pytest.raises(Unreadable, match="still secret"):
        record_of(table.events)
    cancelled = Rehearsal("BRISCOLA", [SeatOccupant(cpu="EASY")], {}, seed=b"s" * 32)
    with pytest.raises(Unreadable, match="never started"):
        record_of(cancelled.events)
    with pytest.raises(Unreadable, match="never started"):
        record_of([])


def test_the_command_checks_a_file_and_says_what_is_wrong(text: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text(text, encoding="utf-8")
    bad.write_text(text.replace("\n1. 0 ", "\n1. 1 "), encoding="utf-8")
    command = [sys.executable, "-m", "circolo_cardgames.record", "--check"]
    told = subprocess.run([*command, str(good)], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout) == (0, "every line holds: 40 cards\n")
    told = subprocess.run([*command, str(bad)], capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert "seat 1 is not on turn" in told.stderr
