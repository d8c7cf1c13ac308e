"""From what came over the wire to a command's struct, or to a refusal that names what is wrong."""

from __future__ import annotations

import re

import msgspec
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Command, Refused
from msgspec import Struct

from . import canonical
from .aggregate import StreamKind

_SUSPICIOUS = re.compile(rb"\\u|[0-9]{16}")
"""An escaped character or a number of 16 digits: only these can hide NUL, a surrogate or an integer beyond 2^53. What
else cannot be stored (a float, null) fits no command's struct."""


def parse(kind: StreamKind, command: Command) -> Struct | Refused:
    """The command's struct, or why it cannot be one; also refuses what could not be stored."""
    struct = kind.commands.get(command.type)
    if struct is None:
        return Refused(RefusalCode.UNKNOWN_COMMAND)
    try:
        if _SUSPICIOUS.search(bytes(command.data)):
            canonical.check(msgspec.json.decode(command.data))
        return msgspec.json.decode(command.data, type=struct)
    except canonical.NotCanonical as error:
        code = RefusalCode.INVALID_TEXT if error.code in ("NUL", "SURROGATE") else RefusalCode.MALFORMED
        return Refused(code, field=error.path)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        _, _, path = str(error).partition("at `$.")
        return Refused(RefusalCode.MALFORMED, field=path.rstrip("`")) if path else Refused(RefusalCode.MALFORMED)
