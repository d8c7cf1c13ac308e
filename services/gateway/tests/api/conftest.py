"""The composed gateway on a real NATS and a real Postgres, with owners that the test plays."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from circolo_events.bus import NatsBus
from circolo_events.clock import DatabaseClock
from circolo_gateway.service import compose
from circolo_service.platform import Platform
from circolo_service.settings import Settings
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from gateway_house import ADA, BEA, House

TABLES = """
CREATE SCHEMA rooms; CREATE SCHEMA projector;
CREATE TABLE rooms.profile (player text PRIMARY KEY, name text NOT NULL);
CREATE TABLE rooms.player_epoch (player text PRIMARY KEY, epoch int8 NOT NULL, erased boolean NOT NULL DEFAULT false);
CREATE TABLE projector.lobby (room text, code text, game text, host text, seats int4, taken int4, phase text,
                              settings_json text, created_at int8, version int8);
"""


@pytest.fixture
async def house(
    table: Any, nats_url: str, database: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[House]:
    monkeypatch.setenv("CIRCOLO_GATEWAY_COMMAND_SECONDS", "2")
    key = Ed25519PrivateKey.generate()
    key_file = tmp_path / "public.pem"
    key_file.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    pool = await asyncpg.create_pool(database, min_size=1, max_size=3)
    await pool.execute(TABLES)
    await pool.executemany("INSERT INTO rooms.profile VALUES ($1, $2)", [(ADA, "Ada"), (BEA, "Bea")])
    bus = await NatsBus.connect(nats_url, name="api")
    settings = Settings(
        postgres_url=database, nats_url=nats_url, http_port=0, token_public_key_file=key_file, drain_seconds=1
    )
    clock = DatabaseClock()
    await clock.measure(pool)
    gateway = await compose(Platform("gateway", settings, bus, pool, clock))
    await gateway.start()
    try:
        yield House(gateway, pool, bus, key)
    finally:
        await gateway.stop()
        await bus.close()
        await pool.close()
