"""The bank in Postgres: the starter bank, imports that are whole or not at all, and what each night may get."""

from __future__ import annotations

import asyncio
import json
import uuid

import asyncpg
import pytest
from circolo_contracts.direction import PlayerErased
from circolo_contracts.questions import ImportReport
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Refused
from circolo_trivia.bank import __main__ as command_line
from circolo_trivia.bank.store import HOUSE, Bank
from circolo_trivia.bank.themes import THEMES
from circolo_trivia.commands import ForgetQuestions
from circolo_trivia.rehearsal import player
from circolo_trivia.service import TriviaNights
from sheets import kahoot
from trivia_club import Club, until


def questions(*texts: str) -> bytes:
    return json.dumps(
        [{"text": text, "options": ["a", "b", "c", "d"], "answer": n % 4} for n, text in enumerate(texts)]
    ).encode()


def problems(report: ImportReport | Refused) -> list[tuple[int, str]]:
    assert isinstance(report, ImportReport), report
    return [(row.row, row.problem) for row in report.refused]


@pytest.fixture
async def bank(service: TriviaNights) -> Bank:
    return service.bank


async def owned(bank: Bank, owner: str) -> int:
    count: int = await bank.pool.fetchval("SELECT count(*) FROM question WHERE owner = $1", owner)
    return count


async def test_the_starter_bank_is_there_after_every_start_and_only_once(club: Club, bank: Bank) -> None:
    assert await owned(bank, HOUSE) == 48
    assert await bank.load_starter() == 0
    await bank.pool.execute("UPDATE question SET difficulty = 3, prompt_it = 'Vecchia?' WHERE id = 'storia-1'")
    await bank.pool.execute("DELETE FROM question WHERE id = 'arte-2'")
    replica = await club.open()
    await replica.stop()
    assert await owned(bank, HOUSE) == 48
    assert await bank.load_starter() == 0
    restored = await bank.pool.fetchrow("SELECT difficulty, prompt_it, verified FROM question WHERE id = 'storia-1'")
    assert (restored["difficulty"], restored["verified"]) == (1, False)
    await asyncio.gather(*(bank.load_starter() for _ in range(4)))


async def test_a_preview_stores_nothing_and_the_import_stores_what_it_said(club: Club, bank: Bank) -> None:
    data = questions("One?", "Two?", "one", "Quale città fu capitale del Regno d'Italia dopo Torino e prima di Roma?")
    shown = await club.hand_in(data, "JSON", store=False)
    assert problems(shown) == [(3, "DUPLICATE_IN_FILE"), (4, "DUPLICATE")], "the starter bank has it"
    assert isinstance(shown, ImportReport)
    assert (shown.taken, shown.stored, [row.prompt.en for row in shown.rows]) == (2, False, ["One?", "Two?"])
    assert await owned(bank, player(0)) == 0
    key = uuid.uuid4().hex
    stored = await club.hand_in(data, "JSON", store=True, key=key)
    assert isinstance(stored, ImportReport)
    assert (stored.taken, stored.stored) == (2, True)
    assert await club.hand_in(data, "JSON", store=True, key=key) == stored, "the same command, the first answer"
    reused = await club.hand_in(questions("Three?"), "JSON", store=True, key=key)
    assert isinstance(reused, Refused)
    assert reused.code is RefusalCode.KEY_REUSED
    again = await club.hand_in(data, "JSON", store=True)
    assert problems(again)[:2] == [(1, "DUPLICATE"), (2, "DUPLICATE")]
    assert await owned(bank, player(0)) == 2


async def test_log_14_kahoots_template_comes_in_and_a_bad_third_row_is_named(club: Club, bank: Bank) -> None:
    rows = [(f"River {n}?", "a", "b", "c", "d", 20, 1) for n in range(4)]
    rows[2] = ("River 2?", "a", "a", "c", "d", 20, 1)
    report = await club.hand_in(kahoot(rows), "KAHOOT", store=True)
    assert problems(report) == [(11, "EQUAL_OPTIONS")]
    assert await owned(bank, player(0)) == 3


async def test_an_import_that_fails_half_way_leaves_nothing(club: Club, bank: Bank) -> None:
    await bank.pool.execute(
        "CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF NEW.prompt_en = 'Third?' THEN NEW.difficulty = 9; END IF; RETURN NEW; END $$"
    )
    await bank.pool.execute("CREATE TRIGGER stumble BEFORE INSERT ON question FOR EACH ROW EXECUTE FUNCTION stumble()")
    data, key = questions("First?", "Second?", "Third?", "Fourth?"), uuid.uuid4().hex
    club.client.total = 0.5
    failed = await club.hand_in(data, "JSON", store=True, key=key)
    assert isinstance(failed, Refused)
    assert failed.code is RefusalCode.UNAVAILABLE
    assert await owned(bank, player(0)) == 0
    await bank.pool.execute("DROP TRIGGER stumble ON question")
    assert isinstance(await club.hand_in(data, "JSON", store=True, key=key), ImportReport)
    assert await owned(bank, player(0)) == 4


async def test_a_player_who_is_forgotten_leaves_no_question_behind(club: Club, bank: Bank) -> None:
    for seat in (0, 1):
        await club.hand_in(questions("Mine?", "Also mine?"), "JSON", store=True, seat=seat)
    refused = await club.send(f"bank-{player(1)}", 0, ForgetQuestions())
    assert isinstance(refused, Refused)
    await club.room_says(PlayerErased(at=1, epoch=1), stream=f"player-{player(0)}")

    async def gone() -> bool:
        return await owned(bank, player(0)) == 0

    await until(gone)
    assert await owned(bank, player(1)) == 2
    assert await bank.pool.fetchval("SELECT count(*) FROM question_import WHERE owner = $1", player(0)) == 0


async def test_two_imports_at_once_take_each_question_once(club: Club, bank: Bank) -> None:
    data = questions(*(f"Question {n}?" for n in range(60)))
    reports = await asyncio.gather(*(club.hand_in(data, "JSON", store=True) for _ in range(4)))
    assert sorted(report.taken for report in reports if isinstance(report, ImportReport)) == [0, 0, 0, 60]
    assert await owned(bank, player(0)) == 60


async def test_a_player_has_a_limit_and_the_rest_is_refused_by_row(
    club: Club, bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("circolo_trivia.bank.store.MOST_OF_A_PLAYER", 3)
    report = await club.hand_in(questions(*"ABCDE"), "JSON", store=True)
    assert problems(report) == [(4, "BANK_FULL"), (5, "BANK_FULL")]
    assert await owned(bank, player(0)) == 3


async def test_only_ones_own_bank_and_only_what_can_be_read(club: Club, bank: Bank) -> None:
    from circolo_contracts.questions import PreviewQuestions

    other = await club.send(f"bank-{player(1)}", 0, PreviewQuestions("", "JSON"))
    garbage = await club.send(f"bank-{player(0)}", 0, PreviewQuestions("%%%", "JSON"))
    empty = await club.send(f"bank-{player(0)}", 0, PreviewQuestions("W10=", "JSON"))
    elsewhere = await club.send(f"trivia-{player(0)}", 0, PreviewQuestions("W10=", "JSON"))
    unknown = await club.send(f"bank-{player(0)}", 0, PreviewQuestions("W10=", "WORD"))  # type: ignore[arg-type]
    codes = [answer.code for answer in (other, garbage, empty, elsewhere, unknown) if isinstance(answer, Refused)]
    assert codes == [
        RefusalCode.NOT_ALLOWED, RefusalCode.MALFORMED, RefusalCode.UNREADABLE_FILE, RefusalCode.NOT_FOUND,
        RefusalCode.MALFORMED,
    ]  # fmt: skip


async def test_a_night_draws_from_the_house_and_from_its_hosts_own_questions(club: Club, bank: Bank) -> None:
    await club.hand_in(questions("Only Anna knows?"), "JSON", store=True, seat=0)
    mine = await bank.candidates(club.room, player(0), THEMES)
    others = await bank.candidates(club.room, player(1), THEMES)
    assert (len(mine), len(others)) == (49, 48)
    asked = [candidate.id for candidate in mine[:3]]
    await bank.remember(club.room, asked)
    await bank.remember(club.room, asked[:1])
    later = await bank.candidates(club.room, player(0), THEMES)
    assert [candidate.fresh for candidate in later] == [True] * 46 + [False] * 3
    assert later[-1].id == asked[0], "what was asked longest ago comes first of those"
    assert all(candidate.fresh for candidate in await bank.candidates("9" * 32, player(0), THEMES))
    (question,) = await bank.questions([later[0].id])
    assert len(question.options) == 4


async def test_an_operator_brings_questions_in_for_everybody(
    club: Club, bank: Bank, monkeypatch: pytest.MonkeyPatch, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    from pathlib import Path

    file = Path(str(tmp_path)) / "questions.json"
    file.write_bytes(questions("House?", "house"))
    monkeypatch.setenv("CIRCOLO_POSTGRES_URL", club.settings.postgres_url or "")
    run = [str(file), "--format", "JSON", "--theme", "arte", "--language", "EN"]
    assert await asyncio.to_thread(command_line.main, run) == 1
    assert capsys.readouterr().out.splitlines() == ["row 2: DUPLICATE_IN_FILE", "1 would be taken"]
    assert await asyncio.to_thread(command_line.main, [*run, "--store"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 taken"
    assert await owned(bank, HOUSE) == 49
    file.write_bytes(b"nothing")
    assert await asyncio.to_thread(command_line.main, run) == 2
    monkeypatch.delenv("CIRCOLO_POSTGRES_URL")
    assert await asyncio.to_thread(command_line.main, [str(file), "--format", "JSON"]) == 2
    with pytest.raises(asyncpg.UniqueViolationError):
        await bank.pool.execute("INSERT INTO question SELECT * FROM question LIMIT 1")
