"""Tokens: EdDSA JWTs that rooms signs and everybody verifies by its public key. Never in a log."""

from __future__ import annotations

from pathlib import Path

import jwt
from circolo_contracts.ids import is_hex_id
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from .transport.errors import Problem
from .transport.session import NOBODY, Identity

ISSUER = "circolo"
ALGORITHM = "EdDSA"
MOST_LENGTH = 4_096


class KeyProblem(Exception):
    """The public key file cannot be used."""


class Tokens:
    """Claims: ``sub`` (player id, 32 hex digits), ``exp`` (seconds), ``iss``, ``epoch`` (raised by a ban)."""

    def __init__(self, key: Ed25519PublicKey) -> None:
        self._key = key

    @classmethod
    def from_file(cls, path: Path | None) -> Tokens:
        if path is None:
            raise KeyProblem("CIRCOLO_TOKEN_PUBLIC_KEY_FILE is not set")
        try:
            key = load_pem_public_key(path.read_bytes())
        except (OSError, ValueError) as error:
            raise KeyProblem(f"{path}: {type(error).__name__}") from error
        if not isinstance(key, Ed25519PublicKey):
            raise KeyProblem(f"{path}: not an Ed25519 public key")
        return cls(key)

    def identify(self, authorization: str | None) -> Identity:
        """The bearer; nobody without a header. Raises Problem UNAUTHENTICATED (401): sign in or refresh the token."""
        if authorization is None:
            return NOBODY
        scheme, _, token = authorization.strip().partition(" ")
        if scheme.lower() != "bearer" or not token or len(token) > MOST_LENGTH:
            raise _refused()
        try:
            claims = jwt.decode(
                token.strip(),
                self._key,
                algorithms=[ALGORITHM],
                issuer=ISSUER,
                options={"require": ["sub", "exp", "iss"]},
            )
        except (jwt.InvalidTokenError, ValueError, UnicodeError):
            raise _refused() from None
        player = claims["sub"]
        if not isinstance(player, str) or not is_hex_id(player):
            raise _refused()
        return Identity(player, int(claims["exp"]) * 1000)


def _refused() -> Problem:
    return Problem("UNAUTHENTICATED", "The token is not good, or it has expired.", status=401)
