"""A tombola in memory, as the runtime would play it, for tests and figures: commands in, events and views out."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.games import SettingValue
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.tombola import DrawNumber, StartTombola, TombolaCommand, TombolaEvent, TombolaView
from circolo_contracts.wire import Actor
from circolo_events.decider import PUBLIC, Context, Rejection, Viewer
from msgspec import UNSET

from .game import Tombola
from .reactions import SERVICE
from .state import TombolaState

TOMBOLA = Tombola()
GAME_ID, ROOM = "7" * 32, "8" * 32
NOON = 1_800_000_000_000


class Rehearsal:
    """``now`` moves a second with each command. The first player is the host."""

    def __init__(
        self,
        players: Sequence[str | None],
        settings: dict[str, SettingValue],
        *,
        seed: bytes,
        now: int = NOON,
        game_id: str = GAME_ID,
    ) -> None:
        self.events: list[TombolaEvent] = []
        self.states: list[TombolaState] = [TOMBOLA.initial]
        self.now = now
        self._stream = f"tombola-{game_id}"
        self._seed = seed
        host = next((player for player in players if player), "0" * 32)
        seats = [SeatOccupant(player=player) if player else SeatOccupant() for player in players]
        self.house(StartTombola("TOMBOLA", 1, host, ROOM, seats, settings))

    @property
    def state(self) -> TombolaState:
        return self.states[-1]

    def house(self, command: TombolaCommand) -> Sequence[TombolaEvent]:
        """By the service itself: it is never refused."""
        done = self._send(Actor("service", SERVICE), command)
        assert not isinstance(done, RefusalCode), done
        return done

    def play(
        self, player: str, command: TombolaCommand, *, expected: int | None = None
    ) -> Sequence[TombolaEvent] | RefusalCode:
        """Its events, or why there are none."""
        return self._send(Actor("player", player), command, expected)

    def draw(self, count: int = 1) -> None:
        """The host calls the next numbers."""
        for _ in range(count):
            done = self.play(self.state.host, DrawNumber())
            assert not isinstance(done, RefusalCode), done

    def view(self, seat: int | None = None) -> TombolaView:
        return TOMBOLA.view(self.state, PUBLIC if seat is None else Viewer.of_seat(seat, seat))

    def _send(
        self, actor: Actor, command: TombolaCommand, expected: int | None = None
    ) -> Sequence[TombolaEvent] | RefusalCode:
        self.now += 1_000
        context = Context(
            actor=actor, command_id="c" * 32, entropy=self._seed, now=self.now, stamp=self.now, stream=self._stream,
            version=self.state.version, expected=UNSET if expected is None else expected,
        )  # fmt: skip
        decided = TOMBOLA.decide(self.state, command, context)
        if isinstance(decided, Rejection):
            return decided.code
        for event in decided:
            self.events.append(event)
            self.states.append(TOMBOLA.evolve(self.state, event))
        return decided
