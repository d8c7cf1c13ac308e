"""The Ed25519 key pair of player tokens: made once, the private half readable by its owner only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from .passwords import write_private


@dataclass(frozen=True)
class TokenKeys:
    """PEM files: PKCS 8 for who signs, SubjectPublicKeyInfo for who verifies."""

    private: Path
    public: Path


def token_keys(folder: Path) -> TokenKeys:
    """The pair in ``folder``; a lost public half is written again from the private one."""
    keys = TokenKeys(folder / "token-private.pem", folder / "token-public.pem")
    if not keys.private.exists():
        made = Ed25519PrivateKey.generate()
        pem = made.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        write_private(keys.private, pem)
        keys.public.unlink(missing_ok=True)
    if not keys.public.exists():
        loaded = serialization.load_pem_private_key(keys.private.read_bytes(), password=None)
        public = loaded.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        write_private(keys.public, public)
    return keys
