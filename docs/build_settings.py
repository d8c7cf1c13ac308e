"""Writes ``docs/settings.md`` from the settings themselves: ``make docs``. A test compares the two."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from circolo_service.settings import Settings, table
from pydantic_settings import BaseSettings

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "settings.md"
HEAD = """# Settings

All of them are environment variables; an empty one counts as not set. A wrong value ends the process with exit code 2
and a line that names the variable, never its value. This page is made by `make docs` from the help texts in the code.

## Every process

"""


def own_settings(service: str) -> list[type[BaseSettings]]:
    """The settings classes that a service defines beside those of every process."""
    try:
        module = importlib.import_module(f"circolo_{service}.settings")
    except ModuleNotFoundError as error:
        if error.name != f"circolo_{service}.settings":
            raise
        return []
    return [
        found
        for found in vars(module).values()
        if isinstance(found, type) and issubclass(found, BaseSettings) and found.__module__ == module.__name__
    ]


def page() -> str:
    text = HEAD + table(Settings)
    for folder in sorted((ROOT / "services").iterdir()):
        for settings in own_settings(folder.name):
            text += f"\n## Only {folder.name}\n\n{table(settings)}"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"wrote {PAGE.relative_to(ROOT)}\n")
