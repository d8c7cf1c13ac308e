"""The formats of question files: each a function from bytes to rough questions, row by row.

A reader reports what it cannot read of a row in the row, and raises Unreadable for a file that is not of its format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from circolo_contracts.questions import FileFormat

from ..question import Rough, Tongue
from . import aiken, gift, kahoot, open_trivia, own, table

Reader = Callable[[bytes, Tongue], list[Rough]]
"""The file, and the language of those that have one."""

READERS: Mapping[FileFormat, Reader] = {
    "AIKEN": aiken.read,
    "CSV": table.read,
    "GIFT": gift.read,
    "JSON": own.read,
    "KAHOOT": kahoot.read,
    "OPEN_TRIVIA": open_trivia.read,
}
