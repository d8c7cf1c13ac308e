"""Circolo as a target: servers and every service as a process of its own, all under this one. Prints READY.

``python -m bench.peers.circolo_server --port=8000 [--one-process]``
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import threading
from types import FrameType

from circolo_devstack.stack import stack

RAISED_LIMITS = {
    "CIRCOLO_GATEWAY_PLAYER_OPERATIONS_PER_SECOND": "5000",
    "CIRCOLO_GATEWAY_PLAYER_BURST": "50000",
}
"""A lone pair in a closed loop plays faster than people may; the limit is still counted."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--one-process", action="store_true")
    options = parser.parse_args()
    ended = threading.Event()
    hurry = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        hurry.set()
        ended.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    environ = {**RAISED_LIMITS, **os.environ}
    with stack(port=options.port, one_process=options.one_process, environ=environ, hurry=hurry) as running:
        print("READY " + json.dumps(running.describe()["programs"]), flush=True)
        ended.wait()


if __name__ == "__main__":
    main()
