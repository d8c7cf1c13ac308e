"""``python -m circolo_trivia.verify <game>``: prove that a finished night was shuffled, judged and counted fairly.

Reads the night from the store (CIRCOLO_POSTGRES_URL) or, with ``--file``, from a file that ``--export`` wrote; then it
needs no server. It follows the seed to the order of every question's options, and the rules to every point. What it
proves: nothing was changed after the commitment was published. What it cannot prove: that the seed was drawn blindly,
or which questions the bank could have given.
"""

from __future__ import annotations

import sys

from circolo_contracts.games import TRIVIA
from circolo_service.proof import Proof

from .checks import check
from .errands import SERVICE
from .export import NIGHTS

PROOF = Proof(SERVICE, (TRIVIA.stream_kind,), NIGHTS, check, called="a trivia night")

if __name__ == "__main__":
    sys.exit(PROOF.main())
