"""What a running house holds: memory, sockets, tasks, subscriptions. The same after many evenings as after a few."""

from __future__ import annotations

import asyncio
import json
import re
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from circolo_devstack.stack import Stack

SETTLE_SECONDS = 30.0
LINGER_SECONDS = 3.0
"""Longer than a gateway keeps a view that nobody watches, and a presence whose last socket closed."""
_GAUGES = ("circolo_loop_tasks", "circolo_gateway_sockets", "circolo_gateway_subscribers", "circolo_gateway_feeds")


@dataclass(frozen=True)
class Held:
    """By one process. ``sockets``: connections that others opened to it or it opened, by the other side."""

    rss_kib: int
    server_sockets: int
    """To Postgres and NATS."""
    client_sockets: int
    gauges: dict[str, float]
    nats_subscriptions: int


def held(house: Stack, names: list[str] | None = None) -> dict[str, Held]:
    subscriptions = nats_subscriptions(house)
    return {name: _held(house, name, subscriptions) for name in names or house.services}


def _held(house: Stack, name: str, subscriptions: dict[str, int]) -> Held:
    pid = house.service_pid(name)
    assert house.postgres is not None
    assert house.nats is not None
    peers = sockets(pid)
    servers = sum(peer in (house.postgres.port, house.nats.port) for peer in peers)
    return Held(
        rss_kib(pid), servers, len(peers) - servers, gauges(_port(house, name)),
        subscriptions.get(f"circolo-{name}", 0),
    )  # fmt: skip


def _port(house: Stack, name: str) -> int:
    programs = {program["name"]: program["port"] for program in house.describe()["programs"]}
    return int(programs[name])


def rss_kib(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1])


def sockets(pid: int) -> list[int]:
    """The other side's port of each established TCP connection of this process."""
    inodes = set()
    for each in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(each.readlink())
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    peers = []
    for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]:
        words = line.split()
        if words[3] == "01" and words[9] in inodes:
            peers.append(int(words[2].partition(":")[2], 16))
    return peers


def gauges(port: int) -> dict[str, float]:
    """Those of the health port's metrics that count what is held."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        text = answer.read().decode()
    found = {}
    for line in text.splitlines():
        name, _, value = line.rpartition(" ")
        if name in _GAUGES:
            found[name] = float(value)
    return found


def nats_subscriptions(house: Stack) -> dict[str, int]:
    """By the name of the connection, as NATS counts them."""
    assert house.nats is not None
    with urllib.request.urlopen(f"http://{house.nats.monitor}/connz?subs=1&limit=1024", timeout=5) as answer:
        connections = json.load(answer)["connections"]
    counted: dict[str, int] = {}
    for connection in connections:
        name = connection.get("name", "")
        counted[name] = counted.get(name, 0) + connection["subscriptions"]
    return counted


async def at_rest(house: Stack, before: dict[str, Held] | None = None) -> dict[str, Held]:
    """What is held when it does not fall any more: feeds linger for a moment after their last subscriber.

    With ``before``: waits, at most ``SETTLE_SECONDS``, until no more is held than then (memory apart).
    """
    until = time.monotonic() + SETTLE_SECONDS
    last: list[tuple[object, ...]] = []
    same_since = time.monotonic()
    while True:
        now = await asyncio.to_thread(held, house)
        counts = _counts(now)
        if counts != last:
            last, same_since = counts, time.monotonic()
        settled = not grown(before, now) if before else time.monotonic() - same_since > LINGER_SECONDS
        if settled or time.monotonic() > until:
            return now
        await asyncio.sleep(0.2)


def _counts(all_held: dict[str, Held]) -> list[tuple[object, ...]]:
    return [(each.client_sockets, each.gauges, each.nats_subscriptions) for each in all_held.values()]


def grown(before: dict[str, Held], now: dict[str, Held], *, pool: int = 7) -> list[str]:
    """What is more than it was. Connections to servers may be fewer or more within the pool's bound; memory apart."""
    found = []
    for name, held_now in now.items():
        then = before[name]
        for gauge, value in held_now.gauges.items():
            if value > then.gauges.get(gauge, 0):
                found.append(f"{name}: {gauge} {then.gauges.get(gauge, 0):g} -> {value:g}")
        if held_now.client_sockets > then.client_sockets:
            found.append(f"{name}: client sockets {then.client_sockets} -> {held_now.client_sockets}")
        if held_now.server_sockets > pool:
            found.append(f"{name}: {held_now.server_sockets} connections to servers")
        if held_now.nats_subscriptions > then.nats_subscriptions:
            found.append(f"{name}: subscriptions {then.nats_subscriptions} -> {held_now.nats_subscriptions}")
    return found


def memory_growth(before: dict[str, Held], now: dict[str, Held]) -> dict[str, float]:
    """By process, in percent."""
    return {name: round(100 * (now[name].rss_kib / before[name].rss_kib - 1), 1) for name in now}
