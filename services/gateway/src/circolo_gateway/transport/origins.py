"""Which web pages may call the API from another origin. Tokens are never sent by a browser on its own, so no cookies
are involved; still a page of an unknown site is refused until the operator names it.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class Origins:
    def __init__(self, allowed: str = "") -> None:
        self._all = allowed.strip() == "*"
        self._named = {origin.strip().rstrip("/").lower() for origin in allowed.split(",") if origin.strip()}

    def allows(self, headers: Headers) -> bool:
        """True without an ``Origin``, from the gateway's own pages, from loopback, and from the named origins."""
        origin = headers.get("origin")
        if origin is None or self._all:
            return True
        if origin.lower() in self._named:
            return True
        try:
            parts = urlsplit(origin)
            return parts.netloc.lower() == headers.get("host", "").lower() or parts.hostname in _LOOPBACK
        except ValueError:
            return False

    def response_headers(self, headers: Headers) -> dict[str, str]:
        origin = headers.get("origin")
        if origin is None or not self.allows(headers):
            return {}
        return {
            "access-control-allow-origin": origin,
            "vary": "origin",
            "access-control-expose-headers": "x-request-id, retry-after",
        }

    def preflight_headers(self, headers: Headers) -> dict[str, str]:
        allowed = self.response_headers(headers)
        if allowed:
            allowed["access-control-allow-methods"] = "GET, POST"
            allowed["access-control-allow-headers"] = (
                "accept, accept-language, authorization, content-type, traceparent"
            )
            allowed["access-control-max-age"] = "600"
        return allowed
