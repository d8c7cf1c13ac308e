"""The tokens that sign a player in everywhere: JWTs by Ed25519, verified with rooms' public key alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import jwt
from circolo_contracts.direction import Role
from circolo_contracts.rooms import Token
from circolo_events.clock import Clock
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

ISSUER = "circolo"
ALGORITHM = "EdDSA"
LIFE_SECONDS = 24 * 3_600


class UnusableKey(Exception):
    """The key file cannot sign tokens; the text says why, without anything of the key."""


class TokenIssuer:
    def __init__(self, key: Ed25519PrivateKey, clock: Clock) -> None:
        self._key = key
        self._clock = clock

    @classmethod
    def from_file(cls, path: Path, clock: Clock) -> TokenIssuer:
        """``path`` is a PEM file, PKCS 8, not encrypted. Raises UnusableKey."""
        try:
            key = load_pem_private_key(path.read_bytes(), password=None)
        except OSError as error:
            raise UnusableKey(f"the key that signs tokens cannot be read: {error.strerror}") from None
        except (ValueError, TypeError):
            raise UnusableKey("the key that signs tokens is not an unencrypted PEM file") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise UnusableKey("the key that signs tokens is not an Ed25519 key")
        return cls(key, clock)

    def issue(self, player: str, *, epoch: int = 0, roles: Sequence[Role] = ()) -> Token:
        """For 24 hours from now; ``iat`` and ``exp`` are whole seconds. ``roles`` is absent when there are none."""
        now = self._clock.now() // 1000
        expires = now + LIFE_SECONDS
        claims: dict[str, object] = {"iss": ISSUER, "sub": player, "iat": now, "exp": expires, "epoch": epoch}
        if roles:
            claims["roles"] = list(roles)
        return Token(expires_at=expires * 1000, token=jwt.encode(claims, self._key, algorithm=ALGORITHM))
