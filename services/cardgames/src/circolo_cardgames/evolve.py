"""What each event of a match changes. Events record results, so nothing is decided here and no seed is used."""

from __future__ import annotations

from circolo_contracts.cardgames import (
    CardPlayed,
    DealEnded,
    DealScore,
    DealStarted,
    DealVoided,
    Declared,
    GameCancelled,
    HandsDealt,
    MatchEnded,
    MatchEvent,
    MatchResult,
    MatchStarted,
    SeedRevealed,
    TableTaken,
    TrickEnded,
)  # fmt: skip
from circolo_contracts.games import CATALOGUE
from msgspec.structs import replace

from .games import GAMES
from .games.deal import NOBODY, Deal
from .state import IDLE_GRAIN_MS, MatchState


def evolve(state: MatchState, event: MatchEvent) -> MatchState:
    version = state.version + 1
    if isinstance(event, CardPlayed):
        return _card_played(state, event, version)
    if isinstance(event, (TrickEnded, HandsDealt, TableTaken)):
        deal = state.rules.evolve(state.on_turn(), event)
        return replace(state, version=version, deal=deal, turn_version=_turn_version(state, deal, version))
    if isinstance(event, DealStarted):
        return _deal_started(state, event, version)
    if isinstance(event, DealEnded):
        score = DealScore(event.deal_no, event.points, event.winner, event.sheet)
        return replace(state, version=version, deals=(*state.deals, score), score=tuple(event.won))
    if isinstance(event, Declared):
        return _declared(state, event, version)
    if isinstance(event, DealVoided):
        return replace(state, version=version, voided=True)
    if isinstance(event, MatchStarted):
        return _match_started(event, version)
    if isinstance(event, MatchEnded):
        result = MatchResult(event.outcome, event.abandoned_by, event.winner, event.reason)
        return replace(state, version=version, result=result)
    if isinstance(event, SeedRevealed):
        return replace(state, version=version, revealed=True)
    return _cancelled(event, version)


def _match_started(event: MatchStarted, version: int) -> MatchState:
    descriptor = CATALOGUE[event.game]
    teams = tuple(descriptor.team_of(seat, event.settings) for seat in range(len(event.seats)))
    return MatchState(
        version=version, commitment=event.commitment, dealer=event.dealer, game=event.game, game_id=event.game_id,
        game_no=event.game_no, game_rules=GAMES[event.game].rules(event.settings), idle_at=event.at,
        idle_version=version, ranked=event.ranked is True, room=event.room,
        score=(0,) * (max(teams) + 1), seats=tuple(event.seats), seed=event.seed, settings=event.settings,
        started_at=event.at, teams=teams, turn_at=event.at,
    )  # fmt: skip


def _deal_started(state: MatchState, event: DealStarted, version: int) -> MatchState:
    deal = state.rules.deal(event.deck, event.leader, len(state.seats))
    if (last := state.deal) is not None:  # what ended the deal before stays to be looked at
        deal = replace(
            deal, last_play=last.last_play, last_trick=last.last_trick, last_trick_winner=last.last_trick_winner
        )
    return replace(
        state, version=version, deal=deal, deal_no=event.deal_no, dealer=event.dealer, shuffle_no=event.shuffle_no,
        turn_version=_turn_version(state, deal, version), voided=False,
    )  # fmt: skip


def _declared(state: MatchState, event: Declared, version: int) -> MatchState:
    """The points count at once; whose turn it is, and since when, stays."""
    team, points = state.teams[event.seat], event.declaration.points
    score = tuple(held + points if side == team else held for side, held in enumerate(state.score))
    return replace(state, version=version, deal=state.rules.evolve(state.on_turn(), event), score=score)


def _card_played(state: MatchState, event: CardPlayed, version: int) -> MatchState:
    deal = state.rules.evolve(state.on_turn(), event)
    opened = _turn_version(state, deal, version)
    if event.at - state.idle_at >= IDLE_GRAIN_MS and not event.automatic and not state.is_cpu(event.seat):
        return replace(
            state, version=version, deal=deal, turn_at=event.at, turn_version=opened, idle_at=event.at,
            idle_version=version,
        )  # fmt: skip
    return replace(state, version=version, deal=deal, turn_at=event.at, turn_version=opened)


def _turn_version(state: MatchState, deal: Deal, version: int) -> int:
    """After an event that leaves the deal so: it opens a turn, unless something else follows first."""
    return state.turn_version if deal.turn == NOBODY else version


def _cancelled(event: GameCancelled, version: int) -> MatchState:
    return MatchState(
        version=version, game=event.game, game_id=event.game_id, result=MatchResult("CANCELLED"), revealed=True,
        room=event.room, started_at=event.at,
    )  # fmt: skip
