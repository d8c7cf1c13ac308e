"""What may not come in: text that cannot be stored or would choke somebody behind us. Integers are 32-bit in GraphQL.

The owner checks the meaning (a name's length, a setting's range); here it is only that the value can travel at all.
"""

from __future__ import annotations

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Refused

MOST_NAME = 1_000
"""Characters. The rule is 1 to 32 after normalisation; beyond this nobody needs to normalise."""


def text_problem(text: str, field: str, most: int = MOST_NAME) -> Refused | None:
    """NUL, a lone surrogate, or much too long."""
    if len(text) > most or "\x00" in text or any("\ud800" <= c <= "\udfff" for c in text):
        return Refused(RefusalCode.INVALID_TEXT, field=field)
    return None
