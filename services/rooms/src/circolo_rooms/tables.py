"""Which game is played and how: a table's settings, checked against the game's descriptor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from circolo_contracts.games import CATALOGUE, SettingProblem, SettingValue, complete_settings, ranked_settings
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import ChangeSettings, RoomEvent, SeatOccupant, SettingsChanged
from circolo_events.decider import Context, Rejection
from msgspec import UNSET
from msgspec.structs import replace

from .state import RoomState


def settle(
    game: str, given: Mapping[str, SettingValue], *, ranked: bool = False
) -> dict[str, SettingValue] | Rejection:
    """Every setting of the game; the refusal's field is the first setting that is not allowed."""
    descriptor = CATALOGUE.get(game)
    if descriptor is None:
        return Rejection(RefusalCode.UNKNOWN_GAME, "game")
    if ranked and not descriptor.ranked:
        return Rejection(RefusalCode.NOT_RANKED, "game")
    settings = (ranked_settings if ranked else complete_settings)(descriptor, given)
    if isinstance(settings, SettingProblem):
        return Rejection(RefusalCode.INVALID_SETTING, settings.name)
    return settings


def change(state: RoomState, command: ChangeSettings, context: Context) -> Sequence[RoomEvent] | Rejection:
    """At a ranked table only the game and the number of players are somebody's choice."""
    before = state.settings if command.game == state.game else {}
    if state.ranked:
        before = {name: value for name, value in before.items() if name == "players"}
    settings = settle(command.game, {**before, **command.settings}, ranked=state.ranked)
    if isinstance(settings, Rejection):
        return settings
    if command.game == state.game and settings == state.settings:
        return []
    return [SettingsChanged(at=context.now, game=command.game, settings=settings)]


def settings_changed(state: RoomState, event: SettingsChanged) -> RoomState:
    """Beyond the new last seat people stand and CPUs are gone; a game without CPUs has none anywhere."""
    game = CATALOGUE[event.game]
    count = game.seat_count(event.settings)
    kept = [seat if _may_sit(seat, game.cpu) else None for seat in state.seats[:count]]
    return replace(
        state, game=event.game, settings=event.settings, seats=(*kept, *(None,) * (count - len(kept))),
        next_dealer=state.next_dealer if count == len(state.seats) else None,
        totals=() if game.adds_up and game.team_count(event.settings) != len(state.totals) else state.totals,
    )  # fmt: skip


def _may_sit(occupant: SeatOccupant | None, cpu: bool) -> bool:
    return cpu or occupant is None or occupant.cpu is UNSET
