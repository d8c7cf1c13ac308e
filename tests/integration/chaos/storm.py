"""A storm: tables are played, things are broken, everything comes to rest, and the checker looks at all of it."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from circolo_devstack.stack import Stack
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient

from .archive import Everything, read_everything, until_quiet
from .checks import Violation
from .checks_of_play import everything
from .faults import Injector, Strike
from .history import History
from .logbooks import crashes
from .tables import SEATINGS, Around, Seating, Table

PATIENCE_SECONDS = 20.0
"""The longest wait for the commands that a strike waits for; with all services away there are none."""
SHOWN_VIOLATIONS = 20


@dataclass
class Report:
    seconds: float
    tables: int
    history: History
    injector: Injector
    stored: Everything
    violations: list[Violation]

    @property
    def figures(self) -> dict[str, object]:
        events = len(self.stored.rooms.rows) + len(self.stored.cardgames.rows)
        updates = sum(len(watching.shown) for watching in self.history.watching)
        return {
            "seconds": round(self.seconds, 1), "tables": self.tables, "matches": self.history.matches,
            "commands accepted": len(self.history.accepted), "refused": len(self.history.refused),
            "by refusal": dict(Counter(f"{each.what} {each.code}" for each in self.history.refused)),
            "answers undecided": self.history.undecided, "events": events, "faults": sum(self.injector.done.values()),
            "kills": sum(n for what, n in self.injector.done.items() if what.startswith(("kill", "wipe", "stop"))),
            "by fault": dict(sorted(self.injector.done.items())), "appends cut": self.injector.cut,
            "subscriptions": len(self.history.watching), "updates": updates, "reconnects": self.history.reconnects,
            "feed messages": sum(map(len, self.stored.feeds.values())), "violations": len(self.violations),
        }  # fmt: skip

    def check(self) -> None:
        """Raises AssertionError naming what does not hold."""
        shown = "\n".join(map(str, self.violations[:SHOWN_VIOLATIONS]))
        assert not self.violations, f"{len(self.violations)} violations:\n{shown}\n{self.figures}"


async def storm(
    house: Stack, strikes: Iterable[Strike], *, seed: int, tables: int, injector: Injector | None = None,
    urls: Sequence[str] = (), seatings: Sequence[Seating] = SEATINGS, seconds: float = 600.0,
) -> Report:  # fmt: skip
    """Play ``tables`` tables until all strikes are through or ``seconds`` are over, then check everything."""
    began = time.monotonic()
    injector = injector or Injector(house)
    history = History()
    bus = await NatsBus.connect(house.nats_url, name="insider")
    around = Around(urls or [house.url], history, CommandClient(bus))
    rng = random.Random(seed)
    evenings = [
        asyncio.create_task(Table(around, seatings[number % len(seatings)], rng.getrandbits(32)).evening())
        for number in range(tables)
    ]
    breaking = asyncio.create_task(_break(strikes, injector, history, began + seconds))
    try:
        done, _ = await asyncio.wait([breaking, *evenings], return_when=asyncio.FIRST_COMPLETED)
        for each in done:  # an evening ends before the storm only by an error
            each.result()
        around.over.set()
        await asyncio.gather(*evenings)
    except BaseException as error:
        error.add_note("\n".join(crashes(house.home.logs)))
        raise
    finally:
        for task in (breaking, *evenings):
            task.cancel()
        await asyncio.gather(breaking, *evenings, return_exceptions=True)
        await bus.close()
    violations: list[Violation] = []
    try:
        await until_quiet(house.postgres_url, house.nats_url)
    except TimeoutError as error:
        violations.append(Violation("not quiet", "the house", str(error)))
    stored = await read_everything(house.postgres_url, house.nats_url)
    violations += everything(history, stored)
    violations += [Violation("crash", "a service", crash) for crash in crashes(house.home.logs)]
    return Report(time.monotonic() - began, tables, history, injector, stored, violations)


async def _break(strikes: Iterable[Strike], injector: Injector, history: History, until: float) -> None:
    for strike in strikes:
        if time.monotonic() > until:
            return
        await history.wait_for(len(history.accepted) + strike.after, PATIENCE_SECONDS)
        await injector.strike(strike)
