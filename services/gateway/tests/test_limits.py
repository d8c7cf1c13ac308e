"""Limits at the door: buckets, and values that may not travel."""

from __future__ import annotations

from circolo_contracts.refusals import RefusalCode
from circolo_gateway.boundary import text_problem
from circolo_gateway.limits import Buckets
from circolo_gateway.transport.session import language_of


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_rested_player_may_burst_and_then_goes_at_the_steady_rate() -> None:
    time = Time()
    buckets = Buckets(10, 5, time)
    assert [buckets.take("ada", 1) for _ in range(5)] == [0.0] * 5
    assert buckets.take("ada", 1) == 0.1
    assert buckets.take("bea", 1) == 0.0, "one player's hurry is not another's"
    time.now = 0.1
    assert buckets.take("ada", 1) == 0.0
    assert buckets.take("ada", 1) > 0


def test_aliases_count_one_each_and_more_than_a_burst_takes_all_of_it() -> None:
    time = Time()
    buckets = Buckets(1, 10, time)
    assert buckets.take("ada", 50) == 0.0
    assert buckets.take("ada", 1) == 1.0
    time.now = 3
    assert buckets.take("ada", 50) == 7.0


def test_the_buckets_are_bounded() -> None:
    buckets = Buckets(1, 1, Time(), most=10)
    for n in range(100):
        buckets.take(str(n), 1)
    assert len(buckets._buckets) == 10


def test_text_that_cannot_be_stored_is_refused_by_name() -> None:
    for text in ("a\x00b", "\ud800", "x" * 1_000_000):
        problem = text_problem(text, "name")
        assert problem is not None
        assert (problem.code, problem.field) == (RefusalCode.INVALID_TEXT, "name")
    assert text_problem("Ada Lovelace 🂡", "name") is None


def test_the_language_is_the_clients_first_of_italian_and_english() -> None:
    for header, wanted in (
        (None, "IT"), ("", "IT"), ("en", "EN"), ("en-GB,it;q=0.8", "EN"), ("it,en", "IT"), ("de,en;q=0.5", "EN"),
        ("en;q=0.3,it;q=0.9", "IT"), ("fr", "IT"), ("en;q=x", "IT"),
    ):  # fmt: skip
        assert language_of(header) == wanted
