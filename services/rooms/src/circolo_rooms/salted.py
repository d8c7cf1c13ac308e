"""What events hold of a personal text: a digest that tells nothing without the salt, which is erased with the text."""

from __future__ import annotations

import hashlib
import hmac
import os

SALT_BYTES = 32


def new_salt() -> bytes:
    return os.urandom(SALT_BYTES)


def digest(salt: bytes, text: str) -> str:
    """HMAC-SHA-256(salt, text), hex."""
    return hmac.new(salt, text.encode(), hashlib.sha256).hexdigest()
