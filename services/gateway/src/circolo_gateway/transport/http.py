"""GraphQL over HTTP: POST and GET, two media types, the right status for each.

Only JSON bodies are taken, so that a form on a foreign page cannot send one without a preflight; GET runs queries only.
"""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

from graphql import OperationType
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from .documents import Documents
from .errors import Problem, encode, shown
from .execution import Execution
from .origins import Origins
from .params import Params, read_json, read_params
from .session import Application, Session, language_of

GRAPHQL_RESPONSE = "application/graphql-response+json"
JSON = "application/json"
_OFFERED = (GRAPHQL_RESPONSE, JSON)


def negotiate(accept: str | None) -> str | None:
    """The media type of the answer: the client's best by q, then by its order; plain JSON for who accepts anything."""
    if not accept or not accept.strip():
        return JSON
    best: str | None = None
    best_q = 0.0
    for part in accept[:2_000].split(","):
        media, *parameters = (piece.strip().lower() for piece in part.split(";"))
        q = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                try:
                    q = float(parameter[2:])
                except ValueError:
                    q = 0.0
        offered = JSON if media in ("*/*", "application/*") else media if media in _OFFERED else None
        if offered is not None and q > best_q:
            best, best_q = offered, q
    return best


class HttpEndpoint:
    def __init__(
        self,
        application: Application,
        documents: Documents,
        execution: Execution,
        origins: Origins,
        *,
        max_body: int,
        body_seconds: float,
    ) -> None:
        self._application = application
        self._documents = documents
        self._execution = execution
        self._origins = origins
        self._max_body = max_body
        self._body_seconds = body_seconds

    async def __call__(self, request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(
                status_code=204, headers={"allow": "GET, POST", **self._origins.preflight_headers(request.headers)}
            )
        headers = {
            "cache-control": "no-store",
            "x-request-id": uuid.uuid4().hex,
            "x-content-type-options": "nosniff",
            **self._origins.response_headers(request.headers),
        }
        media = negotiate(request.headers.get("accept"))
        try:
            if media is None:
                raise Problem("NOT_ACCEPTABLE", f"Accept {GRAPHQL_RESPONSE} or {JSON}.", status=406)
            if not self._origins.allows(request.headers):
                raise Problem("ORIGIN_NOT_ALLOWED", "This origin may not call the API.", status=403)
            status, body = await self._answer(request, media, headers)
        except Problem as problem:
            status = problem.status
            body = encode({"errors": [shown(problem)]})
        return Response(body, status, headers, media_type=f"{media or JSON}; charset=utf-8")

    async def _answer(self, request: Request, media: str, headers: dict[str, str]) -> tuple[int, bytes]:
        params = await self._params(request, headers)
        session = Session(
            self._application.identify(request.headers.get("authorization")),
            language_of(request.headers.get("accept-language")),
            request.client.host if request.client else "",
        )
        refused = 400 if media == GRAPHQL_RESPONSE else 200
        document = self._documents.get(params.query)
        if document.errors:
            return refused, encode({"errors": document.errors})
        try:
            operation = document.select(params.operation_name)
        except Problem as problem:
            return refused, encode({"errors": [shown(problem)]})
        if operation.kind is OperationType.SUBSCRIPTION:
            raise Problem("SUBSCRIPTION_OVER_HTTP", "Subscribe over WebSocket (graphql-transport-ws).", status=400)
        if request.method == "GET" and operation.kind is not OperationType.QUERY:
            headers["allow"] = "POST"
            raise Problem("METHOD_NOT_ALLOWED", "GET runs queries only.", status=405)
        admission = self._application.admission(session, operation)
        if admission is not None:
            await admission
        wait = self._application.charge(session, operation)
        if wait:
            headers["retry-after"] = str(max(1, round(wait)))
            raise Problem("RATE_LIMITED", "Too many operations: wait a moment.", status=429)
        answer = await self._execution.answer(operation, params.variables, self._application.context(session))
        if isinstance(answer, list):
            return refused, encode({"errors": [shown(error) for error in answer]})
        return 200, answer

    async def _params(self, request: Request, headers: dict[str, str]) -> Params:
        if request.method == "GET":
            return _query_string(request)
        if request.method != "POST":
            headers["allow"] = "GET, POST, OPTIONS"
            raise Problem("METHOD_NOT_ALLOWED", "Use POST, or GET for queries.", status=405)
        media, _, parameters = request.headers.get("content-type", "").partition(";")
        charset = parameters.strip().lower().removeprefix("charset=").strip('"')
        if media.strip().lower() != JSON or charset not in ("", "utf-8", "utf8"):
            raise Problem("UNSUPPORTED_MEDIA_TYPE", f"Send {JSON} in UTF-8.", status=415)
        if request.headers.get("content-encoding", "identity") != "identity":
            raise Problem("UNSUPPORTED_MEDIA_TYPE", "Compressed bodies are not read.", status=415)
        return read_params(read_json(await self._body(request, headers)))

    async def _body(self, request: Request, headers: dict[str, str]) -> bytes:
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._body_seconds):
                async for part in request.stream():
                    size += len(part)
                    if size > self._max_body:
                        headers["connection"] = "close"
                        raise Problem(
                            "BODY_TOO_LARGE", "The body is too large.", status=413, extensions={"most": self._max_body}
                        )
                    parts.append(part)
        except TimeoutError:
            headers["connection"] = "close"
            raise Problem("BODY_TIMEOUT", "The body did not come in time.", status=408) from None
        except ClientDisconnect:
            raise Problem("BAD_REQUEST", "The client went away.", status=400) from None
        return b"".join(parts)


def _query_string(request: Request) -> Params:
    found: dict[str, Any] = {}
    for name in ("query", "operationName"):
        if name in request.query_params:
            found[name] = request.query_params[name]
    for name in ("variables", "extensions"):
        text = request.query_params.get(name)
        if text:
            found[name] = read_json(text)
    return read_params(found)
