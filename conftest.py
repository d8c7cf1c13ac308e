"""Every test may ask for real servers: ``servers``, ``nats_url``, ``database`` (see libs/devstack)."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["circolo_devstack.pytest_plugin"]

INTEGRATION = Path(__file__).parent / "tests" / "integration"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where several processes share the work (``make test``), a file stays together, for its fixtures' sake.

    And whatever starts whole houses goes one after the other: two at once on a small machine would time each other out.
    """
    for item in items:
        group = "integration" if item.path.is_relative_to(INTEGRATION) else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))
