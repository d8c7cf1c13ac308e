from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_of_settings_is_what_the_code_says() -> None:
    spec = importlib.util.spec_from_file_location("build_settings", ROOT / "docs" / "build_settings.py")
    assert spec is not None
    assert spec.loader is not None
    builder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(builder)
    assert builder.PAGE.read_text(encoding="utf-8") == builder.page(), "docs/settings.md is old: run `make docs`"
