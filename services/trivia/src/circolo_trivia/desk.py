"""Where questions are handed in: a player's file is looked at, or brought in, for his own nights."""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Mapping

import msgspec
from circolo_contracts.ids import id_of, kind_of
from circolo_contracts.questions import ImportQuestions, ImportReport, PreviewQuestions
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Answer, Command, Done, Refused
from circolo_events import canonical
from msgspec import Raw

from .bank.formats.text import Unreadable
from .bank.importing import Sorted, sorted_out
from .bank.store import Bank, KeyReused
from .errands import BANK, Handler

READERS_AT_ONCE = 2
"""Files that are read at a time, each in a thread; others wait."""

Wish = PreviewQuestions | ImportQuestions


class Desk:
    def __init__(self, bank: Bank) -> None:
        self._bank = bank
        self._readers = asyncio.Semaphore(READERS_AT_ONCE)

    def handlers(self) -> dict[str, Handler]:
        return {
            "ForgetQuestions": self.forget,
            "ImportQuestions": self.bring_in,
            "PreviewQuestions": self.preview,
        }

    async def preview(self, stream: str, command: Command, _: Mapping[str, str] | None) -> Answer:
        found = await self._read(stream, command, PreviewQuestions)
        if isinstance(found, Refused):
            return found
        return _answer(await self._bank.preview(command.actor.id, found))

    async def bring_in(self, stream: str, command: Command, _: Mapping[str, str] | None) -> Answer:
        """The same command again gets its first answer."""
        found = await self._read(stream, command, ImportQuestions)
        if isinstance(found, Refused):
            return found
        digest = canonical.digest(bytes(command.data)).hex()
        try:
            done = await self._bank.bring_in(command.id, digest, command.actor.id, found)
        except KeyReused:
            return Refused(RefusalCode.KEY_REUSED)
        return _answer(done.report, replayed=done.replayed)

    async def forget(self, stream: str, command: Command, _: Mapping[str, str] | None) -> Answer:
        """Their owner is forgotten."""
        if command.actor.kind != "service":
            return Refused(RefusalCode.NOT_ALLOWED)
        if kind_of(stream) != BANK:
            return Refused(RefusalCode.NOT_FOUND)
        await self._bank.forget(id_of(stream))
        return Done(0, 0, False, Raw(b"{}"), 0)

    async def _read(self, stream: str, command: Command, wanted: type[Wish]) -> Sorted | Refused:
        """For oneself only."""
        if kind_of(stream) != BANK:
            return Refused(RefusalCode.NOT_FOUND)
        if command.actor.kind != "player" or command.actor.id != id_of(stream):
            return Refused(RefusalCode.NOT_ALLOWED)
        try:
            wish = msgspec.json.decode(command.data, type=wanted)
            data = base64.b64decode(wish.data, validate=True)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            _, _, path = str(error).partition("at `$.")
            return Refused(RefusalCode.MALFORMED, field=path.rstrip("`") or "data")
        except (binascii.Error, ValueError):
            return Refused(RefusalCode.MALFORMED, field="data")
        async with self._readers:
            try:
                return await asyncio.to_thread(sorted_out, data, wish.format, wish.language, wish.theme)
            except Unreadable:
                return Refused(RefusalCode.UNREADABLE_FILE, field="data")


def _answer(report: ImportReport, *, replayed: bool = False) -> Done:
    """There is no stream behind it: version and position are 0."""
    return Done(0, 0, replayed, Raw(b"{}"), 0, extra=Raw(canonical.encode(report)))
