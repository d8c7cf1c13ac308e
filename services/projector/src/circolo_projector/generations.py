"""Generations of a family of read models: built from the first event beside the one that is read, swapped, dropped
after.

States: BUILDING -> LIVE -> RETIRED -> gone. Any number of processes may keep them: every change of state is made under
a lock of the table, and each generation has one writer by its subscription's lease. A process fills only generations of
its own model; so during an update the old code goes on filling the old generation until the views are turned.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import asyncpg
from circolo_events.bus import NatsBus
from circolo_events.checkpoints import Connection
from circolo_events.failures import explain, passes
from circolo_events.store import Store
from circolo_events.subscription import Limits, Subscription
from msgspec import Struct

from .family import Family, Writer

log = logging.getLogger(__name__)

TICK_SECONDS = 0.5
LIMITS = Limits(round_seconds=0.1)
"""Under load rows are a tenth of a second behind and written by half as many transactions; a lone event is shown at
once."""
NEARLY_THERE = 2000
"""Events that a new generation may be behind when the swap is tried."""
FREEZE_SECONDS = 2.0
"""How long the old generation may be held still for the swap."""
KEEP_RETIRED_SECONDS = 5.0
"""A retired table stays for whoever has still a plan on it."""


class Generation(Struct, frozen=True):
    number: int
    model: int
    state: str


class Filling(Struct, frozen=True):
    """A generation that this process fills when it holds the lease."""

    writer: Writer
    subscription: Subscription


class Generations:
    """``pool`` is on the projector's schema and may read the log of the family's source.

    Whose pool is shared gives one ``swaps`` to all: a swap holds a connection while it waits for those who fill.
    """

    def __init__(
        self, family: Family, pool: asyncpg.Pool, bus: NatsBus | None, *, swaps: asyncio.Lock | None = None
    ) -> None:
        self.family = family
        self.pool = pool
        self.source = Store(pool, schema=family.source)
        self.model = family.model
        self.live: Generation | None = None
        self.filling: dict[int, Filling] = {}
        self._bus = bus
        self._swaps = swaps or asyncio.Lock()
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._problem = ""
        self._aside = False

    async def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=f"generations of {self.family.name}")

    async def stop(self) -> None:
        self._stopping.set()
        if self._task is not None:
            await self._task
        await asyncio.gather(*(filling.subscription.stop() for filling in self.filling.values()))
        self.filling.clear()

    @property
    def is_served(self) -> bool:
        """There are rows to read, and they are kept up to date here or by another replica."""
        if self.live is None:
            return False
        filling = self.filling.get(self.live.number)
        return filling is None or filling.subscription.state in ("RUNNING", "STANDBY")

    async def begin(self) -> int:
        """A new generation of this code's model, beside the one that is read. Returns its number."""
        async with self.pool.acquire(timeout=10) as connection, connection.transaction():
            await self._lock(connection)
            return await self._begin(connection, await self._all(connection))

    # ------------------------------------------------------------ the loop

    async def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                await self._tick()
                self._problem = ""
            except Exception as error:
                problem = explain(error)
                if problem != self._problem:
                    level = logging.WARNING if self.live is None and passes(error) else logging.ERROR
                    log.log(
                        level,
                        "generations of %s: %s",
                        self.family.name,
                        problem,
                        exc_info=None if passes(error) else error,
                    )
                self._problem = problem
            try:
                async with asyncio.timeout(TICK_SECONDS):
                    await self._stopping.wait()
            except TimeoutError:
                continue

    async def _tick(self) -> None:
        known = await self._all(self.pool)
        if not any(g.model == self.model and g.state != "RETIRED" for g in known):
            if any(g.model > self.model and g.state == "LIVE" for g in known):
                self._step_aside()
            else:
                known = await self._begin_once()
        await self._fill(known)
        for generation in known:
            if generation.state == "BUILDING" and generation.model == self.model:
                async with self._swaps:
                    await self._try_to_swap(generation.number)
        if any(g.state == "RETIRED" for g in known):
            await self._drop_retired()

    def _step_aside(self) -> None:
        if not self._aside:
            self._aside = True
            log.warning(
                "rows of %s by newer code than model %d are read: this process fills none (to go back: the rebuild)",
                self.family.name, self.model,
            )  # fmt: skip

    async def _fill(self, known: Sequence[Generation]) -> None:
        """Exactly the generations of our model that are not retired have a subscription here."""
        mine = {g.number: g for g in known if g.model == self.model and g.state != "RETIRED"}
        for number in self.filling.keys() - mine.keys():
            await self.filling.pop(number).subscription.stop()
        for number, generation in mine.items():
            if number not in self.filling:
                writer = self.family.writer(number, self._bus)
                subscription = Subscription(
                    *self.family.consumer(number).key, pool=self.pool, store=self.source, commit=writer.commit,
                    bus=self._bus, types=self.family.types, limits=LIMITS,
                )  # fmt: skip
                self.filling[number] = Filling(writer, subscription)
                await subscription.start()
            self.filling[number].writer.is_live = generation.state == "LIVE"
        self.live = next((g for g in known if g.state == "LIVE"), None)

    async def _all(self, connection: Connection) -> list[Generation]:
        rows = await connection.fetch(f"SELECT number, model, state FROM {self.family.register} ORDER BY number")
        return [Generation(*row) for row in rows]

    async def _lock(self, connection: Connection) -> None:
        await connection.execute(f"LOCK TABLE {self.family.register} IN SHARE ROW EXCLUSIVE MODE")

    # ------------------------------------------------------------ begin, swap, drop

    async def _begin_once(self) -> list[Generation]:
        async with self.pool.acquire(timeout=10) as connection, connection.transaction():
            await self._lock(connection)
            known = await self._all(connection)
            if not any(g.model == self.model and g.state != "RETIRED" for g in known):
                await self._begin(connection, known)
            return await self._all(connection)

    async def _begin(self, connection: Connection, known: Sequence[Generation]) -> int:
        """Another one that is being built is given up for it."""
        number = 1 + max((g.number for g in known), default=0)
        await connection.execute(
            f"UPDATE {self.family.register} SET state = 'RETIRED', since = clock_timestamp() WHERE state = 'BUILDING'"
        )
        await connection.execute(self.family.create(number))
        await connection.execute(
            f"INSERT INTO {self.family.register} (number, model, state) VALUES ($1, $2, 'BUILDING')", number, self.model
        )
        log.info("generation %d of %s is being built", number, self.family.name)
        return number

    async def _try_to_swap(self, number: int) -> None:
        heads = await self.source.heads()  # first: a source that is not there yet leaves no trace of us
        positions = await self.family.consumer(number).load(self.pool)
        if sum(max(0, head - positions[shard]) for shard, head in heads.items()) > NEARLY_THERE:
            return
        async with self.pool.acquire(timeout=10) as connection, connection.transaction():
            await self._lock(connection)
            known = await self._all(connection)
            old = next((g for g in known if g.state == "LIVE"), None)
            if Generation(number, self.model, "BUILDING") not in known:
                return
            # The old one stands still, so that what is read never goes back in time.
            target = heads if old is None else await self._freeze(connection, old.number)
            if not await self._reaches(connection, number, target):
                log.info("generation %d of %s is not there yet", number, self.family.name)
                return
            await connection.execute(self.family.turn_views(number))
            await connection.execute(
                f"UPDATE {self.family.register} SET state = 'RETIRED', since = clock_timestamp() WHERE state = 'LIVE'"
            )
            await connection.execute(
                f"UPDATE {self.family.register} SET state = 'LIVE', since = clock_timestamp() WHERE number = $1", number
            )
        self.filling[number].writer.is_live = True
        self.live = Generation(number, self.model, "LIVE")
        log.info("generation %d of %s is live", number, self.family.name)

    async def _freeze(self, connection: Connection, number: int) -> dict[int, int]:
        rows = await connection.fetch(
            "SELECT shard, pos FROM checkpoint WHERE consumer = $1 AND version = $2 AND source = $3 "
            "ORDER BY shard FOR UPDATE", *self.family.consumer(number).key,
        )  # fmt: skip
        return {row[0]: row[1] for row in rows}

    async def _reaches(self, connection: Connection, number: int, target: Mapping[int, int]) -> bool:
        loop = asyncio.get_running_loop()
        until = loop.time() + FREEZE_SECONDS
        while True:
            positions = await self.family.consumer(number).load(connection)
            if all(positions[shard] >= position for shard, position in target.items()):
                return True
            if loop.time() > until:
                return False
            self.filling[number].subscription.wake()
            await asyncio.sleep(0.01)

    async def _drop_retired(self) -> None:
        async with self.pool.acquire(timeout=10) as connection, connection.transaction():
            rows: list[Any] = await connection.fetch(
                f"DELETE FROM {self.family.register} WHERE state = 'RETIRED' "
                "AND since < clock_timestamp() - $1 * interval '1 second' RETURNING number", KEEP_RETIRED_SECONDS,
            )  # fmt: skip
            for row in rows:
                await connection.execute(self.family.drop(row[0]))
                await self.family.consumer(row[0]).forget(connection)
                log.info("generation %d of %s is dropped", row[0], self.family.name)
