"""Brilli for matches that were really played: cardgames' own decider in memory, and the whole house on real servers."""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Any

import asyncpg
import msgspec
import pytest
from circolo_cardgames.rehearsal import Rehearsal
from circolo_contracts.cardgames import (
    AbandonGame,
    DealEnded,
    MatchEnded,
    MatchStarted,
    MatchView,
    PlayCard,
    StartMatch,
)
from circolo_contracts.games import CATALOGUE, ranked_settings
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.wire import Actor, Ask, Command, Done, Seen
from circolo_devstack.stack import Stack
from circolo_events import canonical
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from circolo_ledger import prizes
from circolo_ledger.commands import FineLeaver, PayDeal, PayLeftDeal, PayMatch, PayUnplayed
from circolo_ledger.oracle import MatchOracle
from circolo_ledger.payouts import Payouts
from circolo_ledger.results import sends, table_of
from circolo_ledger.schedules import load
from msgspec import UNSET, Raw, Struct

RANKED = [(game.kind, seats) for game in CATALOGUE.values() if game.ranked for seats in game.seats]
PRIZES = load()
SERVICE = Actor("service", "cardgames")


def seated(game: str, seats: int) -> tuple[list[SeatOccupant], dict[str, Any]]:
    descriptor = CATALOGUE[game]
    settings = ranked_settings(descriptor, {"players": seats} if descriptor.setting("players") else {})
    assert isinstance(settings, dict)
    return [SeatOccupant(player=uuid.uuid4().hex) for _ in range(seats)], settings


def paid_by(events: Sequence[Any]) -> Counter[str]:
    """By account, with the oracle agreeing on every event."""
    started = next(event for event in events if isinstance(event, MatchStarted))
    table, oracle, payouts = table_of(started), MatchOracle(started), Payouts(PRIZES)
    assert table is not None
    deals: list[DealEnded] = []
    total: Counter[str] = Counter()
    for number, event in enumerate(events):
        if not isinstance(event, (DealEnded, MatchEnded)):
            continue
        cause = f"{number:032x}"
        paid = {}
        for send in sends(PRIZES, table, cause, event, deals):
            assert isinstance(send.data, (PayDeal, PayMatch, PayUnplayed, PayLeftDeal, FineLeaver))
            entries = payouts.entries(send.data)
            paid[cause, send.rule] = {entry.account: entry.amount for entry in entries}
            assert prizes.counter([*entries, *prizes.counter(entries)]) == []
        assert paid == dict(oracle.owed(cause, event))
        for amounts in paid.values():
            total.update(amounts)
        deals += [event] if isinstance(event, DealEnded) else []
    return total


@pytest.mark.parametrize(("game", "seats"), RANKED)
def test_a_played_match_of_every_ranked_game_hands_out_what_its_schedule_says(game: str, seats: int) -> None:
    occupants, settings = seated(game, seats)
    seed = hashlib.sha256(f"brilli {game} {seats}".encode()).digest()
    rehearsal = Rehearsal(game, occupants, settings, seed=seed, ranked=True)
    choice = random.Random(seats)
    while rehearsal.state.is_running:
        _play(rehearsal, choice)
    paid = paid_by(rehearsal.events)
    left_over = PRIZES.of(game, seats).total + paid["pot"]
    assert 0 <= left_over <= (2 if game == "VINCIPERDI" else 0)
    assert sum(paid.values()) == 0


@pytest.mark.parametrize("plays", [0, 1, 35, 36, 150])
def test_a_scopone_that_somebody_leaves_pays_the_opponents_and_fines_the_leaver(plays: int) -> None:
    occupants, settings = seated("SCOPONE_NOVE", 4)
    rehearsal = Rehearsal("SCOPONE_NOVE", occupants, settings, seed=bytes(range(32)), ranked=True)
    choice = random.Random(plays)
    for _ in range(plays):
        _play(rehearsal, choice)
    assert rehearsal.state.is_running
    before = paid_by(rehearsal.events)
    rehearsal.do(AbandonGame(), Actor("player", str(occupants[2].player)))
    after = paid_by(rehearsal.events)
    change = [after[f"player-{who.player}"] - before[f"player-{who.player}"] for who in occupants]
    assert change == [0, 12, -70, 12]


def _play(rehearsal: Rehearsal, choice: random.Random) -> None:
    seat = rehearsal.state.turn
    moves = rehearsal.view(seat).legal_moves
    assert moves is not UNSET
    move = choice.choice(moves)
    rehearsal.do(PlayCard(move.card, choice.choice(move.captures) if move.captures else UNSET), rehearsal.actor(seat))


# ---------------------------------------------------------------- the whole house


async def test_a_ranked_match_is_paid_in_the_whole_house_and_the_proof_agrees(house: Stack) -> None:
    occupants, settings = seated("SCOPA", 2)
    stream = f"match-{uuid.uuid4().hex}"
    bus = await NatsBus.connect(house.nats_url, name="payouts")
    try:
        client = CommandClient(bus)

        async def send(data: Struct, actor: Actor) -> None:
            command = Command(actor, Raw(canonical.encode(data)), uuid.uuid4().hex, type(data).__name__)
            assert isinstance(await client.send("cardgames", stream, command), Done)

        async def look(player: str) -> MatchView:
            answer = await client.send("cardgames", stream, Ask(player))
            assert isinstance(answer, Seen)
            return msgspec.json.decode(answer.view, type=MatchView)

        await send(StartMatch("SCOPA", 1, uuid.uuid4().hex, occupants, settings, 0, True), SERVICE)
        view = await look("")
        while view.deal_no < 2 and view.status == "RUNNING":
            player = str(occupants[int(view.turn)].player)  # type: ignore[arg-type]
            own = await look(player)
            assert own.legal_moves is not UNSET
            move = own.legal_moves[0]
            await send(PlayCard(move.card, move.captures[0] if move.captures else UNSET), Actor("player", player))
            view = await look("")
        await send(AbandonGame(), Actor("player", str(occupants[0].player)))
    finally:
        await bus.close()
    accounts = [f"player-{who.player}" for who in occupants]
    balances = await _until_paid(house, accounts, 12 - 70 + 12)
    assert balances[accounts[0]] + 70 + balances[accounts[1]] - 12 == 12, "the first deal's twelve"
    said = await asyncio.to_thread(_prove, house)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "1 ranked match" in said.stdout


async def _until_paid(house: Stack, accounts: Sequence[str], together: int) -> Counter[str]:
    """From the ledger's log, as the ledger's role may read it."""
    connection = await asyncpg.connect(house.databases.of("ledger"))
    try:
        async with asyncio.timeout(15):
            while True:
                rows = await connection.fetch("SELECT data FROM ledger.event WHERE type = 'Paid'")
                found: Counter[str] = Counter()
                for row in rows:
                    for entry in msgspec.json.decode(row["data"])["entries"]:
                        found[entry["account"]] += entry["amount"]
                if sum(found[account] for account in accounts) == together:
                    return found
                await asyncio.sleep(0.05)
    finally:
        await connection.close()


def _prove(house: Stack) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "CIRCOLO_POSTGRES_URL": house.databases.of("ledger")}
    env["CIRCOLO_POSTGRES_URL_PROJECTOR"] = house.databases.of("projector")
    command = [sys.executable, "-m", "circolo_ledger.prove"]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)
