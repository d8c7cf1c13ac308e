"""The history while a newer release plays games that this gateway does not know yet."""

from __future__ import annotations

from collections.abc import Awaitable
from types import SimpleNamespace
from typing import Any

from circolo_gateway.records.pages import cursor_of
from circolo_gateway.schema.history import history


def finished(number: int, game: str) -> dict[str, Any]:
    return {
        "match": f"{number:032x}", "game": game, "ranked": False, "room": "1" * 32, "game_no": number,
        "seats_json": b"[]", "settings_json": b"{}", "deals_json": b"[]", "score_json": b"[]", "outcome": "TIED",
        "reason": None, "winner": None, "abandoned_by": None, "started_at": number, "ended_at": number,
    }  # fmt: skip


async def test_a_page_of_unknown_games_is_empty_and_says_where_the_next_one_begins() -> None:
    records = [finished(number, "GAME_OF_TOMORROW") for number in (3, 2, 1)]

    async def fetch(*_: object, **__: object) -> list[dict[str, Any]]:
        return records

    async def read(reading: Awaitable[Any]) -> Any:
        return await reading

    context: Any = SimpleNamespace(house=SimpleNamespace(pool=SimpleNamespace(fetch=fetch)), viewer="", read=read)
    page = await history(context, None, None, 2, None)
    assert page.edges == []
    assert page.page_info.has_next_page
    assert page.page_info.end_cursor == cursor_of((2, f"{2:032x}"))
