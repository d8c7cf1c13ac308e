from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", ["build_events", "build_prizes", "build_settings"])
def test_a_page_that_is_made_from_the_code_is_what_the_code_says(name: str) -> None:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    builder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(builder)
    assert builder.PAGE.read_text(encoding="utf-8") == builder.page(), f"{builder.PAGE.name} is old: run `make docs`"
