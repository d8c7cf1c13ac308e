"""The README's table is true. And the rows of both pages that touch nothing that is built today:

| row | why not yet |
|---|---|
| J9, J10 | there is no matchmaker: no ticket, no quick match |
| C4 | nobody can grant time: there is no such command |
| store 19 | nothing is archived: a stream stays where it is |
| store 27 | the same; readers that move between replicas are in the storms |
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
ROW = re.compile(r"^\| (?:store )?([A-Z]?\d[\d, ]*|[A-Z]\d+) \|")
NAMED = re.compile(r"`([\w/]+\.py)`|`(test_\w+)`")
GAME_ROWS = "M2 M5 M6 M10 J2 J3 J4 J8 J11 S2 S3 S5 C1 C3 O1 O2 O3 R1 R3 E1 L1 L2"
STORE_ROWS = "1 2 4 5 6 7 8 9 11 12 13 14 17 18 22 23 24 26 31 33 35"
BUILT = {*GAME_ROWS.split(), *STORE_ROWS.split()}


def rows() -> dict[str, list[tuple[str, str]]]:
    """By row id, the (file, test) pairs that its line names."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in (HERE / "README.md").read_text().splitlines():
        row = ROW.match(line)
        if row:
            file, tests = "", []
            for path, test in NAMED.findall(line):
                file = path or file
                if test:
                    tests.append((file, test))
            for each in row[1].split(","):
                found[each.strip()] = tests
    return found


def test_every_row_that_touches_what_is_built_has_a_test() -> None:
    assert rows().keys() == BUILT
    assert all(rows().values())


def test_every_test_that_the_table_names_is_where_it_says() -> None:
    for row, tests in rows().items():
        for file, test in tests:
            path = ROOT / file if "/" in file else HERE / file
            assert re.search(rf"def {test}\(", path.read_text()), f"row {row}: {test} is not in {file}"
