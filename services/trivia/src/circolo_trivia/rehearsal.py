"""A night played in memory, without store, bus or clock: for tests and measures."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from circolo_contracts.cardgames import IdleTimeout
from circolo_contracts.games import TRIVIA, SettingValue
from circolo_contracts.ids import stream_of
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.trivia import AwayTimeout, PhaseTimeout, Said, TriviaEvent
from circolo_contracts.trivia_view import TriviaView
from circolo_contracts.wire import Actor
from circolo_events.decider import PUBLIC, Context, Rejection
from msgspec import UNSET, Struct, UnsetType

from .board import ROWS
from .commands import BankQuestion, StartTrivia
from .errands import TRIVIA_ITSELF
from .game import Trivia
from .start import questions_needed
from .state import TriviaState

START = 1_800_000_000_000
"""When it begins, ms since 1970."""


def player(seat: int) -> str:
    """The id of the person at that seat."""
    return f"{seat + 1:032x}"


def made_up(count: int, themes: Sequence[str] = ("storia", "arte", "cucina")) -> list[BankQuestion]:
    """Questions of which number n has option 0 right in the bank, four of a theme, rising in difficulty."""
    return [
        BankQuestion(
            answer=0, difficulty=1 + n % ROWS, id=f"question-{n}",
            options=[Said(en=f"{n} {letter}", it=f"{n} {letter.lower()}") for letter in "ABCD"],
            prompt=Said(en=f"Question {n}?", it=f"Domanda {n}?"), source=f"https://example.org/{n}",
            theme=themes[n // ROWS % len(themes)],
        )
        for n in range(count)
    ]  # fmt: skip


class Night:
    """The person of seat 0 is the host; ``empty`` seats have nobody. Same seed, same commands: same events."""

    def __init__(
        self, people: int = 4, *, seed: int = 0, empty: Sequence[int] = (), totals: Sequence[int] | None = None,
        away: Sequence[int] = (), bank: list[BankQuestion] | None = None, **settings: SettingValue,
    ) -> None:  # fmt: skip
        self.trivia = Trivia()
        self.state: TriviaState = self.trivia.initial
        self.states: list[TriviaState] = []
        self.events: list[TriviaEvent] = []
        self.now = START
        self.stream = stream_of("trivia", "a" * 32)
        self._seed = hashlib.sha256(f"night {seed}".encode()).digest()
        whole = {**TRIVIA.defaults(), **settings}
        seats = [SeatOccupant() if n in empty else SeatOccupant(player=player(n)) for n in range(people)]
        start = StartTrivia(
            game="TRIVIA", game_no=1, host=player(0), questions=bank or made_up(questions_needed(whole)),
            room="b" * 32, seats=seats, settings=whole, away=[player(n) for n in away] or UNSET,
            totals=UNSET if totals is None else list(totals),
        )  # fmt: skip
        self.decide(start, TRIVIA_ITSELF)

    # ------------------------------------------------------------ doing

    def decide(
        self, command: Struct, actor: Actor, *, stamp: int | None = None, expected: int | UnsetType = UNSET
    ) -> Sequence[TriviaEvent] | RefusalCode:
        """Decide and, unless it is refused, go on from there."""
        context = Context(
            actor=actor, command_id="c" * 32, entropy=self._seed, now=self.now,
            stamp=min(self.now, self.now if stamp is None else stamp), stream=self.stream, version=self.state.version,
            expected=expected,
        )  # fmt: skip
        decided = self.trivia.decide(self.state, command, context)  # type: ignore[arg-type]  # any of them
        if isinstance(decided, Rejection):
            return decided.code
        for event in decided:
            self.events.append(event)
            self.state = self.trivia.evolve(self.state, event)
            self.states.append(self.state)
            assert self.state.version == len(self.events)
        return decided

    def by(
        self, seat: int, command: Struct, *, stamp: int | None = None, expected: int | UnsetType = UNSET
    ) -> Sequence[TriviaEvent] | RefusalCode:
        """What the person of a seat wants."""
        return self.decide(command, Actor("player", player(seat)), stamp=stamp, expected=expected)

    def house(self, command: Struct) -> Sequence[TriviaEvent] | RefusalCode:
        return self.decide(command, TRIVIA_ITSELF)

    # ------------------------------------------------------------ time

    def at(self, now: int) -> Night:
        """It is that time; what came due before is fired first, in order."""
        while True:
            due = min(((d.due_at, kind) for kind, d in self.trivia.deadlines(self.state).items()), default=None)
            if due is None or due[0] > now:
                break
            self.now = max(self.now, due[0])
            kind = due[1]
            version = self.trivia.deadlines(self.state)[kind].version
            fired = {"phase": PhaseTimeout, "away": AwayTimeout, "idle": IdleTimeout}[kind]
            if not self.house(fired(version)):
                raise AssertionError(f"{kind} was due and did nothing")
        self.now = max(self.now, now)
        return self

    def after(self, ms: int) -> Night:
        return self.at(self.now + ms)

    def opened(self) -> Night:
        """The question or the buzzers are open, and their clock has just started."""
        if self.state.phase == "READY":
            self.at(self.state.due_at)
        return self.at(self.state.open_at)

    # ------------------------------------------------------------ seeing

    def seen(self, seat: int | None = None) -> TriviaView:
        """As the person of a seat sees it, or everybody."""
        viewer = PUBLIC if seat is None else self.trivia.viewer(self.state, player(seat))
        assert not isinstance(viewer, Rejection)
        return self.trivia.view(self.state, viewer)

    @property
    def right(self) -> int:
        """The right option of the question on the table, as it is shown."""
        return self.state.question.answer

    @property
    def wrong(self) -> int:
        return (self.right + 1) % 4

    def told(self, *kinds: str) -> list[str]:
        """The types of the events so far; with ``kinds``, of these only."""
        names = [type(event).__name__ for event in self.events]
        return [name for name in names if name in kinds] if kinds else names
