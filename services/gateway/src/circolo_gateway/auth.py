"""Tokens: EdDSA JWTs that rooms signs and everybody verifies by its public key. Never in a log."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

import jwt
from circolo_contracts.ids import is_hex_id
from circolo_events.clock import Clock
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from .transport.errors import Problem
from .transport.session import NOBODY, Identity

ISSUER = "circolo"
ALGORITHM = "EdDSA"
MOST_LENGTH = 4_096
REMEMBERED = 4_096


class KeyProblem(Exception):
    """The public key file cannot be used."""


class Tokens:
    """Claims: ``sub`` (player id, 32 hex digits), ``exp`` (seconds, by the database's clock), ``iss``; without
    ``epoch`` 0, without ``roles`` none.

    Verified tokens are remembered, so that a player's next request costs no signature check; the one unused longest
    is forgotten first.
    """

    def __init__(self, key: Ed25519PublicKey, clock: Clock, *, remembered: int = REMEMBERED) -> None:
        self._key = key
        self._clock = clock
        self._remembered = remembered
        self._known: OrderedDict[str, Identity] = OrderedDict()

    @classmethod
    def from_file(cls, path: Path | None, clock: Clock) -> Tokens:
        """Raises KeyProblem."""
        if path is None:
            raise KeyProblem("CIRCOLO_TOKEN_PUBLIC_KEY_FILE is not set")
        try:
            key = load_pem_public_key(path.read_bytes())
        except OSError as error:
            raise KeyProblem(f"the file cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise KeyProblem("the file is no PEM file of a public key") from error
        if not isinstance(key, Ed25519PublicKey):
            raise KeyProblem("the key is not an Ed25519 key")
        return cls(key, clock)

    def identify(self, authorization: str | None) -> Identity:
        """The bearer; nobody without a header. Raises Problem UNAUTHENTICATED (401): sign in or refresh the token."""
        if authorization is None:
            return NOBODY
        scheme, _, token = authorization.strip().partition(" ")
        if scheme.lower() != "bearer" or not token or len(token) > MOST_LENGTH:
            raise _refused()
        identity = self._known.get(token)
        if identity is None:
            identity = self._known[token] = self._verified(token)
            if len(self._known) > self._remembered:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(token)
        if identity.expires_at is None or identity.expires_at <= self._clock.now():
            raise _refused()
        return identity

    def _verified(self, token: str) -> Identity:
        try:
            claims = jwt.decode(
                token,
                self._key,
                algorithms=[ALGORITHM],
                issuer=ISSUER,
                options={"require": ["sub", "exp", "iss"], "verify_exp": False, "verify_iat": False},
            )
            player, expires, epoch = claims["sub"], int(claims["exp"]), int(claims.get("epoch", 0))
            roles = frozenset(map(str, claims.get("roles", ())))
        except (jwt.InvalidTokenError, ValueError, TypeError, OverflowError):
            raise _refused() from None
        if not isinstance(player, str) or not is_hex_id(player):
            raise _refused()
        return Identity(player, expires * 1000, epoch, roles)


def _refused() -> Problem:
    return Problem("UNAUTHENTICATED", "The token is not good, or it has expired.", status=401)
