"""Whether a solitario can start, and its first event."""

from __future__ import annotations

from circolo_contracts.cardgames import GameCancelled
from circolo_contracts.games import SOLITARIO, SettingProblem, complete_settings
from circolo_contracts.ids import id_of, is_hex_id
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.solitaire import SolitaireEvent, SolitaireStarted, StartSolitaire
from circolo_events.decider import Context
from msgspec import UNSET

from ..deck.commitment import commit
from ..deck.shuffle import shuffled_deck
from ..games.solitario import rules_of


def start(command: StartSolitaire, context: Context) -> list[SolitaireEvent]:
    """The cards on the table, or the one event that says why there are none."""
    game_id, seed = id_of(context.stream), context.entropy
    settings = complete_settings(SOLITARIO, command.settings)
    problem = RefusalCode.INVALID_SETTING if isinstance(settings, SettingProblem) else _problem(command)
    if isinstance(settings, SettingProblem) or problem is not None:
        assert problem is not None
        return [GameCancelled(context.now, command.game, game_id, problem.value, command.room)]
    (who,) = command.seats
    assert who.player is not UNSET
    deck = shuffled_deck(seed, 1)
    started = SolitaireStarted(
        at=context.now, commitment=commit(game_id, seed), deck=list(deck), game=command.game, game_id=game_id,
        game_no=command.game_no, opened=rules_of(settings).opened(deck), player=who.player, room=command.room,
        seed=seed.hex(), settings=settings,
    )  # fmt: skip
    return [started]


def _problem(command: StartSolitaire) -> RefusalCode | None:
    if command.game != SOLITARIO.kind:
        return RefusalCode.UNKNOWN_GAME
    if len(command.seats) != 1:
        return RefusalCode.NO_SUCH_SEAT if command.seats else RefusalCode.SEATS_EMPTY
    (who,) = command.seats
    if who.cpu is not UNSET:
        return RefusalCode.NOT_ALLOWED
    if who.player is UNSET:
        return RefusalCode.SEATS_EMPTY
    fits = is_hex_id(who.player) and is_hex_id(command.room) and command.game_no >= 1
    return None if fits else RefusalCode.MALFORMED
