"""The composed gateway, asked over HTTP and watched over a socket."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import asyncpg
import httpx
import jwt
from circolo_events.bus import NatsBus
from circolo_gateway.schema.node import game_gid, room_gid
from circolo_gateway.service import Gateway
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from websockets.asyncio.client import connect

ADA, BEA, EVE = "a" * 32, "b" * 32, "e" * 32
ROOM_ID, GAME_ID = room_gid("1" * 32), game_gid("BRISCOLA", "2" * 32, "1" * 32)
PATIENCE_ID = game_gid("SOLITARIO", "2" * 32, "1" * 32)


class House:
    def __init__(self, gateway: Gateway, pool: asyncpg.Pool, bus: NatsBus, key: Ed25519PrivateKey) -> None:
        self.gateway = gateway
        self.pool = pool
        self.bus = bus
        self.key = key
        self.url = f"http://127.0.0.1:{gateway.server.port}"

    def token(self, player: str) -> str:
        claims = {"iss": "circolo", "sub": player, "exp": 4_000_000_000}
        return "Bearer " + jwt.encode(claims, self.key, algorithm="EdDSA")

    async def ask(self, query: str, player: str = "", language: str = "en", **variables: Any) -> Any:
        headers = {"accept-language": language, "content-type": "application/json"}
        if player:
            headers["authorization"] = self.token(player)
        async with httpx.AsyncClient(timeout=15) as client:
            answer = await client.post(
                f"{self.url}/graphql", content=json.dumps({"query": query, "variables": variables}), headers=headers
            )
        body = answer.json()
        return body["data"] if "errors" not in body else body["errors"][0]["extensions"]["code"]


class Subscriber:
    """One socket with one subscription; ``bytes`` is all that it ever received."""

    def __init__(self, house: House, query: str, player: str = "", **variables: Any) -> None:
        self.received: list[dict[str, Any]] = []
        self.bytes = b""
        self._task = asyncio.create_task(self._run(house, query, player, variables))

    async def _run(self, house: House, query: str, player: str, variables: dict[str, Any]) -> None:
        url = house.url.replace("http", "ws") + "/graphql"
        async with connect(url, subprotocols=["graphql-transport-ws"]) as socket:  # type: ignore[list-item]
            init = {"authorization": house.token(player), "language": "EN"} if player else {"language": "EN"}
            await socket.send(json.dumps({"type": "connection_init", "payload": init}))
            await socket.recv()
            payload = {"query": query, "variables": variables}
            await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
            async for frame in socket:
                self.bytes += frame.encode() if isinstance(frame, str) else frame
                self.received.append(json.loads(frame))

    async def has(self, count: int) -> list[Any]:
        async with asyncio.timeout(5):
            while len(self.received) < count:
                await asyncio.sleep(0.005)
        return [each["payload"] for each in self.received]

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
