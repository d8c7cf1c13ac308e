"""The beginning and the end of a night, where the log and the bank meet: questions are picked, and remembered.

A room is not asked again what it was asked before while there are fresh questions. What it was asked is in the log of
its nights; when a night is over for good, the bank takes it from there.
"""

from __future__ import annotations

from circolo_contracts.evening import SupersedeGame
from circolo_contracts.games import TRIVIA, SettingProblem, complete_settings
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.trivia import OrderTrivia
from circolo_contracts.wire import Answer, Command, Done, Refused
from circolo_events.aggregate import StreamKind
from circolo_events.runtime import Runtime

from .bank import picking
from .bank.store import Bank
from .bank.themes import chosen
from .commands import BankQuestion, RetireGame, StartTrivia
from .errands import Handler, instead, reading
from .start import questions_needed
from .state import TriviaState


class Evenings:
    def __init__(self, runtime: Runtime, bank: Bank, kind: StreamKind) -> None:
        self._runtime = runtime
        self._bank = bank
        self._kind = kind

    def handlers(self) -> dict[str, Handler]:
        return {
            "OrderTrivia": reading(OrderTrivia, self._kind, self.order, service=True),
            "RetireGame": reading(RetireGame, self._kind, self.retire, service=True),
        }

    async def order(self, stream: str, command: Command, wish: OrderTrivia) -> Answer:
        """Questions for the night, then the night; a repeated order is answered as it was the first time."""
        start = StartTrivia(
            game=wish.game, game_no=wish.game_no, host=wish.host, questions=await self._picked(wish), room=wish.room,
            seats=wish.seats, settings=wish.settings, away=wish.away, totals=wish.totals,
        )  # fmt: skip
        return await self._runtime.execute(stream, instead(command, start))

    async def retire(self, stream: str, command: Command, wish: RetireGame) -> Answer:
        """The night is over for good; then what was asked in it is the room's past. If we die in between, the order
        comes again."""
        answer = await self._runtime.execute(stream, instead(command, SupersedeGame(wish.by)))
        if isinstance(answer, Refused) and answer.code is not RefusalCode.NOT_FOUND:
            return answer
        if isinstance(answer, Done):
            state: TriviaState = await self._runtime.state(stream)
            if state.asked:
                await self._bank.remember(state.room, [state.questions[place].id for place in state.asked])
        return answer

    async def _picked(self, wish: OrderTrivia) -> list[BankQuestion]:
        """None for what cannot be played anyway: the night's first event says why."""
        settings = complete_settings(TRIVIA, wish.settings)
        if isinstance(settings, SettingProblem):
            return []
        candidates = await self._bank.candidates(wish.room, wish.host, chosen(settings))
        if settings["mode"] == "QUIZ":
            picked = picking.for_quiz(candidates, questions_needed(settings))
        elif settings["mode"] == "SHOWDOWN":
            picked = picking.for_board(candidates, int(settings["categories"]))
        else:
            picked = picking.for_final(candidates)
        return await self._bank.questions([each.id for each in picked])
