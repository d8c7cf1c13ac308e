"""``given(decider, *events).when(command).then(*events)``: tests that read as a rule book."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Actor
from msgspec import UNSET, Struct, UnsetType

from ..decider import Context, Decider, Foreseen, Rejection

NOON = 1_800_000_000_000
"""The scenario's clock, ms since 1970, unless it is told otherwise."""


class Scenario:
    """A stream that had some events and is given a command."""

    def __init__(self, decider: Decider[Any, Any, Any], events: Sequence[Struct], stream: str) -> None:
        self.decider = decider
        self.stream = stream
        self.state: Any = decider.initial
        for event in events:
            self.state = decider.evolve(self.state, event)
        self.decided: Sequence[Any] | Rejection | None = None

    def when(
        self, command: Struct, *, actor: Actor | str = "0" * 32, now: int = NOON, stamp: int | None = None,
        expected: int | UnsetType = UNSET, entropy: bytes = bytes(32), command_id: str = "1" * 32,
    ) -> Scenario:  # fmt: skip
        """Decide; ``actor`` is a player id or an Actor."""
        who = Actor("player", actor) if isinstance(actor, str) else actor
        context = Context(
            actor=who, command_id=command_id, entropy=entropy, now=now, stamp=min(now if stamp is None else stamp, now),
            stream=self.stream, version=self.state.version, expected=expected,
        )  # fmt: skip
        self.decided = self.decider.decide(self.state, command, context)
        return self

    def then(self, *events: Struct) -> Scenario:
        """Exactly these events; the scenario goes on from after them."""
        assert not isinstance(self.decided, Rejection), f"refused: {self.decided}"
        assert self.decided is not None, "nothing was asked"
        assert list(self.decided) == list(events), f"\n got {list(self.decided)}\nwant {list(events)}"
        return self.go_on()

    def go_on(self) -> Scenario:
        """Apply whatever was decided."""
        assert not isinstance(self.decided, Rejection), f"refused: {self.decided}"
        foreseen = self.decided.states if isinstance(self.decided, Foreseen) else ()
        for place, event in enumerate(self.decided or ()):
            before: int = self.state.version
            self.state = self.decider.evolve(self.state, event)
            assert self.state.version == before + 1, "every event is one version"
            assert place >= len(foreseen) or foreseen[place] == self.state, "foreseen otherwise than it came"
        self.decided = None
        return self

    def then_nothing(self) -> Scenario:
        return self.then()

    def then_refused(self, code: RefusalCode, field: str | UnsetType = UNSET) -> Scenario:
        assert isinstance(self.decided, Rejection), f"not refused, but {self.decided}"
        assert self.decided.code is code, f"refused with {self.decided.code}, want {code}"
        assert field is UNSET or self.decided.field == field, f"about {self.decided.field}, want {field}"
        return self


def given(decider: Decider[Any, Any, Any], *events: Struct, stream: str = "test-" + "0" * 32) -> Scenario:
    return Scenario(decider, events, stream)
