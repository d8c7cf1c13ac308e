"""Lets the test modules here share ``table_talk``; importlib mode adds no folder to the path by itself."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
