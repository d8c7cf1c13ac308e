"""Tickets and strips: what they are, how many there are, and that every strip is equally likely."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator

import pytest
from cartelle import VECTORS, rows_of, seated, seed
from circolo_contracts.chance import words
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.tombola import DrawNumber, TombolaStarted, column_of
from circolo_tombola.tickets import counting
from circolo_tombola.tickets.dealing import deal, draw_order
from circolo_tombola.tickets.strips import large_below, strip
from circolo_tombola.tickets.ticket import NUMBERS_OF, Ticket, is_strip, is_ticket, numbers_of

GRIDS = [case for case in VECTORS.values() if "ticket" in case.get("data", {})]
STRIPS_KNOWN = 467711541132248468278363019351514108076722415153589853880320000000000000000000
SAMPLE = 1_500


def is_printed_right(grid: list[list[int]]) -> bool:
    """A ticket whose numbers stand in their own columns."""
    places = all(column_of(number) == at for row in grid for at, number in enumerate(row) if 1 <= number <= 90)
    return places and is_ticket(rows_of(grid))


@pytest.mark.parametrize("case", GRIDS, ids=lambda case: f"party_{case['id']}")
def test_a_ticket_of_the_vectors_is_valid_or_not(case: dict) -> None:
    assert is_printed_right(case["data"]["ticket"]) is (case["then"] == "valid"), case["given"]


def test_party_T14_the_printed_strip_has_every_number_once() -> None:
    tickets = [tuple(tuple(row) for row in rows_of(grid)) for grid in VECTORS["T14"]["data"]["strip"]]
    assert is_strip(tickets)
    assert [sum(column_of(n) == column for t in tickets for n in numbers_of(t)) for column in range(9)] == [
        9, 10, 10, 10, 10, 10, 10, 10, 11,
    ]  # fmt: skip


def test_party_T15_a_strip_with_a_number_twice_is_none() -> None:
    assert not is_strip([tuple(tuple(row) for row in rows_of(grid)) for grid in VECTORS["T15"]["data"]["strip"]])


def test_a_ticket_of_too_few_rows_or_numbers_out_of_range_is_none() -> None:
    assert not is_ticket([])
    assert not is_ticket([[4, 23, 41, 60, 85]] * 2)
    assert not is_ticket([[0, 23, 41, 60, 85], [12, 37, 55, 68, 71], [9, 18, 44, 79, 90]])


def test_the_columns_hold_the_tens() -> None:
    assert [(numbers[0], numbers[-1]) for numbers in NUMBERS_OF] == [
        (1, 9), (10, 19), (20, 29), (30, 39), (40, 49), (50, 59), (60, 69), (70, 79), (80, 90),
    ]  # fmt: skip


# ---------------------------------------------------------------- how many there are


def test_layouts_by_columns_of_three_are_those_that_are_known() -> None:
    assert [counting.layouts(threes) for threes in range(4)] == [1710, 639, 240, 90]


def test_the_skips_count_the_layouts_that_can_be_listed() -> None:
    """For two-high columns that leave out a row each and columns of one number: every placing tried."""
    for threes in range(4):
        pairs, singles = 6 - 2 * threes, 3 + threes
        found = 0
        for out in itertools.product(range(3), repeat=pairs):
            for into in itertools.product(range(3), repeat=singles):
                rows = [threes + pairs - out.count(row) + into.count(row) for row in range(3)]
                found += rows == [5, 5, 5]
        assert found == counting.layouts(threes)


def test_party_T16_there_are_735210_blank_layouts_of_a_ticket() -> None:
    heights = [heights for heights in itertools.product((1, 2, 3), repeat=9) if sum(heights) == 15]
    assert len(heights) == 1554
    assert sum(counting.layouts(each.count(3)) for each in heights) == 735_210


def test_party_T17_the_number_of_strips_is_the_known_one() -> None:
    assert counting.strips() == STRIPS_KNOWN
    assert str(STRIPS_KNOWN) == VECTORS["T17"]["then"]


def test_no_choice_for_a_column_leads_to_a_dead_end() -> None:
    """Why there is no second try: from every state that can be reached there are completions."""
    ahead, seen = [(0, counting.START)], set()
    while ahead:
        column, state = ahead.pop()
        assert counting.COMPLETIONS.of(column, state) > 0
        if column < 9 and column < 4:
            following = {(column + 1, way.after) for way in counting.ways(column, state)} - seen
            seen |= following
            ahead += following
    assert len(seen) > 100


def test_the_choices_for_a_column_give_out_its_extras() -> None:
    for column, extras in enumerate(counting.COLUMN_EXTRAS[:2]):
        states = {counting.START} if column == 0 else {way.after for way in counting.ways(0, counting.START)}
        for state in states:
            for way in counting.ways(column, state):
                assert sum(sharing.ones + 2 * sharing.twos for sharing in way.sharings) == extras
                assert sum(sharing.count for sharing in way.sharings) == 6


# ---------------------------------------------------------------- drawing one


@pytest.fixture(scope="module")
def drawn() -> list[tuple[Ticket, ...]]:
    return [strip(words(seed(number), "tickets", 1)) for number in range(SAMPLE)]


def chi_square(observed: list[float], expected: list[float]) -> float:
    return sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True))


def test_every_strip_that_is_drawn_is_one(drawn: list[tuple[Ticket, ...]]) -> None:
    assert all(map(is_strip, drawn))
    assert len(set(drawn)) == SAMPLE


def test_columns_of_three_are_as_frequent_as_among_all_strips(drawn: list[tuple[Ticket, ...]]) -> None:
    shares = (0.38833, 0.50437, 0.10527, 0.00203)
    found = Counter(threes(ticket) for strip_ in drawn for ticket in strip_)
    total = 6 * SAMPLE
    value = chi_square([found[n] for n in range(4)], [total * share for share in shares])
    assert value < 16.3, f"three degrees of freedom: one run in a thousand is above; {found}"


def threes(ticket: Ticket) -> int:
    columns = Counter(column_of(number) for number in numbers_of(ticket))
    return sum(height == 3 for height in columns.values())


def test_every_number_is_as_likely_on_every_ticket_of_a_strip(drawn: list[tuple[Ticket, ...]]) -> None:
    found = Counter((number, place) for strip_ in drawn for place, ticket in enumerate(strip_) for number in ticket[0])
    found += Counter(
        (number, place)
        for strip_ in drawn
        for place, ticket in enumerate(strip_)
        for row in ticket[1:]
        for number in row
    )
    value = chi_square([found[n, place] for n in range(1, 91) for place in range(6)], [SAMPLE / 6] * 540)
    assert value < 450 + 4 * math.sqrt(900), value


def test_every_row_has_as_many_blanks_in_a_column(drawn: list[tuple[Ticket, ...]]) -> None:
    for row in range(3):
        cells = Counter(column_of(number) for strip_ in drawn for ticket in strip_ for number in ticket[row])
        for column, numbers in enumerate(NUMBERS_OF):
            assert cells[column] / (6 * SAMPLE) == pytest.approx(len(numbers) / 18, abs=0.025)


@pytest.mark.soak
def test_forty_thousand_strips_are_all_strips_and_as_frequent_as_they_should_be() -> None:
    source = words(seed("soak"), "tickets", 1)
    found: Counter[int] = Counter()
    for _ in range(40_000):
        tickets = strip(source)
        assert is_strip(tickets)
        found.update(map(threes, tickets))
    shares = (0.38833, 0.50437, 0.10527, 0.00203)
    assert chi_square([found[n] for n in range(4)], [240_000 * share for share in shares]) < 16.3


def counted(source: Iterator[int], count: list[int]) -> Iterator[int]:
    for word in source:
        count[0] += 1
        yield word


def test_a_strip_takes_about_as_many_words_as_any_other() -> None:
    """It is drawn in one go: nothing is ever begun again."""
    taken = []
    for number in range(300):
        count = [0]
        strip(counted(words(seed(f"words {number}"), "tickets", 1), count))
        taken.append(count[0])
    assert max(taken) < 1.2 * min(taken), (min(taken), max(taken))


def test_a_large_number_is_drawn_evenly_and_below_its_limit() -> None:
    limit = 3 << 200
    source = words(seed("large"), "tickets", 1)
    numbers = [large_below(source, limit) for _ in range(3_000)]
    assert all(0 <= number < limit for number in numbers)
    thirds = Counter(number // (1 << 200) for number in numbers)
    assert chi_square([thirds[n] for n in range(3)], [1_000] * 3) < 13.8


def test_words_beyond_the_last_multiple_of_a_large_limit_are_thrown_away() -> None:
    limit = (1 << 64) - 1
    high = [0xFFFFFFFF] * 3
    assert large_below(iter([*high, 0, 0, 7]), limit) == 7


def test_a_strip_of_a_seed_is_the_same_for_ever() -> None:
    first, *_, last = strip(words(bytes(range(32)), "tickets", 1))
    assert first == GOLDEN_FIRST
    assert last == GOLDEN_LAST
    assert draw_order(bytes(range(32)))[:6] == GOLDEN_DRAWS


GOLDEN_FIRST = ((5, 15, 32, 54, 87), (6, 16, 21, 59, 71), (9, 37, 41, 67, 72))
GOLDEN_LAST = ((2, 36, 46, 73, 81), (11, 20, 48, 64, 85), (4, 26, 57, 68, 77))
GOLDEN_DRAWS = (32, 69, 82, 54, 26, 43)

# ---------------------------------------------------------------- dealing


@pytest.mark.parametrize(
    ("name", "players", "strips"),
    [("T18", 1, 1), ("T20", 6, 1), ("T21", 7, 2), ("T22", 12, 2), ("T23", 13, 3), ("24", 24, 4), ("2", 2, 1)],
    ids=lambda value: f"party_{value}" if isinstance(value, str) else str(value),
)
def test_as_many_tickets_as_people_from_as_few_strips_as_there_can_be(name: str, players: int, strips: int) -> None:
    tickets = deal(seed(name), players)
    assert len(set(tickets)) == players
    assert all(map(is_ticket, tickets))
    made = [strip(words(seed(name), "tickets", number)) for number in range(1, strips + 1)]
    used = [sum(ticket in each for ticket in tickets) for each in made]
    assert used == [6] * (strips - 1) + [players - 6 * (strips - 1)], "whole strips first"
    for each in made:
        numbers = [number for ticket in tickets if ticket in each for number in numbers_of(ticket)]
        assert len(numbers) == len(set(numbers)), "inside one strip no number twice"


def test_the_order_of_coming_says_nothing_about_the_ticket() -> None:
    places = Counter(deal(seed(f"order {number}"), 7).index(ticket_of_the_last_strip(number)) for number in range(210))
    assert chi_square([places[seat] for seat in range(7)], [30] * 7) < 22.5


def ticket_of_the_last_strip(number: int) -> Ticket:
    tickets = deal(seed(f"order {number}"), 7)
    last = strip(words(seed(f"order {number}"), "tickets", 2))
    return next(ticket for ticket in tickets if ticket in last)


def test_all_ninety_numbers_are_called_once() -> None:
    game = seated(2, seed_no=4)
    game.draw(90)
    assert sorted(game.state.called) == [*range(1, 91)]
    (started,) = game.events[:1]
    assert isinstance(started, TombolaStarted)
    assert list(game.state.called) == started.draws
    assert game.play(game.state.host, DrawNumber()) is RefusalCode.ALL_DRAWN
