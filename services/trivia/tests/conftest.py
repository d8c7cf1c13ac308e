"""The test modules here share ``night_talk``. (importlib mode adds no folder to the path by itself.)"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
