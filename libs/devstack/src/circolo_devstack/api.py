"""A small client of the GraphQL API, as a frontend author would write one: for the demo and for tests from outside.

Queries and mutations go over HTTP, subscriptions over graphql-transport-ws (one socket each). A mutation with an
idempotency key is repeated with the same key while the gateway cannot be reached, so it is done exactly once.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import websockets
from websockets.asyncio.client import ClientConnection, connect

Json = dict[str, Any]
PROTOCOL = "graphql-transport-ws"
MAX_FRAME = 4 * 1024 * 1024


class ApiError(Exception):
    """GraphQL errors; ``codes`` are their ``extensions.code``."""

    def __init__(self, errors: list[Json]) -> None:
        super().__init__("; ".join(str(e.get("message")) for e in errors))
        self.codes = [str(e.get("extensions", {}).get("code")) for e in errors]


class Closed(Exception):
    """The socket was closed with this code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {reason}")
        self.code = code


class Api:
    """One person's access. ``token`` is set by ``sign_in``."""

    def __init__(self, url: str, token: str | None = None, *, patience: float = 20.0) -> None:
        self.url = url.rstrip("/") + "/graphql"
        self.token = token
        self.patience = patience
        """Seconds for which a call is repeated while the gateway cannot be reached."""
        self.player = ""
        self.received: list[bytes] = []
        """Every body and frame that came, for tests that look for what must not be there."""
        self.record = False
        self._http = httpx.AsyncClient(timeout=15.0, trust_env=False)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Api:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def call(self, document: str, **variables: Any) -> Json:
        """The ``data`` of a query or mutation. Raises ApiError; httpx.TransportError when nobody answers in time."""
        headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
        body = {"query": document, "variables": variables}
        until = time.monotonic() + self.patience
        response: httpx.Response | None = None
        while response is None:
            try:
                response = await self._http.post(self.url, json=body, headers=headers)
            except httpx.TransportError:
                if time.monotonic() > until:
                    raise
                await asyncio.sleep(0.1)
        if self.record:
            self.received.append(response.content)
        answer: Json = response.json()
        if answer.get("errors"):
            raise ApiError(answer["errors"])
        data: Json = answer["data"]
        return data

    async def sign_in(self, name: str) -> str:
        """As a guest; returns the player's id."""
        answer = (await self.call(SIGN_IN, name=name))["signInAsGuest"]
        if answer["__typename"] != "SignInDone":
            raise ApiError([{"message": answer["message"], "extensions": {"code": answer["code"]}}])
        self.token = answer["token"]
        self.player = answer["player"]["id"]
        return self.player

    @asynccontextmanager
    async def subscribe(self, document: str, **variables: Any) -> AsyncIterator[AsyncIterator[Json]]:
        """``async with api.subscribe(...) as updates: async for data in updates``. Ends with Closed or ApiError."""
        socket_url = "ws" + self.url.removeprefix("http")
        protocols = [websockets.Subprotocol(PROTOCOL)]
        async with connect(
            socket_url, subprotocols=protocols, max_size=MAX_FRAME, proxy=None, compression=None
        ) as socket:
            payload = {"authorization": f"Bearer {self.token}"} if self.token else {}
            await socket.send(json.dumps({"type": "connection_init", "payload": payload}))
            await self._receive(socket)
            message = {"id": "1", "type": "subscribe", "payload": {"query": document, "variables": variables}}
            await socket.send(json.dumps(message))
            yield self._updates(socket)

    async def _receive(self, socket: ClientConnection) -> Json:
        try:
            raw = await socket.recv()
        except websockets.ConnectionClosed as closed:
            frame = closed.rcvd
            raise Closed(frame.code if frame else 1006, frame.reason if frame else "") from closed
        if self.record:
            self.received.append(raw.encode() if isinstance(raw, str) else raw)
        message: Json = json.loads(raw)
        return message

    async def _updates(self, socket: ClientConnection) -> AsyncIterator[Json]:
        while True:
            message = await self._receive(socket)
            if message["type"] == "ping":
                await socket.send('{"type":"pong"}')
            elif message["type"] == "error":
                raise ApiError(message["payload"])
            elif message["type"] == "complete":
                return
            elif message["type"] == "next":
                if message["payload"].get("errors"):
                    raise ApiError(message["payload"]["errors"])
                yield message["payload"]["data"]


class Follower:
    """The newest update of a subscription, over reconnects: it asks for everything after what it has.

    ``versions`` are those of the updates in the order in which they came; ``happened`` all that happened.
    """

    def __init__(self, api: Api, field: str, document: str, *, after: int | None = None, **variables: Any) -> None:
        """``after``: begin with everything after this version (0: all) instead of a snapshot."""
        self.api = api
        self._after = after
        self.field = field
        self.document = document
        self.variables = variables
        self.latest: Json = {}
        self.versions: list[int] = []
        self.happened: list[Json] = []
        self.resets = 0
        self.reconnects = 0
        self.ended: Exception | None = None
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Follower:
        self._task = asyncio.create_task(self._follow())
        await self.until(bool)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def until(self, wanted: Callable[[Json], bool], timeout: float = 20.0) -> Json:
        """The first newest update for which ``wanted`` holds. Raises what ended the subscription, or TimeoutError."""
        async with asyncio.timeout(timeout):
            while not (self.latest and wanted(self.latest)):
                if self.ended is not None:
                    raise self.ended
                self._changed.clear()
                await self._changed.wait()
        return self.latest

    async def _follow(self) -> None:
        for attempt in itertools.count():
            self.reconnects = attempt
            after = self.versions[-1] if self.versions else self._after
            try:
                async with self.api.subscribe(self.document, **self.variables, after=after) as updates:
                    async for data in updates:
                        self._take(data[self.field])
                return
            except (OSError, websockets.InvalidHandshake, websockets.ConnectionClosed, Closed, TimeoutError) as error:
                if isinstance(error, Closed) and 4400 <= error.code < 4500:
                    self._end(error)
                    return
                await asyncio.sleep(0.1)
            except ApiError as error:
                self._end(error)
                return

    def _take(self, update: Json) -> None:
        self.resets += bool(update["reset"])
        self.versions.append(update["version"])
        self.happened += update["happened"]
        self.latest = update
        self._changed.set()

    def _end(self, error: Exception) -> None:
        self.ended = error
        self._changed.set()


SIGN_IN = """
mutation SignIn($name: String!) {
  signInAsGuest(name: $name) { __typename ... on SignInDone { token player { id } } ... on Refused { code message } }
}"""
