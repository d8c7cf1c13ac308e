"""The tombola as its seats see it: the game, with what they have marked."""

from __future__ import annotations

from collections.abc import Callable

from circolo_contracts.tombola import TombolaView
from circolo_events.decider import Viewer

from . import view
from .game import Tombola
from .marks import Marks
from .state import TombolaState
from .view import OwnView

MarksAtHand = Callable[[str, int], Marks | None]
"""Of a game and a seat; None when this process does not know them."""


class TombolaWithMarks(Tombola):
    """Marks are no part of the game's state, so they are looked up; a view without them has none of their fields."""

    def __init__(self, marks: MarksAtHand) -> None:
        self._marks = marks

    def view(self, state: TombolaState, viewer: Viewer) -> TombolaView:
        return view.view(state, viewer, self._of(state, viewer))

    def own(self, state: TombolaState, viewer: Viewer) -> OwnView | None:
        return view.own_view(state, viewer, self._of(state, viewer))

    def _of(self, state: TombolaState, viewer: Viewer) -> Marks | None:
        if viewer.seat < 0:
            return None
        nothing_yet = Marks() if state.version == 1 else None  # what is pushed with the first event
        return self._marks(state.game_id, viewer.seat) or nothing_yet
