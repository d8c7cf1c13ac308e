"""Recalled tokens: told at once, found out where nothing was told, and refused everywhere but for a new token."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

import pytest
from circolo_contracts.direction import SIGN_OUTS, SignedOut
from circolo_contracts.wire import encoder
from circolo_events.bus import NatsBus
from circolo_gateway.recalls import Recall, Recalls
from circolo_gateway.remembered import Remembered
from circolo_gateway.transport.errors import Problem
from circolo_gateway.transport.session import NOBODY, Identity

ADA, BEA = "a" * 32, "b" * 32
OLD, NEW = Identity(ADA, 1, 0), Identity(ADA, 1, 1)


class Gateway:
    """``sockets`` are open; ``kept`` is what rooms has."""

    def __init__(self, bus: NatsBus, check_seconds: float) -> None:
        self.sockets = [OLD, NEW, Identity(BEA, 1, 0)]
        self.kept: dict[str, Recall] = {}
        self.reads: list[Sequence[str]] = []
        self.away = False
        self.time = 0.0
        known = Remembered(self._read, seconds=10, entries=3, batch=10, monotonic=lambda: self.time)
        self.recalls = Recalls(known, bus, self._close, self._present, check_seconds=check_seconds)

    async def _read(self, players: Sequence[str]) -> Mapping[str, Recall]:
        self.reads.append(players)
        if self.away:
            raise OSError("away")
        return {player: self.kept[player] for player in players if player in self.kept}

    def _close(self, whose: Callable[[Identity], bool]) -> None:
        self.sockets = [each for each in self.sockets if not whose(each)]

    def _present(self) -> set[str]:
        return {each.player for each in self.sockets if each.player is not None}

    async def admit(self, identity: Identity, *, refreshes: bool = False) -> str:
        """The code that refuses it; empty: it may go on."""
        admission = self.recalls.admission(identity, lambda: refreshes)
        try:
            if admission is not None:
                await admission
        except Problem as problem:
            return problem.code
        return ""

    async def until_closed(self, sockets: list[Identity]) -> None:
        async with asyncio.timeout(5):
            while self.sockets != sockets:
                await asyncio.sleep(0.01)


async def opened(nats_url: str, check_seconds: float) -> AsyncIterator[tuple[Gateway, NatsBus]]:
    bus = await NatsBus.connect(nats_url, name="recalls")
    gateway = Gateway(bus, check_seconds)
    await gateway.recalls.start()
    await bus.flush()
    yield gateway, bus
    await gateway.recalls.stop()
    await bus.close()


@pytest.fixture
async def told(nats_url: str) -> AsyncIterator[tuple[Gateway, NatsBus]]:
    async for made in opened(nats_url, 60):
        yield made


@pytest.fixture
async def untold(nats_url: str) -> AsyncIterator[tuple[Gateway, NatsBus]]:
    async for made in opened(nats_url, 0.05):
        yield made


def say(bus: NatsBus, *, epoch: int = 1, erased: bool = False) -> None:
    bus.publish(SIGN_OUTS, encoder.encode(SignedOut(epoch=epoch, erased=erased, player=ADA)))


async def test_a_good_token_is_asked_about_once_in_a_while_and_nobody_never(
    told: tuple[Gateway, NatsBus],
) -> None:
    gateway, _ = told
    assert gateway.recalls.admission(NOBODY, lambda: False) is None
    assert [await gateway.admit(OLD) for _ in range(3)] == ["", "", ""]
    assert gateway.reads == [[ADA]]
    gateway.time = 11
    await gateway.admit(OLD)
    assert len(gateway.reads) == 2


async def test_a_token_of_an_earlier_epoch_is_good_for_a_new_token_and_nothing_else(
    told: tuple[Gateway, NatsBus],
) -> None:
    gateway, _ = told
    gateway.kept[ADA] = Recall(1, erased=False)
    assert await gateway.admit(OLD, refreshes=True) == ""
    assert await gateway.admit(OLD) == "UNAUTHENTICATED"
    assert await gateway.admit(NEW) == ""
    assert gateway.sockets == [NEW, Identity(BEA, 1, 0)], "whoever shows an old token has no socket here any more"


async def test_of_who_is_erased_no_token_is_good_for_anything(told: tuple[Gateway, NatsBus]) -> None:
    gateway, _ = told
    gateway.kept[ADA] = Recall(1, erased=True)
    assert await gateway.admit(NEW, refreshes=True) == "UNAUTHENTICATED"


async def test_a_ban_closes_the_sockets_at_once_and_what_was_known_before_counts_no_more(
    told: tuple[Gateway, NatsBus],
) -> None:
    gateway, bus = told
    assert await gateway.admit(OLD) == ""
    say(bus)
    await gateway.until_closed([NEW, Identity(BEA, 1, 0)])
    assert await gateway.admit(OLD) == "UNAUTHENTICATED"
    assert gateway.reads == [[ADA]], "nothing had to be read for it"
    say(bus, epoch=0)
    await bus.flush()
    await asyncio.sleep(0.05)
    assert await gateway.admit(OLD) == "UNAUTHENTICATED", "an older word than the last is no news"


async def test_a_ban_that_nobody_told_us_of_is_found_out(untold: tuple[Gateway, NatsBus]) -> None:
    gateway, _ = untold
    assert await gateway.admit(OLD) == ""
    gateway.kept[ADA] = Recall(1, erased=False)
    await gateway.until_closed([NEW, Identity(BEA, 1, 0)])
    assert await gateway.admit(OLD) == "UNAUTHENTICATED"


async def test_while_rooms_tables_are_away_who_is_known_goes_on_and_who_is_not_waits(
    told: tuple[Gateway, NatsBus],
) -> None:
    gateway, _ = told
    assert await gateway.admit(OLD) == ""
    gateway.away, gateway.time = True, 11
    assert await gateway.admit(OLD) == ""
    assert await gateway.admit(Identity(BEA, 1, 0)) == "UNAVAILABLE"


async def test_a_word_that_cannot_be_read_makes_us_look_for_ourselves(told: tuple[Gateway, NatsBus]) -> None:
    gateway, bus = told
    gateway.kept[ADA] = Recall(1, erased=False)
    bus.publish(SIGN_OUTS, b"{")
    await gateway.until_closed([NEW, Identity(BEA, 1, 0)])
