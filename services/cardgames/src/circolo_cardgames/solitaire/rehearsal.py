"""A solitario played in memory, without store, bus or clock: for golden hands and tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from circolo_contracts.games import SettingValue
from circolo_contracts.ids import stream_of
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.solitaire import SolitaireCommand, SolitaireEvent, SolitaireView, StartSolitaire
from circolo_contracts.wire import Actor
from circolo_events.decider import PUBLIC, Context, Rejection
from msgspec import UNSET, UnsetType

from ..games.solitario.notation import move_from, written
from ..games.solitario.position import Move
from ..rehearsal import SERVICE, START
from .decider import Solitaire

PLAYER = "1".zfill(32)


class SolitaireRehearsal:
    """Same seed, same choices: the same events to the byte."""

    def __init__(
        self, settings: Mapping[str, SettingValue], *, seed: bytes, game_id: str = "a" * 32, room: str = "b" * 32,
        game_no: int = 1, player: str = PLAYER,
    ) -> None:  # fmt: skip
        self.solitaire = Solitaire()
        self.state = self.solitaire.initial
        self.events: list[SolitaireEvent] = []
        self.now = START
        self.player = Actor("player", player)
        self._stream = stream_of("solitaire", game_id)
        self._seed = seed
        start = StartSolitaire("SOLITARIO", game_no, room, [SeatOccupant(player=player)], dict(settings))
        self.do(start, SERVICE)

    def do(
        self, command: SolitaireCommand, actor: Actor | None = None, *, expected: int | UnsetType = UNSET
    ) -> Sequence[SolitaireEvent] | Rejection:
        """Decide (for the player, unless it says for whom) and, unless it is refused, go on from there."""
        self.now += 1000
        context = Context(
            actor=actor or self.player, command_id="c" * 32, entropy=self._seed, now=self.now, stamp=self.now,
            stream=self._stream, version=self.state.version, expected=expected,
        )  # fmt: skip
        decided = self.solitaire.decide(self.state, command, context)
        if not isinstance(decided, Rejection):
            for event in decided:
                self.events.append(event)
                self.state = self.solitaire.evolve(self.state, event)
        return decided

    def play(self, *moves: str) -> None:
        """In the notation of the solitario; raises ValueError when one is refused."""
        for move in moves:
            self._do(move_from(move))

    def view(self) -> SolitaireView:
        return self.solitaire.view(self.state, PUBLIC)

    def play_on(self, choose: Callable[[SolitaireView], Move], *, moves: int = 10_000) -> None:
        """Up to so many moves, or to the end."""
        while self.state.is_running and moves > 0:
            self._do(choose(self.view()))
            moves -= 1

    def _do(self, move: Move) -> None:
        decided = self.do(move)
        if isinstance(decided, Rejection):
            raise ValueError(f"{written(move)} is refused: {decided.code.value}")
