"""Whether a match can start, and its first events."""

from __future__ import annotations

from circolo_contracts.cardgames import DealStarted, DealVoided, GameCancelled, MatchEvent, MatchStarted, StartMatch
from circolo_contracts.games import (
    CATALOGUE,
    GameDescriptor,
    SettingProblem,
    SettingValue,
    complete_settings,
    ranked_settings,
)
from circolo_contracts.ids import id_of, is_hex_id
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import SeatOccupant
from circolo_events.decider import Context
from msgspec import UNSET

from .deck.commitment import commit
from .deck.dealing import leader_after
from .deck.shuffle import first_dealer, shuffled_deck
from .games import GAMES
from .games.rules import CardRules


def start(command: StartMatch, context: Context) -> list[MatchEvent]:
    """The match and its first deal, or the one event that says why there is none."""
    game_id = id_of(context.stream)
    settings = _settings(command)
    problem = settings if isinstance(settings, RefusalCode) else _problem(command, settings)
    if problem is not None:
        return [GameCancelled(context.now, command.game, game_id, problem.value, command.room)]
    assert not isinstance(settings, RefusalCode)
    seed = context.entropy
    dealer = first_dealer(seed, len(command.seats)) if command.dealer is UNSET else command.dealer
    started = MatchStarted(
        at=context.now, commitment=commit(game_id, seed), dealer=dealer, game=command.game, game_id=game_id,
        game_no=command.game_no, room=command.room, seats=command.seats, seed=seed.hex(), settings=settings,
        ranked=command.ranked or UNSET,
    )  # fmt: skip
    rules = GAMES[command.game].rules(settings)
    return [started, *deal_started(rules, seed, len(command.seats), dealer, deal_no=1, shuffle_no=1)]


def deal_started(
    rules: CardRules, seed: bytes, seats: int, dealer: int, *, deal_no: int, shuffle_no: int
) -> list[DealStarted | DealVoided]:
    """The next deal; before it, whatever had to be thrown in and dealt again by the same dealer."""
    leader = leader_after(dealer, seats)
    events: list[DealStarted | DealVoided] = []
    while True:
        deck = shuffled_deck(seed, shuffle_no)
        events.append(DealStarted(deal_no, dealer, list(deck), leader, shuffle_no))
        deal = rules.deal(deck, leader, seats)
        if not rules.is_void(deal):
            return events
        events.append(DealVoided(deal_no, list(deal.table), shuffle_no))
        shuffle_no += 1


def _settings(command: StartMatch) -> dict[str, SettingValue] | RefusalCode:
    descriptor = CATALOGUE.get(command.game)
    if descriptor is None or command.game not in GAMES:
        return RefusalCode.UNKNOWN_GAME
    settings = (ranked_settings if command.ranked else complete_settings)(descriptor, command.settings)
    return RefusalCode.INVALID_SETTING if isinstance(settings, SettingProblem) else settings


def _problem(command: StartMatch, settings: dict[str, SettingValue]) -> RefusalCode | None:
    descriptor = CATALOGUE[command.game]
    seats = descriptor.seat_count(settings)
    if len(command.seats) != seats:
        return RefusalCode.SEATS_EMPTY if len(command.seats) < seats else RefusalCode.NO_SUCH_SEAT
    if command.dealer is not UNSET and not 0 <= command.dealer < seats:
        return RefusalCode.NO_SUCH_SEAT
    if not is_hex_id(command.room) or command.game_no < 1:
        return RefusalCode.MALFORMED
    if command.ranked and any(who.player is UNSET for who in command.seats):
        return RefusalCode.RANKED
    return _seating_problem(descriptor, command.seats)


def _seating_problem(descriptor: GameDescriptor, seats: list[SeatOccupant]) -> RefusalCode | None:
    players = [who.player for who in seats if who.player is not UNSET]
    if any((who.player is UNSET) == (who.cpu is UNSET) for who in seats):
        return RefusalCode.SEATS_EMPTY
    if len(set(players)) != len(players):
        return RefusalCode.SEAT_TAKEN
    if len(players) < len(seats) and not descriptor.cpu:
        return RefusalCode.NOT_ALLOWED
    return None if all(is_hex_id(player) for player in players) else RefusalCode.MALFORMED
