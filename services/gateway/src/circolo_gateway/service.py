"""The gateway composed: the only file that knows every adapter."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path

from circolo_events.client import CommandClient
from circolo_service.platform import Platform
from circolo_service.process import StartFailure
from circolo_service.settings import SettingsProblem, describe
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from strawberry.schema.validation_rules.maybe_null import MaybeNullValidationRule
from strawberry.schema.validation_rules.one_of import OneOfInputValidationRule

from . import telemetry
from .application import GatewayApplication
from .auth import KeyProblem, Tokens
from .commands import Commands
from .lobby import Lobby
from .players import Names, profiles
from .recalls import Recalls, epochs
from .remembered import Remembered
from .schema.build import build_schema, sdl
from .schema.context import House
from .settings import GatewaySettings
from .streams.chat import Chats
from .streams.feeds import Feeds
from .streams.places import Places
from .streams.presence import Presence
from .streams.watch import Watch
from .transport.app import Transport, build_transport, fixed
from .transport.server import HttpServer
from .transport.session import Identity

log = logging.getLogger(__name__)

SCHEMA = None
"""It owns no tables."""
EXPLORER = Path(__file__).parent / "graphiql"
DRAIN_SHARE = 0.6
"""Of the process's drain time: sockets are closed spread over it, the rest is for answers in flight."""


class Gateway:
    def __init__(self, platform: Platform, settings: GatewaySettings) -> None:
        self._platform = platform
        client = CommandClient(platform.bus, total=settings.command_seconds)
        self.feeds = Feeds(
            platform.bus,
            client,
            pending=settings.pending_updates,
            happenings=settings.pending_happenings,
            check_seconds=settings.stream_check_seconds,
            check_most=settings.stream_check_most_seconds,
        )
        commands = Commands(client, platform.clock)
        self.presence = Presence(platform.bus, commands.say_presence, grace=settings.presence_grace_seconds)
        self.lobby = Lobby(platform.pool, platform.bus, pending=settings.lobby_pending)
        names = Names(
            profiles(platform.pool),
            seconds=settings.name_cache_seconds,
            entries=settings.name_cache_entries,
            batch=settings.name_batch,
            monotonic=time.monotonic,
        )
        places = Places(self.feeds, self.presence)
        house = House(
            feeds=self.feeds,
            watch=Watch(places),
            chats=Chats(places),
            commands=commands,
            names=names,
            lobby=self.lobby,
            clock=platform.clock,
            pool=platform.pool,
        )
        self.recalls = self._recalls(settings)
        tokens = Tokens.from_file(platform.settings.token_public_key_file, platform.clock)
        schema = build_schema()
        self.transport: Transport = build_transport(
            schema,
            GatewayApplication(house, tokens, self.recalls, settings),
            settings,
            extra_rules=(MaybeNullValidationRule, OneOfInputValidationRule),
            routes=[*self._health_routes(), *_pages(sdl(schema))],
        )
        self.server = HttpServer(
            self.transport.app,
            host=platform.settings.http_host,
            port=platform.settings.http_port,
            max_message=settings.max_body_bytes,
            drain=platform.settings.drain_seconds * (1 - DRAIN_SHARE),
        )
        self._listening = False
        telemetry.watch("sockets", "Open WebSockets", lambda: len(self.transport.sockets))
        telemetry.watch("subscribers", "Live subscriptions to rooms and games", lambda: self.feeds.subscribers)
        telemetry.watch("feeds", "Views that this process follows", lambda: len(self.feeds))
        telemetry.watch("mended", "Updates that had to be asked for because no push came", lambda: self.feeds.mended)

    def _recalls(self, settings: GatewaySettings) -> Recalls:
        known = Remembered(
            epochs(self._platform.pool),
            seconds=settings.recall_cache_seconds,
            entries=settings.recall_cache_entries,
            batch=settings.name_batch,
            monotonic=time.monotonic,
        )
        return Recalls(
            known,
            self._platform.bus,
            self._forbid,
            lambda: self.transport.sockets.players,
            check_seconds=settings.recall_check_seconds,
        )

    def _forbid(self, whose: Callable[[Identity], bool]) -> None:
        self.transport.sockets.forbid(whose)

    def _health_routes(self) -> list[BaseRoute]:
        health = self._platform.health

        async def livez(_: Request) -> Response:
            report = health.live()
            return Response(report.body(), report.http_status, {"cache-control": "no-store"}, "application/json")

        async def readyz(_: Request) -> Response:
            report = health.ready()
            return Response(report.body(), report.http_status, {"cache-control": "no-store"}, "application/json")

        return [Route("/livez", livez), Route("/readyz", readyz)]

    async def start(self) -> None:
        await self.feeds.start()
        await self.presence.start()
        await self.lobby.start()
        await self.recalls.start()
        await self.server.start()
        self._listening = True
        log.info("listening", extra={"port": self.server.port})

    async def stop(self) -> None:
        """``/readyz`` says no already; sockets are closed spread over a window, then answers in flight go out."""
        self._listening = False
        try:
            await self.transport.sockets.drain(self._platform.settings.drain_seconds * DRAIN_SHARE)
            await self.server.stop()
        finally:
            await asyncio.gather(self.recalls.stop(), self.lobby.stop(), self.presence.stop(), self.feeds.stop())

    def ready(self) -> bool:
        return self._listening


def _pages(schema_text: str) -> list[BaseRoute]:
    """The schema's text and the explorer, which needs nothing from outside."""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "font-src data:; connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    pages = {
        "/": ("index.html", "text/html"),
        "/explorer.js": ("explorer.js", "text/javascript"),
        "/explorer.css": ("explorer.css", "text/css"),
        "/explorer.licences.txt": ("explorer.licences.txt", "text/plain"),
    }
    routes: list[BaseRoute] = [Route("/schema.graphql", fixed(schema_text.encode(), "text/plain; charset=utf-8"))]
    for path, (name, media) in pages.items():
        body = (EXPLORER / name).read_bytes()
        routes.append(Route(path, fixed(body, f"{media}; charset=utf-8", headers={"content-security-policy": policy})))
    return routes


async def compose(platform: Platform) -> Gateway:
    """Raises StartFailure when the public key cannot be used, SettingsProblem for a wrong setting of ours."""
    try:
        return Gateway(platform, GatewaySettings())
    except ValidationError as error:
        raise SettingsProblem(describe(error, GatewaySettings)) from None
    except KeyProblem as problem:
        raise StartFailure(f"the tokens' public key: {problem}") from None
