"""``python -m circolo_service rooms cardgames gateway``: several services in one process, for a small club.

``--migrate-only`` brings their schemas up to date and ends: what a deployment's migration job runs.
"""

from __future__ import annotations

import argparse
import sys

from .process import StartFailure
from .run import WRONG_SETTING, find, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m circolo_service", description="Run services in one process.")
    parser.add_argument("services", nargs="+", metavar="SERVICE", help="started in this order, drained in the other")
    parser.add_argument("--migrate-only", action="store_true", help="bring the schemas up to date and end")
    options = parser.parse_args()
    names = list(dict.fromkeys(options.services))
    try:
        specs = [find(name) for name in names]
    except StartFailure as failure:
        sys.stderr.write(f"circolo: {failure}\n")
        return WRONG_SETTING
    return run(names[0] if len(names) == 1 else "circolo", specs, migrate_only=options.migrate_only)


if __name__ == "__main__":
    sys.exit(main())
