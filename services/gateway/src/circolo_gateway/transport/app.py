"""The routes: ``/graphql`` for both transports, ``/schema.graphql``, the explorer at ``/``."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from graphql import ASTValidationRule, GraphQLSchema
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from ..settings import GatewaySettings
from .cost import Bounds
from .documents import Documents
from .execution import Execution
from .http import HttpEndpoint
from .operations import Operations
from .origins import Origins
from .session import Application
from .sockets import Sockets
from .websocket import SocketBounds


@dataclass(frozen=True, slots=True)
class Transport:
    app: Starlette
    sockets: Sockets
    documents: Documents


def build_transport(
    schema: GraphQLSchema,
    application: Application,
    settings: GatewaySettings,
    *,
    extra_rules: Sequence[type[ASTValidationRule]] = (),
    routes: Sequence[BaseRoute] = (),
) -> Transport:
    bounds = Bounds(
        settings.max_depth, settings.max_fields, settings.max_aliases, settings.max_directives, settings.max_cost
    )
    documents = Documents(
        schema,
        bounds=bounds,
        max_tokens=settings.max_tokens,
        max_bytes=settings.max_document_bytes,
        entries=settings.document_cache_entries,
        cache_bytes=settings.document_cache_bytes,
        extra_rules=extra_rules,
    )
    execution = Execution(schema)
    origins = Origins(settings.allowed_origins)
    http = HttpEndpoint(
        application, documents, execution, origins, max_body=settings.max_body_bytes, body_seconds=settings.body_seconds
    )
    sockets = Sockets(
        application,
        Operations(application, documents, execution),
        origins,
        SocketBounds(
            settings.init_seconds,
            settings.socket_operations,
            settings.socket_soft_bytes,
            settings.socket_hard_bytes,
            settings.socket_stalled_seconds,
        ),
    )
    app = Starlette(
        routes=[
            Route("/graphql", http.__call__, methods=["GET", "POST", "OPTIONS", "PUT", "DELETE", "PATCH"]),
            WebSocketRoute("/graphql", sockets.__call__),
            *routes,
        ]
    )
    return Transport(app, sockets, documents)


Endpoint = Callable[[Request], Awaitable[Response]]


def fixed(body: bytes, media_type: str, *, max_age: int = 300, headers: dict[str, str] | None = None) -> Endpoint:
    """A document that never changes while the process lives, with an ETag, compressed for who takes gzip."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    packed = gzip.compress(body, 6, mtime=0) if len(body) > 1_024 else b""
    shared = {
        "etag": etag,
        "cache-control": f"public, max-age={max_age}",
        "vary": "accept-encoding",
        "x-content-type-options": "nosniff",
        **(headers or {}),
    }

    async def answer(request: Request) -> Response:
        given = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
        if etag in given or "*" in given:
            return Response(status_code=304, headers=shared)
        if packed and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(packed, headers={**shared, "content-encoding": "gzip"}, media_type=media_type)
        return Response(body, headers=shared, media_type=media_type)

    return answer
