"""The house: what is where, how large it may be, and what a file never says."""

from __future__ import annotations

import ast
import re
import statistics
from collections.abc import Mapping
from pathlib import Path

import pytest

MAX_LINES = 400
MAX_TEST_LINES = 600
ROOT = Path(__file__).parents[2]
PARTS = sorted(path.parent for kind in ("libs", "services") for path in (ROOT / kind).glob("*/pyproject.toml"))
EMPTY_NAMES = {"common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}


def test_no_module_is_longer_than_400_lines(tree: Mapping[Path, str]) -> None:
    long = []
    for path, text in tree.items():
        if path.suffix in (".py", ".sql"):
            limit = MAX_TEST_LINES if "tests" in path.parts else MAX_LINES
            lines = text.count("\n")
            if lines > limit:
                long.append(f"{path}: {lines} lines, {limit} allowed")
    assert long == []


def test_most_modules_are_near_a_hundred_lines(tree: Mapping[Path, str]) -> None:
    sizes = [text.count("\n") for path, text in tree.items() if path.suffix == ".py" and "src" in path.parts]
    assert statistics.median(sizes) <= 130


def test_a_module_is_named_after_what_it_decides(modules: Mapping[str, ast.Module]) -> None:
    assert [name for name in modules if EMPTY_NAMES & set(name.split("."))] == []


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_every_part_has_the_same_face(part: Path) -> None:
    package = part / "src" / f"circolo_{part.name}"
    wanted = [part / "README.md", part / "tests", package / "__init__.py", package / "py.typed"]
    if part.parent.name == "services":
        wanted += [package / "service.py", package / "__main__.py"]
    assert [str(path.relative_to(ROOT)) for path in wanted if not path.exists()] == []
    assert any((part / "tests").rglob("test_*.py")), "a part without a test"
    metadata = (part / "pyproject.toml").read_text(encoding="utf-8")
    assert f'name = "circolo-{part.name}"' in metadata
    assert 'license = "Apache-2.0"' in metadata


def test_every_part_is_known_to_the_tools() -> None:
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for part in PARTS:
        assert f'"{part.relative_to(ROOT)}/src"' in settings, "mypy_path"
        assert f'"circolo_{part.name}"' in settings, "import contracts"


def test_nothing_is_left_to_be_done_later(tree: Mapping[Path, str]) -> None:
    marks = re.compile(r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b")
    ours = {".py", ".sql", ".md", ".toml", ".graphql", ".yaml", ".sh", ""}  # a vendored script says what it likes
    left = [
        f"{path}: {match[0]}" for path, text in tree.items() if path.suffix in ours and (match := marks.search(text))
    ]
    assert left == []


def test_every_python_file_says_what_it_is_for(tree: Mapping[Path, str]) -> None:
    silent = [
        str(path)
        for path, text in tree.items()
        if path.suffix == ".py"
        and "tests" not in path.parts
        and text.strip()
        and not ast.get_docstring(ast.parse(text))
    ]
    assert silent == []


def test_no_test_is_skipped_without_a_reason(tree: Mapping[Path, str]) -> None:
    found = [
        f"{path}:{call.lineno}"
        for path, text in tree.items()
        if path.suffix == ".py"
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call) and skips(call) and not has_reason(call)
    ]
    assert found == []


def skips(call: ast.Call) -> bool:
    return ast.unparse(call.func) in ("pytest.skip", "pytest.mark.skip", "pytest.mark.skipif")


def has_reason(call: ast.Call) -> bool:
    said = any(keyword.arg == "reason" for keyword in call.keywords)
    return said or (bool(call.args) and ast.unparse(call.func) != "pytest.mark.skipif")
