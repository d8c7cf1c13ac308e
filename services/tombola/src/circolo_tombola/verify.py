"""``python -m circolo_tombola.verify <game>``: prove that a finished tombola was dealt, called and judged fairly.

Reads the game from the store (CIRCOLO_POSTGRES_URL) or, with ``--file``, from a file that ``--export`` wrote; then it
needs no server. It follows the seed to every ticket and every call, and the rules to every prize. What it proves:
nothing was changed after the commitment was published. What it cannot prove: that the seed was drawn blindly.
"""

from __future__ import annotations

import sys

from circolo_service.proof import Proof

from .checks import check
from .export import TOMBOLAS
from .reactions import GAME, SERVICE

PROOF = Proof(SERVICE, (GAME,), TOMBOLAS, check, called="a tombola")

if __name__ == "__main__":
    sys.exit(PROOF.main())
