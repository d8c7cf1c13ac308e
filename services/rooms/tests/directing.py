"""An operator and what he does, and a game service that shows a position, as the tests on servers want them."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from circolo_contracts.direction import (
    SIGN_OUTS,
    GrantRole,
    ListReports,
    Reason,
    ReportList,
    ReportPlayer,
    ReportReceipt,
    ReportView,
    SignedOut,
)
from circolo_contracts.wire import Actor, Ask, Seen, encoder
from circolo_events.bus import Message
from club import Club
from msgspec import Raw

CONSOLE = Actor("service", "console")
HOUR = 3_600_000


async def operator(club: Club) -> str:
    player = await club.guest("Direzione")
    await club.done(f"player-{player}", GrantRole("OPERATOR"), who=CONSOLE)
    return player


async def file(club: Club, room: str, reporter: str, player: str, reason: Reason = "INSULTS", note: str = "") -> str:
    """The report's id."""
    done = await club.done(f"room-{room}", ReportPlayer(player, reason, note), who=reporter, key=uuid.uuid4().hex)
    return msgspec.json.decode(done.view, type=ReportReceipt).report


async def read(club: Club, report: str, viewer: str) -> ReportView:
    answer = await club.client.send("rooms", f"report-{report}", Ask(viewer=viewer))
    assert isinstance(answer, Seen), answer
    return msgspec.json.decode(answer.view, type=ReportView)


async def listed(club: Club, viewer: str, **how: Any) -> ReportList:
    done = await club.done(f"player-{viewer}", ListReports(**how), who=viewer)
    assert isinstance(done.extra, Raw)
    return msgspec.json.decode(done.extra, type=ReportList)


async def is_listed(club: Club, viewer: str, report: str) -> bool:
    return any(line.report == report for line in (await listed(club, viewer, first=100)).reports)


async def sign_outs(club: Club) -> list[SignedOut]:
    """What gateways are told from now on."""
    told: list[SignedOut] = []
    await club.bus.subscribe(SIGN_OUTS, lambda message: told.append(msgspec.json.decode(message.data, type=SignedOut)))
    await club.bus.flush()
    return told


class Board:
    """The game service's answer to a question: one public view, until it is changed. ``asked`` are the streams."""

    def __init__(self) -> None:
        self.view: dict[str, Any] = {"table": ["7D"], "turn": 2}
        self.version = 17
        self.asked: list[str] = []

    def answer(self, message: Message) -> None:
        self.asked.append(message.subject.rpartition(".")[2])
        seen = Seen(self.version, "public", Raw(encoder.encode(self.view)))
        message.respond(encoder.encode(seen))


@asynccontextmanager
async def board(club: Club) -> AsyncIterator[Board]:
    shown = Board()
    served = await club.bus.subscribe("cmd.cardgames.*.*", shown.answer)
    await club.bus.flush()
    try:
        yield shown
    finally:
        await served.unsubscribe()
