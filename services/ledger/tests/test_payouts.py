from __future__ import annotations

import pytest
from circolo_contracts.ledger import Entry, Paid, Reversal, Reversed, ReverseEntry, payout_stream, player_of
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Actor
from circolo_events.decider import PUBLIC
from circolo_events.testing.scenario import NOON, Scenario, given
from circolo_ledger.commands import FineLeaver, PayDeal, PayLeftDeal, PayMatch
from circolo_ledger.prizes import Table, Unpayable
from ranked_table import LEDGER, PAYOUTS

CAUSE, GAME = "c" * 32, "9" * 32
PLAYERS = [letter * 32 for letter in "abde"]
TABLE = Table("SCOPONE_NOVE", GAME, PLAYERS, [0, 1, 0, 1])
DEAL = PayDeal(CAUSE, [5, 3], TABLE)
OPERATOR = Actor("operator", "e" * 32)
PAID = Paid(
    NOON, CAUSE,
    [*(Entry(f"player-{p}", n) for p, n in zip(PLAYERS, (8, 4, 8, 4), strict=True)), Entry("pot", -24)],
    "SCOPONE_NOVE", GAME, "DEAL",
)  # fmt: skip


def payout(*events: Paid | Reversed) -> Scenario:
    return given(PAYOUTS, *events, stream=payout_stream(CAUSE))


def test_a_payment_names_its_cause_and_balances() -> None:
    payout().when(DEAL, actor=LEDGER).then(PAID)


def test_a_rule_is_paid_once() -> None:
    payout(PAID).when(DEAL, actor=LEDGER).then_nothing()
    payout(PAID).when(PayLeftDeal(CAUSE, 0, TABLE), actor=LEDGER).then_nothing()


def test_another_rule_of_the_same_event_is_paid_beside_it() -> None:
    scenario = payout(PAID).when(FineLeaver(CAUSE, 1, TABLE), actor=LEDGER)
    scenario.then(Paid(NOON, CAUSE, [Entry(f"player-{'b' * 32}", -70), Entry("penalties", 70)], "SCOPONE_NOVE", GAME,
                       "PENALTY"))  # fmt: skip


@pytest.mark.parametrize("actor", [Actor("player", "a" * 32), Actor("cpu", "1"), OPERATOR])
def test_nobody_but_the_ledger_itself_pays(actor: Actor) -> None:
    payout().when(DEAL, actor=actor).then_refused(RefusalCode.NOT_ALLOWED)


def test_a_payment_on_the_stream_of_another_event_is_refused() -> None:
    scenario = given(PAYOUTS, stream=payout_stream("d" * 32))
    scenario.when(DEAL, actor=LEDGER).then_refused(RefusalCode.MALFORMED, "cause")


def test_a_game_without_a_schedule_is_not_paid() -> None:
    with pytest.raises(Unpayable):
        payout().when(PayMatch(CAUSE, [1, 2, 3], Table("SCOPA", GAME, PLAYERS[:3], [0, 1, 2]), 0), actor=LEDGER)


# ---------------------------------------------------------------- reversal


def test_an_operator_takes_back_everything_that_an_event_paid_by_counter_entries() -> None:
    back = [Entry(entry.account, -entry.amount) for entry in PAID.entries]
    payout(PAID).when(ReverseEntry("COLLUSION"), actor=OPERATOR).then(
        Reversed(NOON, OPERATOR.id, CAUSE, back, "COLLUSION")
    )


def test_what_is_reversed_is_not_reversed_again_and_not_paid_again() -> None:
    scenario = payout(PAID).when(ReverseEntry("FAULT"), actor=OPERATOR).go_on()
    scenario.when(ReverseEntry("DIRECTION"), actor=OPERATOR).then_nothing()
    scenario.when(DEAL, actor=LEDGER).then_nothing()


def test_a_rule_that_is_paid_after_a_reversal_can_be_reversed_alone() -> None:
    scenario = payout(PAID).when(ReverseEntry("FAULT"), actor=OPERATOR).go_on()
    scenario.when(FineLeaver(CAUSE, 0, TABLE), actor=LEDGER).go_on()
    scenario.when(ReverseEntry("DIRECTION"), actor=OPERATOR).then(
        Reversed(
            NOON, OPERATOR.id, CAUSE, [Entry(f"player-{'a' * 32}", 70), Entry("penalties", -70)], "DIRECTION"
        )
    )  # fmt: skip


def test_the_counter_entry_of_a_leavers_deal_and_fine_is_one_for_each_account() -> None:
    scenario = payout()
    for command in (FineLeaver(CAUSE, 0, TABLE), PayLeftDeal(CAUSE, 0, TABLE)):
        scenario.when(command, actor=LEDGER).go_on()
    reversed_ = scenario.when(ReverseEntry("FAULT"), actor=OPERATOR).decided[0]  # type: ignore[index]
    assert {entry.account: entry.amount for entry in reversed_.entries} == {
        f"player-{'a' * 32}": 70, "penalties": -70, f"player-{'b' * 32}": -12, f"player-{'e' * 32}": -12, "pot": 24,
    }  # fmt: skip


@pytest.mark.parametrize("actor", [Actor("player", "a" * 32), Actor("cpu", "1"), LEDGER])
def test_nobody_but_an_operator_reverses(actor: Actor) -> None:
    payout(PAID).when(ReverseEntry("FAULT"), actor=actor).then_refused(RefusalCode.NOT_ALLOWED)


def test_there_is_nothing_to_reverse_where_nothing_was_paid() -> None:
    payout().when(ReverseEntry("FAULT"), actor=OPERATOR).then_refused(RefusalCode.NOT_FOUND)


# ---------------------------------------------------------------- views


def test_everybody_may_see_what_was_paid_and_nobody_who_reversed_it() -> None:
    scenario = payout(PAID).when(ReverseEntry("FAULT"), actor=OPERATOR).go_on()
    assert PAYOUTS.viewer(scenario.state, "") == PUBLIC
    view = PAYOUTS.view(scenario.state, PUBLIC)
    assert (view.cause, view.game, view.game_id, view.version) == (CAUSE, "SCOPONE_NOVE", GAME, 2)
    assert [payment.rule for payment in view.payments] == ["DEAL"]
    assert view.reversals == [Reversal(NOON, [Entry(e.account, -e.amount) for e in PAID.entries], "FAULT")]


def test_a_payout_that_does_not_exist_is_not_shown() -> None:
    answer = PAYOUTS.viewer(PAYOUTS.initial, "")
    assert getattr(answer, "code", None) is RefusalCode.NOT_FOUND


def test_an_account_is_a_players_or_the_houses() -> None:
    assert [player_of(account) for account in (f"player-{'a' * 32}", "pot", "penalties")] == ["a" * 32, None, None]
