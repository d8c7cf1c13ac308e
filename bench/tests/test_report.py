"""A table says the median of the runs, what the parts cost, and nothing that was not measured."""

from __future__ import annotations

import os
from typing import Any

from bench.peers.report import cells, row, table
from bench.peers.run import lags_in
from bench.processes import memory, tree, tree_cpu
from bench.profiling import shares


def measured(moves_per_s: float, **more: Any) -> dict[str, Any]:
    run = {
        "moves": 10, "moves_per_s": moves_per_s, "p50_ms": 1.0, "p99_ms": 2.0, "errors": 1, "secret_leaks": 0,
        "cpu_ms_per_move": 0.5, "cpu_ms_by_part": {"gateway": 0.3, "server": 0.001}, "client_cpu_pct": 9,
        "others_cpu_pct": 1, "lag": {},
    }  # fmt: skip
    return {**run, **more}


def test_a_row_is_the_median_with_its_spread_and_errors_add_up() -> None:
    merged = row("circolo", 20, [measured(100), measured(300), measured(200)])
    assert merged["moves_per_s"] == 200
    assert merged["moves_per_s_spread"] == [100, 300]
    assert merged["errors"] == 3


def test_others_are_compared_with_the_first_target_of_their_size() -> None:
    rows = [row("circolo", 20, [measured(100)]), row("col", 20, [measured(150)]), row("circolo", 100, [measured(300)])]
    assert [line.split(" | ")[3] for line in table(rows).splitlines()[2:]] == ["1.00 x", "1.50 x", "1.00 x"]


def test_a_server_without_consumers_has_no_lag_and_parts_that_cost_nothing_are_left_out() -> None:
    merged = row("col", 20, [measured(100)])
    shown = cells(merged, merged)
    assert "" in shown
    assert "gateway 0.30" in shown


def test_the_lag_in_events_and_its_age_are_told_apart() -> None:
    metrics = (
        'circolo_consumer_lag{consumer="rooms",service="projector"} 7\n'
        'circolo_consumer_delay_milliseconds{consumer="rooms",service="projector"} 31\n'
        'circolo_relay_lag{service="rooms"} 3\n'
    )
    found = lags_in("projector", metrics)
    assert found == {
        "projector consumer rooms": 7,
        "projector consumer rooms (age, ms)": 31,
        "projector relay rooms": 3,
    }


def test_a_process_knows_its_own_cost() -> None:
    me = {"me": os.getpid()}
    assert os.getpid() in tree(os.getpid())
    assert tree_cpu(me)["me"] > 0
    assert memory(me)["me"].resident >= memory(me)["me"].proportional > 0


def test_a_profile_counts_a_function_once_a_sample() -> None:
    text = shares("run (a/src/x.py:1);decide (a/src/y.py:5);run (a/src/x.py:9) 3\nrun (a/src/x.py:1) 1\n", 5)
    assert "4 samples" in text
    assert "100.0 %  run (x.py)" in text
