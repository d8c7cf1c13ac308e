from __future__ import annotations

from pathlib import Path
from typing import Any

from circolo_events.decider import PUBLIC
from circolo_events.testing.samples import check_samples
from circolo_ledger.registry import REGISTRY
from ranked_table import PAYOUTS

SAMPLES = Path(__file__).parent / "samples"


def stored(name: str) -> Any:
    return REGISTRY.decode(name, 1, (SAMPLES / f"{name}.v1.json").read_bytes())


def test_every_event_ever_stored_is_read_by_todays_code() -> None:
    check_samples(REGISTRY, SAMPLES)


def test_a_stored_payout_is_shown_as_it_was_then() -> None:
    state = PAYOUTS.initial
    for name in ("Paid", "Reversed"):
        state = PAYOUTS.evolve(state, stored(name))
    view = PAYOUTS.view(state, PUBLIC)
    assert (view.version, view.game, view.cause) == (2, "SCOPONE_NOVE", "c" * 32)
    assert [(payment.rule, len(payment.entries)) for payment in view.payments] == [("DEAL", 5)]
    assert [reversal.reason for reversal in view.reversals] == ["COLLUSION"]
    assert state.standing == ()
