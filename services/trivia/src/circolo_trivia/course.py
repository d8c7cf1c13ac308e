"""The course of a night while one command is decided: each event is followed by what it leads to."""

from __future__ import annotations

from circolo_contracts.cardgames import MatchEnded, Outcome, SeedRevealed
from circolo_contracts.trivia import TriviaEvent
from msgspec import UNSET

from .evolve import evolve
from .scoring import ranks
from .state import IDLE_MS, TriviaState


class Course:
    """``now`` in ms since 1970, never before the phase that is on."""

    def __init__(self, state: TriviaState, now: int) -> None:
        self.state = state
        self.now = max(now, state.phase_at)
        self.events: list[TriviaEvent] = []

    def add(self, event: TriviaEvent) -> TriviaState:
        self.events.append(event)
        self.state = evolve(self.state, event)
        return self.state

    def end_if_idle(self) -> None:
        if self.now >= self.state.idle_at + IDLE_MS:
            self.end("IDLE")

    def end(self, outcome: Outcome | None = None) -> None:
        """The end and, with it, the seed; without ``outcome``, as the totals say."""
        state = self.state
        teams = state.teams()
        best = [team for team, rank in zip(teams, ranks([state.totals[t] for t in teams]), strict=True) if rank == 1]
        winner = best[0] if outcome is None and len(best) == 1 else UNSET
        ended = MatchEnded(
            at=self.now, last_dealer=0, outcome=outcome or ("WON" if len(best) == 1 else "TIED"), room=state.room,
            totals=list(state.totals), winner=winner,
        )  # fmt: skip
        self.add(ended)
        self.add(SeedRevealed(state.seed))
