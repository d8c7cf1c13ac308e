"""``python -m circolo_projector.rebuild [family ...]``: read models anew from the first event, while the old ones are
read. Without a name all of them, one after the other.

Uses the settings of the service, which may run or not. Exit code 0 when the new rows are the ones that are read, 2 for
a name that there is not.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

import asyncpg
from circolo_service import logs, pools
from circolo_service.migrate import MigrationError
from circolo_service.pools import PostgresUnavailable
from circolo_service.process import StartFailure, prepare_schema
from circolo_service.run import spec_of
from circolo_service.settings import Settings, SettingsProblem

from .family import Family
from .generations import Generations
from .service import FAMILIES, compose

NAME = "projector"


async def rebuild(family: Family, pool: asyncpg.Pool, *, show: bool = True) -> int:
    """Returns the number of the generation that is live now."""
    generations = Generations(family, pool, None)
    number = await generations.begin()
    await generations.start()
    try:
        while generations.live is None or generations.live.number != number:
            if show:
                _progress(family, await family.consumer(number).load(pool), await generations.source.heads())
            await asyncio.sleep(0.1)
    finally:
        await generations.stop()
    return number


def _progress(family: Family, positions: dict[int, int], heads: dict[int, int]) -> None:
    done, total = sum(positions.values()), sum(heads.values())
    sys.stderr.write(f"\rrebuilding {family.name}: {done:,} of {total:,} events")
    sys.stderr.flush()


async def _main(settings: Settings, families: Sequence[Family]) -> None:
    await prepare_schema(spec_of(NAME, compose), settings)
    pool = await pools.create(settings, NAME, name=f"{NAME}-rebuild")
    try:
        for family in families:
            number = await rebuild(family, pool)
            sys.stderr.write(f"\n{family.name}: what is read is generation {number}\n")
    finally:
        await pool.close()


def main(names: Sequence[str]) -> int:
    known = {family.name: family for family in FAMILIES}
    if unknown := [name for name in names if name not in known]:
        sys.stderr.write(f"circolo {NAME} rebuild: no family {', '.join(unknown)}; there are {', '.join(known)}\n")
        return 2
    try:
        settings = Settings.load().for_service(NAME)
        logs.setup(f"{NAME}-rebuild", level="warning", form=settings.log_format)
        asyncio.run(_main(settings, [known[name] for name in names or known]))
    except (SettingsProblem, MigrationError, PostgresUnavailable, StartFailure) as error:
        sys.stderr.write(f"circolo {NAME} rebuild: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
