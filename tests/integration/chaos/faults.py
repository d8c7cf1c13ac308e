"""What is broken, and how: each fault is one that an operator has seen, injected at a moment that a seed decides."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import shutil
import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import asyncpg
from circolo_devstack.stack import Stack
from circolo_devstack.supervisor import Supervisor
from circolo_events.failures import DATABASE_AWAY

from .archive import SERVICES

SERVERS = ("postgres", "nats")
READY_SECONDS = 60.0


@dataclass(frozen=True)
class Fault:
    """``kill``, ``freeze``, ``drain`` of a process; ``stop`` of Postgres; ``wipe`` of JetStream's disk; ``cut`` of
    database connections (``appends``: those that are in the middle of one; ``all``)."""

    kind: str
    target: str
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.kind} {self.target}" + (f" {self.seconds:.1f} s" if self.seconds else "")


@dataclass(frozen=True)
class Strike:
    """Faults at one moment, after ``after`` more commands were accepted."""

    after: int
    faults: tuple[Fault, ...]


KILLED = ("cardgames", "rooms", "projector", "gateway", "nats")
FROZEN = ("cardgames", "rooms", "projector", "gateway", "nats", "postgres")
DRAINED = ("cardgames", "rooms", "gateway")


def every_fault(frozen_seconds: float = 1.5) -> list[Fault]:
    """Each once."""
    return [
        *(Fault("kill", name) for name in KILLED),
        *(Fault("freeze", name, frozen_seconds) for name in FROZEN),
        *(Fault("drain", name) for name in DRAINED),
        Fault("stop", "postgres"),
        Fault("wipe", "nats"),
        Fault("cut", "appends"),
        Fault("cut", "all"),
    ]


def plan(seed: int, faults: Sequence[Fault], *, after: tuple[int, int], pairs: float = 0.0) -> Iterator[Strike]:
    """The faults in an order that the seed gives; a share of them two at a time, as troubles come."""
    rng = random.Random(seed)
    waiting = list(faults)
    rng.shuffle(waiting)
    while waiting:
        together = [waiting.pop()]
        if waiting and rng.random() < pairs and waiting[-1].target != together[0].target:
            together.append(waiting.pop())
        yield Strike(rng.randint(*after), tuple(together))


def without_end(seed: int, names: Mapping[str, Sequence[str]], *, after: tuple[int, int]) -> Iterator[Strike]:
    """All faults in random order, again and again; ``names``: a service's replicas, one of which is struck."""
    rng = random.Random(seed)
    while True:
        faults = [
            Fault(f.kind, rng.choice(list(names.get(f.target, (f.target,)))), rng.uniform(0.5, 4) if f.seconds else 0)
            for f in every_fault()
        ]
        yield from plan(rng.getrandbits(32), faults, after=after, pairs=0.25)


class Injector:
    """``supervisors`` are by the name of what they watch: the house's own, and those of further replicas."""

    def __init__(self, house: Stack, supervisors: Mapping[str, Supervisor] | None = None) -> None:
        assert house.supervisor is not None
        self.house = house
        self.done: Counter[str] = Counter()
        self.cut = 0
        """Connections terminated in the middle of an append."""
        self._supervisors = {one.program.name: house.supervisor for one in house.supervisor.snapshot()}
        self._supervisors.update(supervisors or {})

    async def strike(self, strike: Strike) -> None:
        """Returns when what was broken is whole again."""
        await asyncio.gather(*(self.inject(fault) for fault in strike.faults))
        await self.ready()

    async def inject(self, fault: Fault) -> None:
        work = {
            "kill": self._kill, "freeze": self._freeze, "drain": self._drain, "stop": self._stop, "wipe": self._wipe,
            "cut": self._cut,
        }[fault.kind]  # fmt: skip
        await work(fault)
        self.done[f"{fault.kind} {fault.target}"] += 1

    async def ready(self) -> None:
        for supervisor in set(self._supervisors.values()):
            await asyncio.to_thread(supervisor.wait_ready, READY_SECONDS)

    def pid(self, name: str) -> int | None:
        return self._supervisors[name].pid(name)

    async def _end(self, name: str, how: signal.Signals) -> None:
        """Send it, and wait until the supervisor has seen the end, so that ``ready`` waits for the successor."""
        pid = self.pid(name)
        while pid is None:  # it is just being started again
            await asyncio.sleep(0.02)
            pid = self.pid(name)
        os.kill(pid, how)
        async with asyncio.timeout(READY_SECONDS):
            while self.pid(name) == pid:
                await asyncio.sleep(0.01)

    async def _kill(self, fault: Fault) -> None:
        await self._end(fault.target, signal.SIGKILL)

    async def _drain(self, fault: Fault) -> None:
        await self._end(fault.target, signal.SIGTERM)

    async def _stop(self, fault: Fault) -> None:
        """Postgres's immediate shutdown: every session ends at once, the next start recovers from the log."""
        await self._end("postgres", signal.SIGQUIT)

    async def _freeze(self, fault: Fault) -> None:
        pid = self.pid(fault.target)
        if pid is None:
            return
        stopped = [pid, *(children_of(pid) if fault.target == "postgres" else ())]
        try:
            for each in stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGSTOP)
            await asyncio.sleep(fault.seconds)
        finally:
            for each in reversed(stopped):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGCONT)

    async def _wipe(self, fault: Fault) -> None:
        """Killed, and its disk is empty when it comes back."""
        server = self.house.nats
        assert server is not None
        start, folder = server.start, self.house.home.nats / "jetstream"

        def wiped() -> object:
            server.start = start  # type: ignore[method-assign]
            shutil.rmtree(folder, ignore_errors=True)
            return start()

        server.start = wiped  # type: ignore[method-assign,assignment]
        await self._end("nats", signal.SIGKILL)

    async def _cut(self, fault: Fault) -> None:
        """While the database is away for another reason, this waits for it."""
        async with asyncio.timeout(READY_SECONDS):
            while True:
                try:
                    if fault.target == "appends":
                        self.cut += await cut_appends(self.house.postgres_url)
                    else:
                        await terminate(self.house.postgres_url, "application_name LIKE 'circolo-%'")
                    return
                except DATABASE_AWAY:
                    await asyncio.sleep(0.1)


def children_of(pid: int) -> list[int]:
    """Postgres's backends are in process groups of their own: they are found by their parent."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found


async def terminate(postgres_url: str, which: str) -> int:
    connection = await asyncpg.connect(postgres_url, timeout=10)
    try:
        ended: int = await connection.fetchval(
            f"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND {which}"
        )
        return ended
    finally:
        await connection.close()


async def cut_appends(postgres_url: str, *, seconds: float = 2.0) -> int:
    """Hold every shard's counter until appends wait for it, in their middle, and end their sessions there."""
    connection = await asyncpg.connect(postgres_url, timeout=10)
    try:
        async with connection.transaction():
            for service in SERVICES:
                await connection.execute(f"SELECT 1 FROM {service}.shard_head ORDER BY shard FOR UPDATE")
            ended = 0
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    while not ended:
                        ended = await connection.fetchval(
                            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                            "WHERE wait_event_type = 'Lock' AND query LIKE '%FROM append(%' AND pid <> pg_backend_pid()"
                        )
                        await asyncio.sleep(0.02)
            return ended
    finally:
        await connection.close()
