"""Whether a tombola can start, and its first event: tickets and calls from a seed that is promised with it."""

from __future__ import annotations

from circolo_contracts.cardgames import GameCancelled
from circolo_contracts.chance import commit
from circolo_contracts.games import TOMBOLA, SettingProblem, complete_settings
from circolo_contracts.ids import id_of, is_hex_id
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.tombola import StartTombola, TombolaEvent, TombolaStarted
from circolo_events.decider import Context
from msgspec import UNSET

from .tickets.dealing import deal, draw_order


def start(command: StartTombola, context: Context) -> list[TombolaEvent]:
    """The game with a ticket for everybody, or the one event that says why there is none."""
    game_id, seed = id_of(context.stream), context.entropy
    settings = complete_settings(TOMBOLA, command.settings)
    problem = RefusalCode.INVALID_SETTING if isinstance(settings, SettingProblem) else _problem(command)
    if isinstance(settings, SettingProblem) or problem is not None:
        assert problem is not None
        return [GameCancelled(context.now, command.game, game_id, problem.value, command.room)]
    started = TombolaStarted(
        at=context.now, commitment=commit(game_id, seed), draws=list(draw_order(seed)), game=command.game,
        game_id=game_id, game_no=command.game_no, host=command.host, room=command.room, seats=command.seats,
        seed=seed.hex(), settings=settings, tickets=tickets(seed, [who.player for who in command.seats]),
    )  # fmt: skip
    return [started]


def tickets(seed: bytes, players: list[object]) -> list[list[list[int]]]:
    """By seat; no rows where nobody sits."""
    taken = [seat for seat, player in enumerate(players) if player is not UNSET]
    dealt = dict(zip(taken, deal(seed, len(taken)), strict=True))
    return [[list(row) for row in dealt.get(seat, ())] for seat in range(len(players))]


def _problem(command: StartTombola) -> RefusalCode | None:
    if command.game != TOMBOLA.kind:
        return RefusalCode.UNKNOWN_GAME
    people = [who.player for who in command.seats if who.player is not UNSET]
    if not people:
        return RefusalCode.SEATS_EMPTY
    if len(command.seats) > TOMBOLA.seats[0]:
        return RefusalCode.NO_SUCH_SEAT
    if any(who.cpu is not UNSET for who in command.seats) or len(set(people)) < len(people):
        return RefusalCode.NOT_ALLOWED
    fits = all(map(is_hex_id, [*people, command.host, command.room])) and command.game_no >= 1
    return None if fits else RefusalCode.MALFORMED
