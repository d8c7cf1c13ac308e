"""Between the people and the streams: marks go to their seat's own stream and come back with the game's view.

A view that is pushed after a draw goes to every seat with its marks, so they are looked up before the game is moved. A
change of marks is pushed to its seat alone, with the game's version unchanged.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from circolo_contracts.ids import is_stream, kind_of
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.tombola import MarkNumber, SetMark
from circolo_contracts.wire import Answer, Ask, Command, Done, Pushed, Refused, Seen, encoder, view_subject
from circolo_events import canonical
from circolo_events.aggregate import StreamKind
from circolo_events.bus import NatsBus
from circolo_events.clock import Clock
from circolo_events.decider import Viewer
from circolo_events.parsing import parse
from msgspec import Raw
from msgspec.structs import replace

from .album import Album, marks_stream
from .game import COMMANDS
from .marks import Marks
from .patience import Patience
from .reactions import GAME
from .shown import TombolaWithMarks
from .state import TombolaState

Handler = Callable[[str, Command, Mapping[str, str] | None], Awaitable[Answer]]
CLAIMS = ("ClaimAll", "ClaimPrize")
WRONG_CLAIM = frozenset({
    RefusalCode.ALREADY_WON_BY_YOU, RefusalCode.NOT_ON_WINNING_DRAW, RefusalCode.NOT_SATISFIED, RefusalCode.NO_TICKET,
    RefusalCode.PRIZE_TAKEN,
})  # fmt: skip


class Desk:
    """``runtime`` is a ``circolo_events.runtime.Runtime`` of both kinds of stream."""

    def __init__(self, runtime: Any, album: Album, shown: TombolaWithMarks, bus: NatsBus, clock: Clock) -> None:
        self._runtime = runtime
        self._album = album
        self._shown = shown
        self._bus = bus
        self._clock = clock
        self._patience = Patience()
        self._mark = StreamKind.of("marking", shown, MarkNumber)

    def handlers(self) -> dict[str, Handler]:
        """For whatever moves a game; before its start there are no marks to look up."""
        moves = dict.fromkeys((name for name in COMMANDS if name != "StartTombola"), self.play)
        return {"MarkNumber": self.mark, **moves}

    async def play(self, stream: str, command: Command, headers: Mapping[str, str] | None = None) -> Answer:
        state = await self._state(stream)
        if command.type not in CLAIMS or not state.is_running:
            return await self._moved(state, stream, command)
        now, player, drawn = self._clock.now(), command.actor.id, len(state.called)
        if self._patience.is_over(stream, player, drawn, now):
            return Refused(RefusalCode.RATE_LIMITED)
        answer = await self._moved(state, stream, command)
        if isinstance(answer, Refused) and answer.code in WRONG_CLAIM:
            self._patience.wrong(stream, player, drawn, now)
        return answer

    async def move(self, stream: str, command: Command) -> Answer:
        """By the house itself."""
        return await self._moved(await self._state(stream), stream, command)

    async def _moved(self, state: TombolaState, stream: str, command: Command) -> Answer:
        """Decide it on the game's stream; what it pushes has everybody's marks."""
        await self._album.refresh(state.game_id, [seat for seat, ticket in enumerate(state.tickets) if ticket])
        answer: Answer = await self._runtime.execute(stream, command)
        return answer

    async def ask(self, stream: str, ask: Ask) -> Answer:
        """Whoever has the game's version may still lack what he has marked on another screen: it is a reset then."""
        state = await self._state(stream)
        seat = state.seat_of(ask.viewer)
        if seat is not None:
            await self._album.refresh(state.game_id, [seat])
        answer: Answer = await self._runtime.ask(stream, ask)
        marks = None if seat is None else self._album.at_hand(state.game_id, seat)
        if isinstance(answer, Seen) and ask.after == answer.version and marks is not None and marks.version:
            return replace(answer, reset=True)
        return answer

    async def mark(self, stream: str, command: Command, headers: Mapping[str, str] | None = None) -> Answer:
        """Any number of one's own ticket, drawn or not. The answer's version is the game's, which does not change."""
        wish = parse(self._mark, command)
        if not isinstance(wish, MarkNumber):
            return wish if isinstance(wish, Refused) else Refused(RefusalCode.UNKNOWN_COMMAND)
        state = await self._state(stream, fresh=True)
        seat = state.seat_of(command.actor.id) if command.actor.kind == "player" else None
        refusal = _refusal(state, seat, wish.number)
        if seat is None or refusal is not None:
            assert refusal is not None
            return Refused(refusal, current_version=state.version)
        where = marks_stream(state.game_id, seat)
        order = SetMark(state.game_id, wish.marked, wish.number, seat)
        answer: Answer = await self._runtime.execute(
            where, replace(command, data=Raw(canonical.encode(order)), type="SetMark", expected=msgspec.UNSET)
        )
        if not isinstance(answer, Done):
            return answer
        return self._marked(stream, state, seat, await self._marks(where), answer)

    async def _marks(self, where: str) -> Marks:
        marks: Marks = self._runtime.cached(where) or await self._runtime.state(where)
        return marks

    def _marked(self, stream: str, state: TombolaState, seat: int, marks: Marks, done: Done) -> Done:
        self._album.keep(state.game_id, seat, marks)
        known: TombolaState | None = self._runtime.cached(stream)
        now = state if known is None or known.version < state.version else known
        viewer = Viewer.of_seat(seat, seat)
        view = Raw(encoder.encode(self._shown.view(now, viewer)))
        if done.position:
            pushed = Pushed(now.version, now.version, [], view)
            self._bus.publish(view_subject(stream, viewer.audience), encoder.encode(pushed))
        return Done(now.version, done.position, done.replayed, view, now.version)

    async def _state(self, stream: str, *, fresh: bool = False) -> TombolaState:
        """For seats and tickets, which never change, what is in memory is as good as what is stored.

        The initial one when there is no such game: whoever asked for it hears so from the runtime.
        """
        if kind_of(stream) != GAME or not is_stream(stream):
            return self._shown.initial
        known: TombolaState | None = self._runtime.cached(stream)
        if known is not None and known.version and not fresh:
            return known
        state: TombolaState = await self._runtime.state(stream)
        return state


def _refusal(state: TombolaState, seat: int | None, number: int) -> RefusalCode | None:
    if state.version == 0:
        return RefusalCode.NOT_FOUND
    if seat is None:
        return RefusalCode.NO_TICKET
    if state.superseded:
        return RefusalCode.STALE_GAME
    ticket = state.tickets[seat]
    assert ticket is not None
    return None if any(number in row for row in ticket) else RefusalCode.NOT_ON_YOUR_TICKET
