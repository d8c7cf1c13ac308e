"""graphql-transport-ws, rule by rule, against a real uvicorn."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import websockets
from websockets.asyncio.client import ClientConnection, connect


@asynccontextmanager
async def socket(
    running: Any, init: dict[str, Any] | bool | None = None, **kwargs: Any
) -> AsyncIterator[ClientConnection]:
    """Initialised unless ``init`` is False."""
    async with connect(running.ws_url, subprotocols=["graphql-transport-ws"], **kwargs) as it:
        if init is not False:
            await say(it, {"type": "connection_init", **({"payload": init} if init else {})})
            assert (await hear(it))["type"] == "connection_ack"
        yield it


async def say(it: ClientConnection, message: Any) -> None:
    await it.send(message if isinstance(message, str | bytes) else json.dumps(message))


async def hear(it: ClientConnection, seconds: float = 2.0) -> dict[str, Any]:
    async with asyncio.timeout(seconds):
        found: dict[str, Any] = json.loads(await it.recv())
        return found


async def closed_with(it: ClientConnection, seconds: float = 3.0) -> int:
    async with asyncio.timeout(seconds):
        with contextlib.suppress(websockets.ConnectionClosed):
            async for _ in it:
                pass
        await it.wait_closed()
    return it.close_code or 0


def subscribe(query: str, identity: str = "1", **more: Any) -> dict[str, Any]:
    return {"id": identity, "type": "subscribe", "payload": {"query": query, **more}}


async def until(true: Callable[[], bool], seconds: float = 3.0) -> None:
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.01)


# ---------------------------------------------------------------- the protocol's closes


OF_NO_PROTOCOL: list[str | bytes] = [
    "{nope", "[]", "1", "null", "{}", '{"type":"start"}', b"\x00\x01",
    '{"type":"subscribe","payload":{"query":"{hello}"}}',
    '{"type":"subscribe","id":"","payload":{"query":"{hello}"}}',
    '{"type":"subscribe","id":1,"payload":{"query":"{hello}"}}', '{"type":"subscribe","id":"1"}',
    '{"type":"subscribe","id":"1","payload":{}}', '{"type":"subscribe","id":"1","payload":{"query":1}}',
    '{"type":"subscribe","id":"1","payload":{"query":"{hello}","variables":"x"}}',
    '{"type":"subscribe","id":"1","payload":{"query":"{hello}","extensions":1}}',
    '{"type":"complete"}', '{"type":"ping","payload":1}',
    '{"type":"subscribe","id":"\\ud800","payload":{"query":"{hello}"}}',
    "[" * 100_000, "9" * 10_000,
    json.dumps({"type": "subscribe", "id": "x" * 300, "payload": {"query": "{hello}"}}),
]  # fmt: skip


async def test_a_message_that_is_not_of_the_protocol_closes_with_4400(running: Any) -> None:
    for message in OF_NO_PROTOCOL:
        async with socket(running) as it:
            await say(it, message)
            assert await closed_with(it) == 4400, message[:80]


async def test_a_second_init_closes_with_4429(running: Any) -> None:
    async with socket(running) as it:
        await say(it, {"type": "connection_init"})
        assert await closed_with(it) == 4429


async def test_subscribe_before_the_acknowledgement_closes_with_4401(running: Any) -> None:
    async with socket(running, init=False) as it:
        await say(it, subscribe("{ hello }"))
        assert await closed_with(it) == 4401


async def test_an_id_in_use_closes_with_4409(running: Any) -> None:
    async with socket(running) as it:
        await say(it, subscribe("subscription { quiet }"))
        await say(it, subscribe("subscription { quiet }"))
        assert await closed_with(it) == 4409
        assert it.close_reason == "Subscriber for 1 already exists"
    await until(lambda: running.toy.closed == running.toy.opened)


async def test_an_operation_that_was_completed_leaves_nothing_to_the_collector(running: Any) -> None:
    async with socket(running) as it:
        for each in range(20):
            await say(it, subscribe("subscription { quiet }", str(each)))
        await until(lambda: running.toy.opened == 20)
        gc.collect()
        gc.disable()
        try:
            for each in range(20):
                await say(it, {"type": "complete", "id": str(each)})
            await until(lambda: running.toy.closed == 20)
            await asyncio.sleep(0.05)
            gc.set_debug(gc.DEBUG_SAVEALL)
            gc.collect()
            left = [repr(each) for each in gc.garbage if isinstance(each, asyncio.Task | asyncio.CancelledError)]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()
    assert not [each for each in left if "Operations.run" in each or "Cancelled" in each]


async def test_no_init_in_time_closes_with_4408(serving: Any) -> None:
    async with serving(init_seconds=0.2) as running, socket(running, init=False) as it:
        assert await closed_with(it) == 4408


async def test_another_subprotocol_closes_with_4406(running: Any) -> None:
    async with connect(running.ws_url) as it:
        assert await closed_with(it) == 4406


async def test_a_page_of_another_site_gets_no_socket_unless_it_is_named(serving: Any) -> None:
    async with serving() as running:
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with socket(running, origin="https://evil.example"):
                pass
        assert refused.value.response.status_code == 403
        async with socket(running, origin="http://localhost:5173"):
            pass
    async with (
        serving(allowed_origins="https://club.example") as running,
        socket(running, origin="https://club.example"),
    ):
        pass


async def test_a_bad_token_closes_with_4403_and_so_does_its_end(running: Any) -> None:
    async with socket(running, init=False) as it:
        await say(it, {"type": "connection_init", "payload": {"authorization": "Bearer nonsense"}})
        assert await closed_with(it) == 4403
    async with socket(running, init={"authorization": "Bearer until 200"}) as it:
        assert await closed_with(it) == 4403
        assert it.close_reason == "The token has expired"


async def test_a_message_that_is_too_large_is_not_processed(serving: Any) -> None:
    async with serving(max_body_bytes=10_000) as running, socket(running) as it:
        await say(it, subscribe("{ hello }" + " " * 20_000))
        assert await closed_with(it) == 1009


# ---------------------------------------------------------------- operations


async def test_ping_is_answered_with_its_payload_even_before_init(running: Any) -> None:
    async with socket(running, init=False) as it:
        await say(it, {"type": "ping", "payload": {"n": 1}})
        assert await hear(it) == {"type": "pong", "payload": {"n": 1}}


async def test_a_query_is_one_next_and_complete_and_its_id_is_free_again(running: Any) -> None:
    async with socket(running) as it:
        for _ in range(2):
            await say(it, subscribe('{ hello(name: "a") }'))
            assert (await hear(it))["payload"] == {"data": {"hello": "hello a"}}
            assert await hear(it) == {"id": "1", "type": "complete"}


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("{ nope", "GRAPHQL_PARSE_FAILED"),
        ("{ nope }", "GRAPHQL_VALIDATION_FAILED"),
        ("query A { hello } query B { hello }", "OPERATION_RESOLUTION_FAILURE"),
        ("query ($n: Int!) { number(n: $n) }", "BAD_USER_INPUT"),
        ("subscription ($n: Int!) { count(to: $n) }", "BAD_USER_INPUT"),
    ],
)
async def test_a_wrong_request_gets_error_for_its_id_and_the_socket_lives_on(
    running: Any, query: str, code: str
) -> None:
    async with socket(running) as it:
        await say(it, subscribe("subscription { quiet }", "other"))
        assert (await hear(it))["type"] == "next"
        await say(it, subscribe(query))
        error = await hear(it)
        assert (error["type"], error["id"], error["payload"][0]["extensions"]["code"]) == ("error", "1", code)
        await say(it, subscribe("{ hello }"))
        assert (await hear(it))["type"] == "next"


async def test_a_failing_source_ends_with_a_masked_error(running: Any, caplog: pytest.LogCaptureFixture) -> None:
    async with socket(running) as it:
        await say(it, subscribe("subscription { broken }"))
        assert (await hear(it))["payload"] == {"data": {"broken": 1}}
        error = await hear(it)
    assert error["type"] == "error"
    assert error["payload"][0]["extensions"]["code"] == "INTERNAL"
    assert "swordfish" not in json.dumps(error)
    assert error["payload"][0]["extensions"]["errorId"] in caplog.text


async def test_every_event_that_graphql_core_executes_has_a_context_of_its_own(running: Any) -> None:
    async with socket(running) as it:
        await say(it, subscribe("subscription { ...Counted } fragment Counted on Subscription { count(to: 5) }"))
        while (await hear(it))["type"] != "complete":
            pass
    assert len({id(context) for context in running.toy.contexts}) >= 6


async def test_more_operations_than_a_socket_may_have_get_an_error(serving: Any) -> None:
    async with serving(socket_operations=3) as running, socket(running) as it:
        for n in range(3):
            await say(it, subscribe("subscription { quiet }", str(n)))
            await hear(it)
        await say(it, subscribe("{ hello }", "x"))
        assert (await hear(it))["payload"][0]["extensions"]["code"] == "TOO_MANY_OPERATIONS"
        await say(it, {"id": "0", "type": "complete"})
        await until(lambda: running.toy.closed == 1)
        await say(it, subscribe("{ hello }", "x"))
        assert (await hear(it))["type"] == "next"


async def test_too_many_operations_in_a_time_get_an_error(running: Any) -> None:
    running.toy.wait = 3.0
    async with socket(running) as it:
        await say(it, subscribe("mutation { move(n: 1) }"))
        assert (await hear(it))["payload"][0]["extensions"]["code"] == "RATE_LIMITED"
    assert running.toy.moves == []


# ---------------------------------------------------------------- races and vanished peers


async def test_after_complete_nothing_more_comes_and_the_id_is_free_at_once(running: Any) -> None:
    async with socket(running) as it:
        await say(it, subscribe("subscription { flood(bytes: 10) }"))
        await hear(it)
        await say(it, {"id": "1", "type": "complete"})
        await say(it, subscribe('{ hello(name: "again") }'))
        while True:
            message = await hear(it)
            if "hello" in (message["payload"]["data"] or {}):
                break
        assert await hear(it) == {"id": "1", "type": "complete"}
        await until(lambda: running.toy.closed == 1)


async def test_complete_while_subscribe_still_awaits_its_source_leaves_nothing_running(running: Any) -> None:
    async with socket(running) as it:
        await say(it, subscribe("subscription { late(ms: 500) }"))
        await until(lambda: running.toy.opened == 1)
        await say(it, {"id": "1", "type": "complete"})
        await until(lambda: running.toy.closed == 1)
        await say(it, {"type": "ping"})
        assert (await hear(it))["type"] == "pong"


async def test_a_peer_that_vanishes_while_subscribe_still_awaits_leaves_nothing_running(running: Any) -> None:
    async with socket(running) as it:
        await say(it, subscribe("subscription { late(ms: 500) }"))
        await until(lambda: running.toy.opened == 1)
        it.transport.abort()
    await until(lambda: running.toy.closed == 1 and len(running.transport.sockets) == 0, 0.4)


async def test_fifty_peers_that_vanish_without_a_close_frame_leave_no_source_open(running: Any) -> None:
    for _ in range(5):
        group = [await connect(running.ws_url, subprotocols=["graphql-transport-ws"]) for _ in range(10)]
        for it in group:
            await say(it, {"type": "connection_init"})
            await say(it, subscribe("subscription { quiet }"))
        for it in group:
            assert [(await hear(it))["type"] for _ in range(2)] == ["connection_ack", "next"]
            it.transport.abort()
    await until(lambda: running.toy.closed == 50 and len(running.transport.sockets) == 0)


async def test_a_client_that_does_not_read_pauses_its_stream_and_then_gets_everything_in_order(serving: Any) -> None:
    async with serving(socket_soft_bytes=20_000) as running, socket(running) as it:
        it.transport.pause_reading()
        await say(it, subscribe("subscription { count(to: 200000) }"))
        await asyncio.sleep(0.5)
        it.transport.resume_reading()
        assert [(await hear(it))["payload"]["data"]["count"] for _ in range(100)] == list(range(100))
        it.transport.abort()


async def test_a_client_that_takes_nothing_for_too_long_is_cut_off(serving: Any) -> None:
    async with serving(socket_stalled_seconds=0.3, socket_soft_bytes=50_000) as running:
        it = await connect(running.ws_url, subprotocols=["graphql-transport-ws"], max_queue=1)
        await say(it, {"type": "connection_init"})
        await say(it, subscribe("subscription { flood(bytes: 50000) }"))
        it.transport.pause_reading()
        await until(lambda: running.toy.closed == 1 and len(running.transport.sockets) == 0, 5)
        it.transport.abort()


# ---------------------------------------------------------------- drain


async def test_a_drain_closes_sockets_with_1012_spread_over_the_window_and_takes_no_new_one(serving: Any) -> None:
    async with serving() as running:
        sockets = [await connect(running.ws_url, subprotocols=["graphql-transport-ws"]) for _ in range(3)]
        for it in sockets:
            await say(it, {"type": "connection_init"})
            await say(it, subscribe("subscription { quiet }"))
            await hear(it)
            await hear(it)
        loop = asyncio.get_running_loop()
        draining = asyncio.create_task(running.transport.sockets.drain(0.6))
        await asyncio.sleep(0.05)
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with socket(running):
                pass
        assert refused.value.response.status_code == 503

        async def closed_at(it: ClientConnection) -> float:
            assert await closed_with(it) == 1012
            assert it.close_reason == "Service restart"
            return loop.time()

        when = await asyncio.gather(*map(closed_at, sockets))
        await draining
        assert max(when) - min(when) > 0.1
    assert running.toy.closed == 3


async def test_a_message_in_pieces_is_heard_once_it_is_whole(running: Any) -> None:
    async with socket(running) as it:
        text = json.dumps(subscribe("{ hello }"))
        await it.send([text[:7], text[7:30], text[30:]])
        assert (await hear(it))["payload"] == {"data": {"hello": "hello you"}}
        assert (await hear(it))["type"] == "complete"


async def test_what_is_said_at_once_is_heard_in_order(running: Any) -> None:
    async with connect(running.ws_url, subprotocols=["graphql-transport-ws"]) as it:
        init = say(it, {"type": "connection_init"})
        pings = [say(it, {"type": "ping", "payload": {"n": n}}) for n in range(20)]
        await asyncio.gather(init, *pings)
        assert (await hear(it))["type"] == "connection_ack"
        assert [(await hear(it))["payload"]["n"] for _ in range(20)] == list(range(20))


async def test_text_that_is_not_utf8_closes_as_the_websocket_protocol_says(running: Any) -> None:
    async with socket(running) as it:
        await it.send(b"\xff\xfe", text=True)
        assert await closed_with(it) == 1007
