"""The record of a finished game, as a frontend gets it and as the rules play it again."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from circolo_devstack.stack import Stack
from evening import answer, guests, play_out, sit_down

RECORD = "query($game: ID!) { game(id: $game) { record result { outcome } } }"


@pytest.mark.parametrize(("kind", "settings"), [("briscola", {}), ("scopa", {"target": 11})])
async def test_a_finished_game_has_a_record_that_the_rules_play_again(
    house: Stack, tmp_path: Path, kind: str, settings: dict[str, Any]
) -> None:
    async with guests(house.url, "Nord", "Est", "Curioso") as (north, east, stranger):
        table = await sit_down([north, east], kind=kind, visibility="PRIVATE", **settings)
        running = await answer(north, RECORD, game=table.game)
        assert running == {"record": None, "result": None}
        await play_out(table)
        text = (await answer(east, RECORD, game=table.game))["record"]
        assert text.startswith('[Format "circolo-record-1"]\n')
        file = tmp_path / "record.txt"
        file.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "circolo_cardgames.record", "--check", str(file)]
        checked = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")
        assert await answer(stranger, RECORD, game=table.game) is None, "a private room is not his to see"
