"""The proof of a finished tombola: everything holds in an honest one, and whatever was changed is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cartelle import seated
from circolo_contracts.cardgames import MatchEnded, SeedRevealed, StopMatch
from circolo_contracts.evening import GameSuperseded, SupersedeGame
from circolo_contracts.ids import global_id
from circolo_contracts.tombola import (
    ClaimAll,
    NumberDrawn,
    PrizeAwarded,
    TombolaEvent,
    TombolaStarted,
)
from circolo_service.export import Exported, ExportedEvent, Unreadable, to_bytes
from circolo_tombola.checks import check
from circolo_tombola.export import TOMBOLAS
from circolo_tombola.registry import REGISTRY
from circolo_tombola.rehearsal import GAME_ID, Rehearsal
from circolo_tombola.verify import PROOF
from msgspec import Raw
from msgspec.structs import replace

Change = Callable[[list[Any]], None]


def played(players: int = 7, seed_no: str = "verify", **settings: object) -> Rehearsal:
    game = seated(players, seed_no=seed_no, **settings)
    while game.state.is_running:
        game.draw()
        for seat in range(players):
            game.play(game.state.seats[seat].player, ClaimAll())  # type: ignore[arg-type]
    game.house(SupersedeGame("5" * 32))
    return game


def false_ones(events: list[TombolaEvent]) -> list[str]:
    return [step.text for step in check(GAME_ID, events) if not step.holds]


@pytest.mark.parametrize("rule", ["SHARED_DRAW", "FIRST_CLAIM"])
def test_an_honest_game_holds(rule: str) -> None:
    game = played(claimRule=rule)
    steps = list(check(GAME_ID, game.events))
    assert all(step.holds for step in steps)
    text = "\n".join(step.text for step in steps)
    assert "the 7 tickets are those of the seed" in text
    assert "TOMBOLA" in text
    assert "the game ends WON" in text


def test_a_game_that_the_host_stopped_holds_too() -> None:
    game = seated(3)
    game.draw(5)
    game.house(StopMatch())
    assert false_ones(game.events) == []


def place(events: list[Any], kind: type) -> int:
    return next(n for n, event in enumerate(events) if isinstance(event, kind))


def other_seed(events: list[Any]) -> None:
    at = place(events, SeedRevealed)
    events[at] = replace(events[at], seed="0" * 64)


def used_seed(events: list[Any]) -> None:
    events[0] = replace(events[0], seed="0" * 64)


def swapped_tickets(events: list[Any]) -> None:
    tickets = list(events[0].tickets)
    tickets[0], tickets[1] = tickets[1], tickets[0]
    events[0] = replace(events[0], tickets=tickets)


def other_order(events: list[Any]) -> None:
    events[0] = replace(events[0], draws=sorted(events[0].draws))


def other_number(events: list[Any]) -> None:
    at = place(events, NumberDrawn)
    events[at] = replace(events[at], number=events[at].number % 90 + 1)


def skipped_number(events: list[Any]) -> None:
    del events[place(events, NumberDrawn)]


def given_to_another(events: list[Any]) -> None:
    at = place(events, PrizeAwarded)
    events[at] = replace(events[at], seat=(events[at].seat + 1) % 7)


def another_draw(events: list[Any]) -> None:
    at = place(events, PrizeAwarded)
    events[at] = replace(events[at], winning_draw=events[at].winning_draw - 1)


def awarded_twice(events: list[Any]) -> None:
    at = place(events, PrizeAwarded)
    events.insert(at + 1, events[at])


def another_winner(events: list[Any]) -> None:
    at = place(events, MatchEnded)
    events[at] = replace(events[at], winner=(events[at].winner + 1) % 7)


def no_winner(events: list[Any]) -> None:
    at = place(events, MatchEnded)
    events[at] = replace(events[at], outcome="STOPPED")


def ended_twice(events: list[Any]) -> None:
    at = place(events, MatchEnded)
    events.insert(at, events[at])


def superseded_twice(events: list[Any]) -> None:
    events.append(GameSuperseded(at=events[-1].at, by="4" * 32))


def called_after_the_end(events: list[Any]) -> None:
    events.append(NumberDrawn(at=1, number=1, seq=90))


@pytest.mark.parametrize(
    "change",
    [
        other_seed, used_seed, swapped_tickets, other_order, other_number, skipped_number, given_to_another,
        another_draw, awarded_twice, another_winner, no_winner, ended_twice, superseded_twice, called_after_the_end,
    ],
    ids=lambda change: change.__name__,
)  # fmt: skip
def test_whatever_was_changed_is_found(change: Change) -> None:
    events = list(played().events)
    change(events)
    assert len(false_ones(events)) == 1


def test_a_second_winner_where_the_first_claim_takes_it_is_found() -> None:
    shared = played(24, seed_no="shared")
    started = shared.events[0]
    assert isinstance(started, TombolaStarted)
    first = replace(started, settings={**started.settings, "claimRule": "FIRST_CLAIM"})
    assert any(len(won.awards) > 1 for won in shared.state.won.values()), "somebody shared something in this game"
    assert len(false_ones([first, *shared.events[1:]])) == 1


def test_a_game_that_runs_or_never_started_cannot_be_proved() -> None:
    game = seated(2)
    with pytest.raises(Unreadable, match="still secret"):
        list(check(GAME_ID, game.events))
    cancelled = Rehearsal([None], {}, seed=b"x" * 32)
    with pytest.raises(Unreadable, match="never started"):
        list(check(GAME_ID, cancelled.events))


def exported(game: Rehearsal) -> Exported:
    stored = [REGISTRY.encode(event) for event in game.events]
    events = [ExportedEvent(Raw(data), schema, name, n) for n, (name, schema, data) in enumerate(stored, 1)]
    return Exported(events, TOMBOLAS.format, GAME_ID)


def test_an_exported_game_is_proved_without_a_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, file = exported(played()), tmp_path / "game.json"
    file.write_bytes(to_bytes(game))
    for name in (GAME_ID, f"tombola-{GAME_ID}", global_id("Tombola", f"tombola-{GAME_ID}")):
        assert PROOF.main([name, "--file", str(file), "--export", str(tmp_path / "again.json")]) == 0
    assert (tmp_path / "again.json").read_bytes() == file.read_bytes()
    assert "ok     the order of the ninety numbers" in capsys.readouterr().out
    assert PROOF.main(["6" * 32, "--file", str(file)]) == 2


def test_a_false_one_says_so_with_its_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = played()
    events: list[Any] = list(game.events)
    other_number(events)
    game.events[:] = events
    file = tmp_path / "game.json"
    file.write_bytes(to_bytes(exported(game)))
    assert PROOF.main([GAME_ID, "--file", str(file)]) == 1
    assert "FALSE  call 1 was" in capsys.readouterr().out


def test_what_is_no_export_is_a_typed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (b"", b"[]", b"\xff", b'{"format":"circolo-match-1","game_id":"","events":[]}'):
        with pytest.raises(Unreadable):
            TOMBOLAS.from_bytes(text)
    with pytest.raises(Unreadable, match="no such"):
        TOMBOLAS.events_of(Exported([], TOMBOLAS.format, GAME_ID))
    with pytest.raises(Unreadable, match="version 2"):
        TOMBOLAS.events_of(Exported([ExportedEvent(Raw(b"{}"), 1, "NumberDrawn", 2)], TOMBOLAS.format, GAME_ID))
    with pytest.raises(Unreadable, match="event 1"):
        TOMBOLAS.events_of(Exported([ExportedEvent(Raw(b"{}"), 1, "NumberSung", 1)], TOMBOLAS.format, GAME_ID))
    for name in ("CIRCOLO_POSTGRES_URL", "CIRCOLO_POSTGRES_URL_TOMBOLA"):
        monkeypatch.delenv(name, raising=False)
    assert PROOF.main([GAME_ID]) == 2
    with pytest.raises(SystemExit):
        PROOF.main(["match-" + GAME_ID])
