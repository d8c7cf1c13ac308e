"""The card games, one folder each. A folder with a ``GAME`` is in; nothing else has to be told of it."""

from __future__ import annotations

import importlib
import pkgutil

from .game import Game


def _scan() -> dict[str, Game]:
    found: dict[str, Game] = {}
    for module in pkgutil.iter_modules(__path__):
        game = getattr(importlib.import_module(f"{__name__}.{module.name}"), "GAME", None) if module.ispkg else None
        if isinstance(game, Game):
            found[game.kind] = game
    return found


GAMES: dict[str, Game] = _scan()
"""By the descriptor's kind."""
