"""Subscribers who come and go while others play, and the proof that they were told the truth."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack

import asyncpg
from circolo_devstack.stack import Stack
from evening import Table, at_random, following, over, play_on, sit_down

from .archive import Archive, read_archive
from .checks import Violation
from .checks_of_play import told
from .history import History
from .people import Watcher, people


async def archive_of(house: Stack, service: str) -> Archive:
    connection = await asyncpg.connect(house.postgres_url)
    try:
        return await read_archive(connection, service)
    finally:
        await connection.close()


async def untruths(house: Stack, history: History) -> list[Violation]:
    """Whatever was told twice, missed, or shown otherwise than a fold of the store gives it."""
    archives = {service: await archive_of(house, service) for service in ("rooms", "cardgames")}
    found = [violation for each in history.watching for violation in told(each, archives[each.service])]
    return found + [Violation("odd", "a client", odd) for odd in history.odd]


async def play_watched(
    house: Stack, urls: Sequence[str], *, seed: int, restless: int = 0, late: Sequence[int] = (), **settings: int
) -> History:
    """One match of two, seen by restless watchers and by others who join after so many versions each."""
    history, rng = History(), random.Random(seed)
    names = ["Nord", "Sud", *(f"Guest {n}" for n in range(restless + len(late)))]
    async with people(urls, history, rng, names, inside=None) as guests, AsyncExitStack() as stack:
        players, movers, joiners = guests[:2], guests[2 : 2 + restless], guests[2 + restless :]
        table = await sit_down(list(players), **settings)
        watchers = [
            await stack.enter_async_context(Watcher(guest, "game", table.game, restless=True)) for guest in movers
        ]
        joining = [
            asyncio.create_task(_join(stack, Watcher(guest, "game", table.game), table, version))
            for guest, version in zip(joiners, late, strict=True)
        ]
        await asyncio.gather(*(_play(table, seat, rng.getrandbits(32)) for seat in table.people))
        for watcher in [*watchers, *await asyncio.gather(*joining)]:
            await watcher.until(lambda update: over(update["game"]) and update["game"]["seed"])
            await watcher.settle()
    return history


async def _play(table: Table, seat: int, seed: int) -> None:
    async with following(table.people[seat], table.game) as follower:
        await play_on(follower, table.game, at_random(seed))


async def _join(stack: AsyncExitStack, watcher: Watcher, table: Table, version: int) -> Watcher:
    async with following(table.people[0], table.game) as follower:
        await follower.until(lambda update: update["version"] >= version or over(update["game"]), timeout=60)
    return await stack.enter_async_context(watcher)
