"""What may not come in: text and numbers that cannot be stored or would choke somebody behind us.

The owner checks the meaning (a name's length, a setting's range); here it is only that the value can travel at all.
"""

from __future__ import annotations

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Refused
from circolo_events.canonical import MAX_SAFE_INTEGER

MOST_NAME = 1_000
"""Characters. The rule is 1 to 32 after normalisation; beyond this nobody needs to normalise."""


def text_problem(text: str, field: str, most: int = MOST_NAME) -> Refused | None:
    """NUL, a lone surrogate, or much too long."""
    if len(text) > most or "\x00" in text or any("\ud800" <= c <= "\udfff" for c in text):
        return Refused(RefusalCode.INVALID_TEXT, field=field)
    return None


def number_problem(number: int, field: str) -> Refused | None:
    if not -MAX_SAFE_INTEGER <= number <= MAX_SAFE_INTEGER:
        return Refused(RefusalCode.MALFORMED, field=field)
    return None
