"""``python -m circolo_projector.rebuild``: the read models anew from the first event, while the old ones are read.

Uses the settings of the service, which may run or not. Exit code 0 when the new rows are the ones that are read.
"""

from __future__ import annotations

import asyncio
import sys

import asyncpg
from circolo_events.store import Store
from circolo_service import logs, pools
from circolo_service.migrate import MigrationError
from circolo_service.pools import PostgresUnavailable
from circolo_service.process import StartFailure, prepare_schema
from circolo_service.run import spec_of
from circolo_service.settings import Settings, SettingsProblem

from .generations import SOURCE, Generations, consumer_of
from .service import compose

NAME = "projector"


async def rebuild(pool: asyncpg.Pool, *, show: bool = True) -> int:
    """Returns the number of the generation that is live now."""
    source = Store(pool, schema=SOURCE)
    generations = Generations(pool, source, None)
    number = await generations.begin()
    await generations.start()
    try:
        while generations.live is None or generations.live.number != number:
            if show:
                _progress(await consumer_of(number).load(pool), await source.heads())
            await asyncio.sleep(0.1)
    finally:
        await generations.stop()
    return number


def _progress(positions: dict[int, int], heads: dict[int, int]) -> None:
    done, total = sum(positions.values()), sum(heads.values())
    sys.stderr.write(f"\rrebuilding: {done:,} of {total:,} events")
    sys.stderr.flush()


async def _main(settings: Settings) -> None:
    await prepare_schema(spec_of(NAME, compose), settings)
    pool = await pools.create(settings, NAME, name=f"{NAME}-rebuild")
    try:
        number = await rebuild(pool)
    finally:
        await pool.close()
    sys.stderr.write(f"\nthe read models are those of generation {number}\n")


def main() -> int:
    try:
        settings = Settings.load().for_service(NAME)
        logs.setup(f"{NAME}-rebuild", level="warning", form=settings.log_format)
        asyncio.run(_main(settings))
    except (SettingsProblem, MigrationError, PostgresUnavailable, StartFailure) as error:
        sys.stderr.write(f"circolo {NAME} rebuild: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
