from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from circolo_service import endpoints
from circolo_service.endpoints import HealthEndpoints
from circolo_service.health import Health


class Stopwatch:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def test_ready_means_that_every_expected_server_answered_lately() -> None:
    stopwatch = Stopwatch()
    health = Health(fresh_seconds=6, monotonic=stopwatch)
    health.expect_server("nats")
    assert health.ready().reasons == ["nats has not answered yet"]
    health.answered("nats")
    assert health.ready().ok
    stopwatch.time += 9
    assert health.ready().reasons == ["nats has not answered for 9 s"]
    health.answered("nats")
    assert health.ready().ok


def test_ready_means_that_every_service_says_so() -> None:
    health = Health()
    health.expect("rooms", lambda: False)
    assert health.ready().reasons == ["rooms is not ready"]
    health.expect("rooms", lambda: True)
    assert health.ready().ok


def test_a_draining_process_is_alive_and_not_ready() -> None:
    health = Health()
    health.draining = True
    assert health.live().http_status == 200
    assert health.ready().http_status == 503
    assert json.loads(health.ready().body()) == {"status": "not ready", "reasons": ["draining"]}


class Served:
    def __init__(self, health: Health, port: int) -> None:
        self.health = health
        self.port = port

    async def send(self, raw: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(raw)
        answer = await asyncio.wait_for(reader.read(), 5)
        writer.close()
        await writer.wait_closed()
        return answer

    async def get(self, path: str, method: str = "GET") -> tuple[int, bytes]:
        answer = await self.send(f"{method} {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), body


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    health = Health()
    server = HealthEndpoints(health, lambda: "circolo_up 1\n")
    port = await server.start("127.0.0.1", 0)
    yield Served(health, port)
    await server.stop()


async def test_the_endpoints_answer_over_http(served: Served) -> None:
    assert await served.get("/livez") == (200, b'{"status":"live","reasons":[]}')
    assert await served.get("/readyz?verbose") == (200, b'{"status":"ready","reasons":[]}')
    assert await served.get("/metrics") == (200, b"circolo_up 1\n")
    assert await served.get("/readyz", "HEAD") == (200, b"")
    served.health.draining = True
    assert (await served.get("/readyz"))[0] == 503
    assert (await served.get("/livez"))[0] == 200


async def test_what_is_not_there_and_what_is_not_allowed_is_said(served: Served) -> None:
    assert (await served.get("/hand"))[0] == 404
    assert (await served.get("/livez", "POST"))[0] == 405


async def test_an_endless_head_is_cut_off(served: Served) -> None:
    head = b"GET /livez HTTP/1.1\r\n" + b"x: " + b"y" * (endpoints.MAX_HEAD * 2) + b"\r\n\r\n"
    assert (await served.send(head)).startswith(b"HTTP/1.1 431 ")


async def test_a_caller_who_says_nothing_is_let_go(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "READ_SECONDS", 0.1)
    assert (await served.send(b"GET /li")).startswith(b"HTTP/1.1 408 ")


async def test_a_flood_of_connections_is_answered_503(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "MAX_CONNECTIONS", 1)
    _, held = await asyncio.open_connection("127.0.0.1", served.port)
    await asyncio.sleep(0.05)
    assert (await served.send(b"GET /livez HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 503 ")
    held.close()
    await held.wait_closed()
