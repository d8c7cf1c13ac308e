"""The service on a real Postgres and NATS: results in by cardgames' log, payments in the ledger's, each once."""

from __future__ import annotations

import asyncio
import os
import random
import sys
import uuid
from pathlib import Path

import pytest
from circolo_contracts.cardgames import MatchStarted
from circolo_contracts.ledger import Entry, Paid, Reversed, ReverseEntry, payout_stream
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Actor, Done, Refused
from circolo_events import canonical
from circolo_events.appender import ANY_VERSION, Append, NewEvent
from circolo_events.canonical import reaction_command_id
from circolo_ledger import prove
from circolo_ledger.results import sends, table_of
from circolo_ledger.service import Ledger
from counting_house import CountingHouse, due_of
from ranked_table import LEDGER, PRIZES, Match, of_players, payments_of, random_match, some_id

EXAMPLE_2 = ((5, 2), (6, 1), (5, 3))
OPERATOR = Actor("operator", "e" * 32)
COPIES = 5


def complete() -> Match:
    return Match().played(*EXAMPLE_2).won_by(0)


async def test_a_complete_match_is_paid_deal_by_deal_and_hands_out_200(house: CountingHouse) -> None:
    match = complete()
    async with house.at_work() as [ledger]:
        await house.plays(match, stop=2)
        await ledger.results.caught_up(30)
        assert sum((await house.balances()).values()) == 0
        assert (await house.balances())["pot"] == -24, "the first deal is paid while the match goes on"
        await house.plays(match, start=2)
        await ledger.results.caught_up(30)
        after = await house.balances()
        assert [after[f"player-{player}"] for player in match.players] == [81, 19, 81, 19]
        end = match.events[-1][0]
        view = await house.look(end)
        assert view is not None
        assert ([payment.rule for payment in view.payments], view.game_id) == (["MATCH", "UNPLAYED"], match.id)
        assert await house.look(some_id()) is None


async def test_friendly_matches_patiences_and_games_that_never_started_pay_nothing(house: CountingHouse) -> None:
    friendly = Match(ranked=False).played(*EXAMPLE_2).won_by(0)
    patience = Match().end("BLOCKED")
    patience.events.pop(0)
    async with house.at_work() as [ledger]:
        await house.play_all([friendly, patience])
        await ledger.results.caught_up(30)
        assert await house.log() == []


async def test_L2_results_delivered_five_times_by_two_consumers_are_paid_once(house: CountingHouse) -> None:
    """Two replicas that both read the log, and each command sent again and again beside them."""
    source = random.Random(2)
    matches = [random_match(source, [some_id(source) for _ in range(8)]) for _ in range(30)]
    async with house.at_work(replicas=2) as ledgers:
        await house.play_all(matches)
        commands = [
            (send, cause)
            for match in matches
            for place, (cause, event) in enumerate(match.events)
            if not isinstance(event, MatchStarted) and (table := table_of(match.started)) is not None
            for send in sends(PRIZES, table, cause, event, match.deals if place > len(match.deals) else [])
        ]
        repeated = [
            house.send(send.stream, send.data, LEDGER, reaction_command_id(cause, send.rule))
            for send, cause in commands * COPIES
        ]
        answers = await asyncio.gather(*repeated)
        assert {type(answer) for answer in answers} == {Done}
        for ledger in ledgers:
            await ledger.results.caught_up(30)
        await _from_the_start_again(house)
        await ledgers[0].results.caught_up(30)
    paid = await house.payments()
    assert len({(event.cause, event.rule) for event in paid if isinstance(event, Paid)}) == len(paid) == len(commands)
    assert await house.balances() == due_of(matches)
    assert (await house.prove()).differences == []


async def _from_the_start_again(house: CountingHouse) -> None:
    """The whole log is delivered once more: as if the checkpoint had been lost."""
    await house.store.pool.execute("UPDATE checkpoint SET pos = 0 WHERE consumer = 'ledger.results'")
    await house.store.pool.execute("UPDATE lease SET until = 0")


async def test_L1_fifty_parallel_payments_to_one_account_lose_none(house: CountingHouse) -> None:
    lucky = some_id()
    matches = [Match(players=[lucky, *(some_id() for _ in range(3))]).deal(n % 7, 3) for n in range(50)]
    async with house.at_work(replicas=2) as ledgers:
        await house.play_all(matches)
        for ledger in ledgers:
            await ledger.results.caught_up(30)
        after = await house.balances()
    assert after[f"player-{lucky}"] == sum(of_players(match)[0] for match in matches)
    assert sum(after.values()) == 0


async def test_C1_what_comes_after_the_end_of_a_match_pays_nothing(house: CountingHouse) -> None:
    match = complete()
    async with house.at_work() as [ledger]:
        await house.plays(match)
        await ledger.results.caught_up(30)
        before = await house.log()
        match.abandoned_by(1)
        await house.plays(match, start=len(match.events) - 1)
        await ledger.results.caught_up(30)
        assert await house.log() == before
    assert (await house.prove()).differences == []


async def test_a_result_that_cannot_be_paid_waits_for_somebody_and_holds_up_nobody_else(house: CountingHouse) -> None:
    impossible = Match("SCOPA").deal(11, 3).end("TIED")
    good = complete()
    async with house.at_work() as [ledger]:
        await house.plays(impossible)
        await house.plays(good)
        await ledger.results.caught_up(30)
        assert ledger.results.subscription.parked == {impossible.stream}
        assert (await house.balances())[f"player-{good.players[0]}"] == 81


# ---------------------------------------------------------------- reversal


async def test_an_operator_reverses_a_payout_once_and_a_player_never(house: CountingHouse) -> None:
    match = complete()
    stream = payout_stream(match.events[-1][0])
    async with house.at_work() as [ledger]:
        await house.plays(match)
        await ledger.results.caught_up(30)
        refused = await house.send(stream, ReverseEntry("COLLUSION"), Actor("player", match.players[1]))
        assert isinstance(refused, Refused)
        assert refused.code is RefusalCode.NOT_ALLOWED
        for _ in range(2):
            assert isinstance(await house.send(stream, ReverseEntry("COLLUSION"), OPERATOR), Done)
        unknown = await house.send(stream, _with_reason("because"), OPERATOR)
        assert isinstance(unknown, Refused)
        assert unknown.code is RefusalCode.MALFORMED
    events = await house.payments()
    assert [type(event) for event in events].count(Reversed) == 1
    after = await house.balances()
    assert [after[f"player-{player}"] for player in match.players] == [27, 9, 27, 9], "the deals stay paid"
    proof = await house.prove()
    assert (proof.differences, proof.reversals) == ([], 1)


def _with_reason(reason: str) -> ReverseEntry:
    return ReverseEntry(reason)  # type: ignore[arg-type]


# ---------------------------------------------------------------- the proof and the metric


async def test_the_proof_recomputes_random_ranked_matches_and_agrees(house: CountingHouse) -> None:
    source = random.Random(7)
    people = [some_id(source) for _ in range(12)]
    matches = [random_match(source, people) for _ in range(60)]
    async with house.at_work() as [ledger]:
        await house.play_all(matches)
        await ledger.results.caught_up(30)
        await ledger.trial.subscription.caught_up(30)
        assert (ledger.trial.imbalance, sum((ledger.trial.amounts or {}).values())) == (0, 0)
        assert ledger.trial.amounts == _by_kind(await house.balances())
    proof = await house.prove()
    assert proof.differences == []
    assert proof.balances == proof.recomputed == due_of(matches)
    assert proof.payments == sum(len(payments_of(match)) for match in matches)


def _by_kind(balances: dict[str, int]) -> dict[str, int]:
    kinds: dict[str, int] = {}
    for account, amount in balances.items():
        kind = account.partition("-")[0]
        kinds[kind] = kinds.get(kind, 0) + amount
    return kinds


async def test_the_proof_waits_for_nothing_that_the_ledger_has_not_read_yet(house: CountingHouse) -> None:
    await house.plays(complete())
    proof = await house.prove()
    assert (proof.differences, proof.pending, proof.payments) == ([], 5, 0)


async def _written_by_somebody(house: CountingHouse, stream: str, event: Paid | Reversed) -> None:
    """An event that the ledger's decider did not make."""
    ledger = await house.open()
    ledger.appender.start()
    new = NewEvent(uuid.uuid4().hex, type(event).__name__, 1, canonical.encode(event), b"{}")
    await ledger.appender.append(Append(stream, ANY_VERSION, uuid.uuid4().hex, [new]))
    await ledger.appender.stop()


async def test_money_from_nowhere_shows_in_the_metric_and_in_the_proof(house: CountingHouse) -> None:
    cause = some_id()
    forged = Paid(1, cause, [Entry(f"player-{'a' * 32}", 1_000)], "SCOPONE_NOVE", "9" * 32, "MATCH")
    async with house.at_work() as [ledger]:
        await _written_by_somebody(house, payout_stream(cause), forged)
        await _until_it_shows(ledger, 1_000)
    async with house.at_work() as [ledger]:
        assert ledger.trial.imbalance == 1_000, "also in a process that has seen no payment yet"
    said = "\n".join((await house.prove()).differences)
    assert "does not balance" in said
    assert "no result of a ranked match asks for it" in said
    assert f"player-{'a' * 32} has 1000 and should have 0" in said


async def _until_it_shows(ledger: Ledger, amount: int) -> None:
    """The sums are committed with the checkpoint, and read into the gauge right after that."""
    async with asyncio.timeout(30):
        while ledger.trial.imbalance != amount:
            await asyncio.sleep(0.02)


async def test_what_the_proof_finds(house: CountingHouse) -> None:
    """A payment that is missing, one that is wrong, one too many, one reversed by half."""
    match = complete()
    (first, _), (second, _), (third, _) = match.events[1:4]
    paid = {payment.cause: payment for payment in payments_of(match) if payment.rule == "DEAL"}
    async with house.at_work() as [ledger]:
        await house.plays(Match())
        await ledger.results.caught_up(30)
    async with house.store.pool.acquire() as connection:  # everything counts as read
        await connection.execute("UPDATE checkpoint SET pos = 1000 WHERE consumer = 'ledger.results'")
    await house.plays(match)
    wrong = Paid(1, second, [Entry("pot", -24), Entry(f"player-{match.players[0]}", 24)], "SCOPA", match.id, "DEAL")
    half = Reversed(1, "e" * 32, third, [Entry("pot", 12), Entry(f"player-{match.players[0]}", -12)], "FAULT")
    await _written_by_somebody(house, payout_stream(second), wrong)
    for event in (paid[third], paid[third], half):
        await _written_by_somebody(house, payout_stream(third), event)
    said = "\n".join((await house.prove()).differences)
    assert f"DEAL of event {first}, match {match.id}" in said
    assert "nothing was paid" in said
    assert f"DEAL of event {second}" in said
    assert "once more" in said
    assert "reverses" in said


async def test_the_read_model_of_balances_is_held_against_the_entries(house: CountingHouse) -> None:
    match = complete()
    async with house.at_work() as [ledger]:
        await house.plays(match)
        await ledger.results.caught_up(30)
    proof = await house.prove()
    async with house.store.pool.acquire() as connection:
        assert await prove.shown_balances(connection) is None
        await connection.execute("CREATE SCHEMA projector")
        await connection.execute("CREATE TABLE projector.balance (account text, balance int8, entries int8)")
        await connection.executemany("INSERT INTO projector.balance VALUES ($1, $2, 1)", list(proof.balances.items()))
        shown = await prove.shown_balances(connection)
        assert shown is not None
        assert proof.compare_balances(shown[0]) == []
        await connection.execute("UPDATE projector.balance SET balance = balance + 1 WHERE account = 'pot'")
        shown = await prove.shown_balances(connection)
        assert shown is not None
        assert len(proof.compare_balances(shown[0])) == 1


@pytest.mark.parametrize("agrees", [True, False])
async def test_prove_says_what_it_found_by_its_exit_code(
    house: CountingHouse, database: str, agrees: bool, tmp_path: Path
) -> None:
    async with house.at_work() as [ledger]:
        await house.plays(complete())
        await ledger.results.caught_up(30)
    if not agrees:
        cause = some_id()
        forged = Paid(1, cause, [Entry("pot", -5), Entry("penalties", 5)], "SCOPA", "9" * 32, "PENALTY")
        await _written_by_somebody(house, payout_stream(cause), forged)
    code, said = await circolo_ledger_prove(database, tmp_path)
    assert code == (0 if agrees else 1), said
    assert said.startswith("ok   " if agrees else "FALSE")
    assert "1 ranked matches" in said
    assert ("PENALTY of event" in said) is not agrees


async def circolo_ledger_prove(database: str, home: Path) -> tuple[int, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CIRCOLO_POSTGRES")}
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "circolo_devstack", "ledger", "prove", "--data", str(home),
        env={**environment, "CIRCOLO_POSTGRES_URL": database},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await program.communicate()
    assert program.returncode is not None
    return program.returncode, said.decode()
