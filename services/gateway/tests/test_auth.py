"""Tokens: only rooms' own signature opens the door, and only until it expires by the database's clock."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import jwt
import pytest
from circolo_events.clock import FixedClock
from circolo_gateway.auth import KeyProblem, Tokens
from circolo_gateway.transport.errors import Problem
from circolo_gateway.transport.session import NOBODY
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEY = Ed25519PrivateKey.generate()
PLAYER = "a" * 32
NOW = 1_800_000_000


def token(key: Any = KEY, algorithm: str = "EdDSA", **claims: Any) -> str:
    all_claims = {"iss": "circolo", "sub": PLAYER, "iat": NOW + 5, "exp": NOW + 60, "epoch": 0, **claims}
    made: str = jwt.encode({k: v for k, v in all_claims.items() if v is not None}, key, algorithm=algorithm)
    return made


def unsigned() -> str:
    parts = [{"alg": "none", "typ": "JWT"}, {"iss": "circolo", "sub": PLAYER, "exp": NOW + 60}]
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + "."


def test_a_good_token_says_who_it_is_though_rooms_clock_is_ahead_of_ours() -> None:
    tokens = Tokens(KEY.public_key(), FixedClock(NOW * 1000))
    assert tokens.identify(f"Bearer {token()}").player == PLAYER
    assert tokens.identify(None) is NOBODY


def test_a_remembered_token_expires_too() -> None:
    clock = FixedClock(NOW * 1000)
    tokens = Tokens(KEY.public_key(), clock)
    bearer = f"bearer {token()}"
    assert tokens.identify(bearer).expires_at == (NOW + 60) * 1000
    clock.advance(60_000)
    with pytest.raises(Problem):
        tokens.identify(bearer)


@pytest.mark.parametrize(
    "authorization",
    [
        "", "Bearer", "Bearer ", "Basic abc", "Bearer x.y.z", "Bearer \ud800", "Bearer " + "x" * 5000,
        f"Bearer {unsigned()}",
        f"Bearer {token(key=Ed25519PrivateKey.generate())}",
        f"Bearer {token(key='k' * 32, algorithm='HS256')}",
        f"Bearer {token(iss='elsewhere')}", f"Bearer {token(iss=None)}", f"Bearer {token(sub='ada')}",
        f"Bearer {token(exp=None)}", f"Bearer {token(exp=NOW - 1)}", f"Bearer {token()[:-4]}AAAA",
    ],
)  # fmt: skip
def test_any_other_token_is_unauthenticated(authorization: str) -> None:
    tokens = Tokens(KEY.public_key(), FixedClock(NOW * 1000))
    with pytest.raises(Problem) as refused:
        tokens.identify(authorization)
    assert (refused.value.code, refused.value.status) == ("UNAUTHENTICATED", 401)


def test_only_so_many_tokens_are_remembered() -> None:
    tokens = Tokens(KEY.public_key(), FixedClock(NOW * 1000), remembered=3)
    for n in range(10):
        tokens.identify(f"Bearer {token(sub=f'{n:032x}')}")
    assert len(tokens._known) == 3


def test_a_key_that_cannot_be_used_is_told_at_start(tmp_path: Path) -> None:
    clock = FixedClock()
    good, bad = tmp_path / "good.pem", tmp_path / "bad.pem"
    good.write_bytes(KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    bad.write_text("nonsense")
    Tokens.from_file(good, clock)
    for path in (None, bad, tmp_path / "none.pem"):
        with pytest.raises(KeyProblem):
            Tokens.from_file(path, clock)
