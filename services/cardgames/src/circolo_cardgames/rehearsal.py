"""A match played in memory, without store, bus or clock: for golden hands, arenas of CPUs and tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from circolo_contracts.cardgames import Declare, MatchEvent, MatchView, PlayCard, StartMatch
from circolo_contracts.games import SettingValue
from circolo_contracts.ids import stream_of
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.wire import Actor
from circolo_events.decider import Context, Rejection, Viewer
from msgspec import UNSET, UnsetType

from .match import Match, MatchCommand
from .notation import move_from, written
from .sight import Sight
from .state import MatchState
from .view import sight

SERVICE = Actor("service", "cardgames")
START = 1_800_000_000_000
"""ms since 1970; each command of a rehearsal comes a second after the one before."""
Chooser = Callable[[Sight], PlayCard | Declare]


class Rehearsal:
    """Same seed, same seats, same choices: the same events to the byte."""

    def __init__(
        self, game: str, seats: Sequence[SeatOccupant], settings: Mapping[str, SettingValue], *, seed: bytes,
        dealer: int | UnsetType = UNSET, game_id: str = "a" * 32, room: str = "b" * 32, game_no: int = 1,
        ranked: bool = False,
    ) -> None:  # fmt: skip
        self.match = Match()
        self.state = MatchState()
        self.events: list[MatchEvent] = []
        self.now = START
        self._stream = stream_of("match", game_id)
        self._seed = seed
        self.do(StartMatch(game, game_no, room, list(seats), dict(settings), dealer, ranked), SERVICE)

    def do(
        self, command: MatchCommand, actor: Actor, *, expected: int | UnsetType = UNSET, stamp: int | None = None
    ) -> Sequence[MatchEvent] | Rejection:
        """Decide and, unless it is refused, go on from there."""
        self.now += 1000
        context = Context(
            actor=actor, command_id="c" * 32, entropy=self._seed, now=self.now,
            stamp=min(self.now if stamp is None else stamp, self.now), stream=self._stream,
            version=self.state.version, expected=expected,
        )  # fmt: skip
        decided = self.match.decide(self.state, command, context)
        if not isinstance(decided, Rejection):
            for event in decided:
                self.events.append(event)
                self.state = self.match.evolve(self.state, event)
        return decided

    def actor(self, seat: int) -> Actor:
        who = self.state.seats[seat]
        return Actor("cpu", str(seat)) if who.player is UNSET else Actor("player", who.player)

    def play(self, move: str) -> Sequence[MatchEvent]:
        """A card or declaration in the house's notation, by the seat on turn; raises ValueError when it is refused."""
        return self._do(move_from(move))

    def view(self, seat: int) -> MatchView:
        return self.match.view(self.state, Viewer.of_seat(seat, self.state.teams[seat]))

    def sight(self, seat: int) -> Sight:
        return sight(self.state, seat)

    def play_on(self, choose: Chooser | Sequence[Chooser], *, plays: int = 10_000) -> None:
        """Up to so many moves, or to the end: each seat by the same chooser or by its own."""
        while self.state.is_running and plays > 0:
            seat = self.state.turn
            chooser = choose if callable(choose) else choose[seat]
            self._do(chooser(self.sight(seat)))
            plays -= 1

    def _do(self, command: PlayCard | Declare) -> Sequence[MatchEvent]:
        decided = self.do(command, self.actor(self.state.turn))
        if isinstance(decided, Rejection):
            raise ValueError(f"{written(command)} is refused: {decided.code.value}")
        return decided
