"""``python -m bench <what>``, without an argument ``moves``; see the README."""

from __future__ import annotations

import argparse
import importlib
import sys

from .peers.targets import NotInstalled, UnknownTarget

WHAT = {
    "install": "the peers and the tools of the benchmark, into .peers/",
    "moves": "a move: moves/s, p50, p99, CPU, lag; beside the peers with --targets",
    "append": "events/s and latency of appending with 64 callers, beside a library and raw COPY",
    "replay": "reading the whole log, and the memory that it takes",
    "startup": "`make up` to ready, and the idle memory of each process",
    "cpus": "people's moves beside tables at which CPUs search",
    "tombola": "strips a second, a draw at a full table, a hundred tables by the clock, memory a room",
    "games": "states and playouts a second, game by game, and the memory of a thousand matches",
    "trivia": "a reveal to 24 people, double presses of a buzzer, memory of a night",
    "profile": "which functions a move costs, in gateway and cardgames",
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Circolo's figures.")
    commands = parser.add_subparsers(dest="what", required=True)
    modules = {}
    for name, about in WHAT.items():
        module = modules[name] = importlib.import_module(f".{'profiling' if name == 'profile' else name}", __package__)
        module.arguments(commands.add_parser(name, help=about, description=about))
    options = parser.parse_args(sys.argv[1:] or ["moves"])
    try:
        return int(modules[options.what].run(options))
    except (NotInstalled, UnknownTarget) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
