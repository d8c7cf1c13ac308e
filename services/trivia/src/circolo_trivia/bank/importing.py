"""From a file to drafts and refused rows: what can be taken, and what not, row by row. Nothing is stored here."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from circolo_contracts.questions import FileFormat, ImportReport, RefusedRow, RowProblem, TakenRow
from msgspec import Struct

from .formats import READERS
from .formats.text import Unreadable
from .question import Draft, Rough, Tongue, checked

MAX_FILE = 512 * 1024
"""Bytes: with what base64 adds, a command stays within a message of NATS."""
MAX_ROWS = 2_000
SHOWN_ROWS = 100


class Sorted(Struct, frozen=True):
    taken: list[Draft]
    refused: list[RefusedRow]


def sorted_out(data: bytes, form: FileFormat, language: Tongue, theme: str) -> Sorted:
    """Raises Unreadable when the file is not of this format, too large, or has nothing in it."""
    if len(data) > MAX_FILE:
        raise Unreadable(f"more than {MAX_FILE} bytes")
    rough = READERS[form](data, language)
    if not rough or len(rough) > MAX_ROWS:
        raise Unreadable(f"{len(rough)} questions; 1 to {MAX_ROWS} are taken at a time")
    return _once_each(rough, theme)


def _once_each(rough: Sequence[Rough], theme: str) -> Sorted:
    """The first of several rows with one text is taken."""
    taken: list[Draft] = []
    refused: list[RefusedRow] = []
    seen: set[str] = set()
    for row in rough:
        draft = checked(row, theme)
        if isinstance(draft, RefusedRow):
            refused.append(draft)
        elif seen & set(draft.marks):
            refused.append(RefusedRow("DUPLICATE_IN_FILE", draft.row))
        else:
            seen |= set(draft.marks)
            taken.append(draft)
    return Sorted(taken, refused)


def without_known(found: Sorted, known: Collection[str], room: int) -> Sorted:
    """``known``: marks of questions that the bank has for this owner; ``room``: how many more he may have."""
    taken: list[Draft] = []
    refused = list(found.refused)
    for draft in found.taken:
        problem: RowProblem | None = None
        if any(mark in known for mark in draft.marks):
            problem = "DUPLICATE"
        elif len(taken) >= room:
            problem = "BANK_FULL"
        if problem is None:
            taken.append(draft)
        else:
            refused.append(RefusedRow(problem, draft.row))
    return Sorted(taken, sorted(refused, key=lambda each: each.row))


def report(found: Sorted, *, stored: bool) -> ImportReport:
    rows = [TakenRow(draft.difficulty, draft.prompt, draft.row, draft.theme) for draft in found.taken[:SHOWN_ROWS]]
    return ImportReport(found.refused, rows, stored, len(found.taken))
