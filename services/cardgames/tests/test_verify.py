from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from circolo_cardgames.cpu import choose
from circolo_cardgames.registry import REGISTRY
from circolo_cardgames.rehearsal import SERVICE, Rehearsal
from circolo_cardgames.sight import Sight
from circolo_cardgames.verify import PROOF
from circolo_contracts.cardgames import MatchEvent, PlayCard, StopMatch
from circolo_contracts.ids import RoomId, global_id, stream_of
from circolo_service.export import Exported, ExportedEvent, to_bytes
from msgspec import Raw

Sit = Callable[..., Rehearsal]
GAME = "a" * 32


def by_habit(sight: Sight) -> PlayCard:
    command = choose(sight, "EASY", f"{sight.view.version}")
    assert command is not None
    return command


def export(events: list[MatchEvent]) -> bytes:
    stored = []
    for version, event in enumerate(events, 1):
        name, schema, data = REGISTRY.encode(event)
        stored.append(ExportedEvent(Raw(data), schema, name, version))
    return to_bytes(Exported(stored, "circolo-match-1", GAME))


@pytest.fixture
def record(sit: Sit, tmp_path: Path) -> Path:
    table = sit(2, bestOf=3)
    table.play_on(by_habit)
    path = tmp_path / "match.json"
    path.write_bytes(export(table.events))
    return path


def verify(path: Path, capsys: pytest.CaptureFixture[str], game: str = GAME) -> tuple[int, list[str]]:
    code = PROOF.main([game, "--file", str(path)])
    out = capsys.readouterr()
    return code, (out.out + out.err).splitlines()


def test_a_fair_match_passes_every_check(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = verify(record, capsys)
    assert code == 0
    assert all(line.startswith("ok ") for line in lines)
    assert sum("is shuffle" in line for line in lines) in (2, 3)
    assert any("20 tricks" in line for line in lines)
    assert any("40 cards, each legal" in line for line in lines)
    assert "the match ends WON" in lines[-1]


def test_a_match_that_was_stopped_is_checked_as_far_as_it_went(
    sit: Sit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = sit(4)
    table.play_on(by_habit, plays=9)
    table.do(StopMatch(), SERVICE)
    path = tmp_path / "match.json"
    path.write_bytes(export(table.events))
    code, lines = verify(path, capsys)
    assert code == 0
    assert any("9 cards" in line for line in lines)


def edit(path: Path, kind: str, change: Callable[[dict[str, object]], object], nth: int = 0) -> None:
    match = json.loads(path.read_text())
    event = [event for event in match["events"] if event["type"] == kind][nth]
    change(event["data"])
    path.write_text(json.dumps(match))


@pytest.mark.parametrize(
    ("kind", "change", "complaint"),
    [
        ("MatchStarted", lambda d: d.update(commitment="0" * 64), "promised"),
        ("MatchStarted", lambda d: d.update(seed="0" * 64), "the one that was used"),
        ("MatchStarted", lambda d: d.update(game_id="c" * 32), "promised"),
        ("MatchStarted", lambda d: d.update(dealer=1 - d["dealer"]), "was drawn from the seed"),
        ("SeedRevealed", lambda d: d.update(seed="0" * 64), "promised"),
        ("SeedRevealed", lambda d: d.update(seed="no seed"), "promised"),
        ("DealStarted", lambda d: d["deck"].reverse(), "the deck is not shuffle 1"),
        ("DealStarted", lambda d: d.update(shuffle_no=7), "shuffle 7 does not follow"),
        ("DealStarted", lambda d: d.update(leader=d["dealer"]), "should have dealt"),
        ("DealStarted", lambda d: d.update(deal_no=2), "cannot begin here"),
        ("CardPlayed", lambda d: d.update(card="0X"), "was not seat"),
        ("CardPlayed", lambda d: d.update(seat=1 - d["seat"]), "out of turn"),
        ("TrickEnded", lambda d: d["drawn"].reverse(), "should have been"),
        ("TrickEnded", lambda d: d.update(winner=1 - d["winner"]), "should have been"),
        ("TrickEnded", lambda d: d.update(points=d["points"] + 1), "should have been"),
        ("DealEnded", lambda d: d["points"].reverse(), "should have ended"),
        ("DealEnded", lambda d: d.update(won=[3, 3]), "should have ended"),
        ("MatchEnded", lambda d: d.update(winner=1 - d["winner"]), "the match should stand"),
        ("MatchEnded", lambda d: d.update(outcome="STOPPED"), "was decided"),
    ],
)
def test_what_was_tampered_with_is_found(
    record: Path, capsys: pytest.CaptureFixture[str], kind: str,
    change: Callable[[dict[str, object]], object], complaint: str,
) -> None:  # fmt: skip
    edit(record, kind, change)
    code, lines = verify(record, capsys)
    assert code == 1
    assert lines[-1].startswith("FALSE")
    assert complaint in lines[-1]
    assert not any(line.startswith("FALSE") for line in lines[:-1])


def test_a_later_trick_is_checked_as_the_first(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(record, "TrickEnded", lambda d: d.update(points=99), nth=30)
    assert verify(record, capsys)[0] == 1


def remove(path: Path, keep: Callable[[int, dict[str, object]], bool]) -> None:
    match = json.loads(path.read_text())
    kept = [event for place, event in enumerate(match["events"]) if keep(place, event)]
    match["events"] = [{**event, "version": version} for version, event in enumerate(kept, 1)]
    path.write_text(json.dumps(match))


@pytest.mark.parametrize("kind", ["DealStarted", "CardPlayed", "TrickEnded", "DealEnded", "MatchEnded"])
def test_an_event_that_was_left_out_is_missed(record: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    first = next(n for n, e in enumerate(json.loads(record.read_text())["events"]) if e["type"] == kind)
    remove(record, lambda place, _event: place != first)
    assert verify(record, capsys)[0] == 1


@pytest.mark.parametrize("kind", ["DealStarted", "CardPlayed", "TrickEnded", "DealEnded", "MatchEnded", "MatchStarted"])
def test_an_event_that_was_added_is_found(record: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    match = json.loads(record.read_text())
    added = [e for e in match["events"] for _ in range(2 if e["type"] == kind else 1)]
    match["events"] = [{**event, "version": version} for version, event in enumerate(added, 1)]
    record.write_text(json.dumps(match))
    assert verify(record, capsys)[0] == 1


def test_a_running_match_cannot_be_verified_yet(sit: Sit, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = sit(2)
    path = tmp_path / "match.json"
    path.write_bytes(export(table.events))
    code, lines = verify(path, capsys)
    assert code == 2
    assert "still secret" in lines[-1]
    assert table.state.seed not in "".join(lines)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"events":[],"format":"x","game_id":"y"}', "\x00"])
def test_a_file_that_is_no_match_is_said_to_be_none(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "match.json"
    path.write_text(text)
    assert verify(path, capsys)[0] == 2
    assert verify(tmp_path / "nothing.json", capsys)[0] == 2


def test_versions_have_no_holes_and_types_are_known(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = record.read_text()
    record.write_text(text.replace('"version":5}', '"version":6}'))
    assert verify(record, capsys) == (2, ["event 5 has version 6"])
    record.write_text(text.replace('"CardPlayed"', '"CardThrown"'))
    assert verify(record, capsys)[0] == 2


def test_another_games_file_is_refused(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(record, capsys, "c" * 32)[0] == 2


def test_a_game_is_named_as_the_api_names_it() -> None:
    stream = stream_of("match", GAME)
    assert PROOF.game_id_of(GAME) == PROOF.game_id_of(stream) == GAME
    assert PROOF.game_id_of(global_id("CardGame", stream, RoomId("b" * 32))) == GAME
    patience = stream_of("solitaire", GAME)
    assert PROOF.game_id_of(patience) == PROOF.game_id_of(global_id("Solitaire", patience, RoomId("b" * 32))) == GAME
    assert PROOF.game_id_of(global_id("Room", stream_of("room", GAME))) is None
    for text in ("", "match-", "solitaire-", "room-" + GAME, "A" * 32):
        assert PROOF.game_id_of(text) is None


def test_without_a_server_and_a_file_it_says_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CIRCOLO_POSTGRES_URL", raising=False)
    assert PROOF.main([GAME]) == 2
    assert "CIRCOLO_POSTGRES_URL" in capsys.readouterr().err
