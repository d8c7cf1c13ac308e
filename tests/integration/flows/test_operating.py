"""What an operator sees: traces down to the disk, logs that tell no secrets, a drain that loses nobody, one process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import urllib.request
from collections.abc import Iterator

import pytest
from circolo_contracts.games import CATALOGUE
from circolo_devstack.api import Api
from circolo_devstack.stack import Stack, stack
from collector import Collector
from evening import at_random, following, guests, over, play_on, play_out, sit_down


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    receiver = Collector()
    yield receiver
    receiver.close()


@pytest.fixture(scope="module")
def traced(collector: Collector) -> Iterator[Stack]:
    environ = {
        **os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "CIRCOLO_TRACE_RATIO": "1",
        "OTEL_BSP_SCHEDULE_DELAY": "100", "CIRCOLO_LOG_LEVEL": "debug",
    }  # fmt: skip
    with stack(environ=environ) as running:
        yield running


async def test_one_trace_goes_from_the_gateway_through_nats_to_the_append_and_to_the_reaction(
    traced: Stack, collector: Collector
) -> None:
    async with guests(traced.url, "Nord") as (north,):
        table = await sit_down([north])
        async with following(north, table.game) as follower:
            await play_on(follower, table.game, at_random(1), moves=1)

    def spans(service: str, name: str) -> list[object]:
        return [span for of, span in list(collector.all) if of == service and span.name == name]

    async with asyncio.timeout(10):
        while not (spans("cardgames", "command PlayCard") and spans("gateway", "command PlayCard")):
            await asyncio.sleep(0.1)
        while not any(s.links for of, s in list(collector.all) if s.name.startswith("reaction")):
            await asyncio.sleep(0.1)
    sent = {span.trace_id: span for span in spans("gateway", "command PlayCard")}  # type: ignore[attr-defined]
    served = [s for s in spans("cardgames", "command PlayCard") if s.trace_id in sent]  # type: ignore[attr-defined]
    assert served, "the gateway's trace goes on in the service"
    assert served[0].parent_span_id == sent[served[0].trace_id].span_id  # type: ignore[attr-defined]
    appends = {s.parent_span_id for s in spans("cardgames", "append")}  # type: ignore[attr-defined]
    assert served[0].span_id in appends, "and down to the append"  # type: ignore[attr-defined]


async def test_logs_are_json_lines_without_tokens_hands_or_seeds(traced: Stack) -> None:
    async with guests(traced.url, "Nord", "Sud") as people:
        for person in people:
            person.record = True
        table = await sit_down(people)
        followers = await play_out(table)
        seed = followers[0].latest["game"]["seed"]
        secrets = [person.token or "" for person in people] + [seed, "Nord"]
    for name in traced.services:
        text = (traced.home.logs / f"{name}.log").read_text()
        lines = text.splitlines()
        assert lines, name
        for line in lines:
            entry = json.loads(line)
            assert {"ts", "level", "message", "service"} <= entry.keys()
        for secret in secrets:
            assert secret not in text, f"{name}'s log tells a secret"


async def test_probes_answer_and_metrics_have_no_ids(traced: Stack) -> None:
    run = traced.describe()
    ports = {p["name"]: p["port"] for p in run["programs"] if p["name"] in traced.services}
    for port in ports.values():
        for path, status in (("livez", "live"), ("readyz", "ready")):
            body = await asyncio.to_thread(
                lambda u: urllib.request.urlopen(u).read(), f"http://127.0.0.1:{port}/{path}"
            )
            assert json.loads(body)["status"] == status
    async with guests(traced.url, "Nord", "Sud") as people:
        await sit_down(people)  # so that cardgames has had a command
    metrics = ""
    async with asyncio.timeout(10):
        while "circolo_commands" not in metrics:
            await asyncio.sleep(0.1)
            metrics = await asyncio.to_thread(
                lambda: urllib.request.urlopen(f"http://127.0.0.1:{ports['cardgames']}/metrics").read().decode()
            )
    assert "match-" not in metrics


async def test_a_gateway_that_is_told_to_stop_says_so_to_its_sockets_and_the_game_goes_on(traced: Stack) -> None:
    async with guests(traced.url, "Nord", "Sud") as people:
        table = await sit_down(people)
        async with following(people[0], table.game) as ours, following(people[1], table.game) as theirs:
            os.kill(traced.service_pid("gateway"), signal.SIGTERM)
            await asyncio.gather(play_on(ours, table.game, at_random(1)), play_on(theirs, table.game, at_random(2)))
            for follower in (ours, theirs):
                assert over(follower.latest["game"])
                assert follower.reconnects >= 1
                assert follower.versions == sorted(set(follower.versions))


def test_one_process_for_a_small_club_plays_the_same() -> None:
    with stack(one_process=True) as club:

        async def evening() -> None:
            async with guests(club.url, "Nord") as people:
                followers = await play_out(await sit_down(people, players=4))
                assert sum(followers[0].latest["game"]["deals"][0]["points"]) == 120
            async with Api(club.url) as api:
                listed = (await api.call("{ catalogue { kind } }"))["catalogue"]
            assert [game["kind"] for game in listed] == list(CATALOGUE)

        asyncio.run(evening())
