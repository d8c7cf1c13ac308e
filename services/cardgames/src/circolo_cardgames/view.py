"""What a viewer may see of a match and be told of it: allow-lists. Whoever is not a seat is the public."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.cardgames import (
    CardPlayed,
    DealEnded,
    DealStarted,
    DealVoided,
    Declaration,
    Declared,
    GameHappening,
    HandsDealt,
    LegalMove,
    MatchEnded,
    MatchEvent,
    MatchView,
    SeatState,
    TableTaken,
    TrickEnded,
)  # fmt: skip
from circolo_contracts.cards import SUIT_OF, Card
from circolo_events.decider import PUBLIC, Viewer
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from .deck.dealing import in_play_order
from .games.deal import NOBODY, Deal
from .sight import Sight
from .state import MatchState


class OwnView(Struct, frozen=True, gc=False):
    """What a seat's view has beside the public one, under the names of ``MatchView``."""

    hand: list[Card]
    seat: int
    declarable: list[Declaration] | UnsetType = UNSET
    legal_moves: list[LegalMove] | UnsetType = UNSET


def view(state: MatchState, viewer: Viewer) -> MatchView:
    """Before the end it has no seed, nothing of the stock's order and no card of another seat's hand or pile."""
    public, own = _public(state), own_view(state, viewer)
    if own is None:
        return public
    return replace(public, seat=own.seat, hand=own.hand, legal_moves=own.legal_moves, declarable=own.declarable)


def own_view(state: MatchState, viewer: Viewer) -> OwnView | None:
    """None for the public."""
    seat = own_seat(state, viewer)
    if seat is None:
        return None
    deal = _deal(state)
    hand = list(deal.hands[seat])
    if seat != state.turn:
        return OwnView(hand, seat)
    return OwnView(hand, seat, state.rules.declarable(deal) or UNSET, state.rules.legal_moves(deal))


def sight(state: MatchState, seat: int) -> Sight:
    """What a CPU player at that seat is handed."""
    own = view(state, Viewer.of_seat(seat, state.teams[seat]))
    return Sight.of(state.on_turn(), state.rules, seat, own)


def _deal(state: MatchState) -> Deal:
    return _before_the_first_deal(len(state.seats)) if state.deal is None else state.deal


def _public(state: MatchState) -> MatchView:
    """What everybody may see."""
    deal = _deal(state)
    due, turn = state.turn_due, state.turn
    return MatchView(
        commitment=state.commitment,
        deal_no=state.deal_no,
        deals=list(state.deals),
        dealer=state.dealer,
        game=state.game,
        game_id=state.game_id,
        room=state.room,
        score=list(state.score),
        seats=[
            SeatState(
                len(deal.hands[seat]), len(deal.piles[seat]), seat, state.teams[seat], who.cpu, who.player,
                list(deal.sweeps[seat]) if deal.sweeps else UNSET,
            )
            for seat, who in enumerate(state.seats)
        ],
        settings=state.settings,
        started_at=state.started_at,
        status="RUNNING" if state.is_running else "ENDED",
        stock_count=len(deal.stock),
        table=list(deal.table),
        trick=list(deal.trick),
        version=state.version,
        deadline=UNSET if due is None else due,
        declared=list(deal.declared) if deal.declared else UNSET,
        drawn=list(deal.drawn) if deal.drawn else UNSET,
        last_play=UNSET if deal.last_play is None else deal.last_play,
        last_trick=list(deal.last_trick) if deal.last_trick else UNSET,
        last_trick_winner=UNSET if deal.last_trick_winner == NOBODY else deal.last_trick_winner,
        ranked=state.ranked,
        result=UNSET if state.result is None else state.result,
        seed=state.seed if state.revealed and state.seed else UNSET,
        trump=UNSET if deal.trump_card is None else SUIT_OF[deal.trump_card],
        trump_card=UNSET if deal.trump_card is None else deal.trump_card,
        turn=UNSET if turn == NOBODY else turn,
    )  # fmt: skip


def _before_the_first_deal(seats: int) -> Deal:
    """Also of a match that was cancelled and has no seats."""
    return Deal(hands=((),) * seats, piles=((),) * seats, turn=NOBODY)


def own_seat(state: MatchState, viewer: Viewer) -> int | None:
    """The seat whose hand this viewer may see; None for the public and for anything that is not exactly a seat."""
    is_seat = 0 <= viewer.seat < len(state.seats) and viewer.audience == f"seat-{viewer.seat}"
    return viewer.seat if is_seat else None


def tell(event: MatchEvent, before: MatchState, after: MatchState, viewer: Viewer) -> Sequence[GameHappening]:
    """What happened, in the viewer's words: the event, and for each card that was drawn a ``CardDrawn``."""
    if isinstance(event, TrickEnded):
        return [_told(event, after), *_draws(event, before, after, viewer)]
    return _hands(after, viewer) if isinstance(event, HandsDealt) else [_told(event, after)]


def tell_all(event: MatchEvent, before: MatchState, after: MatchState) -> Sequence[GameHappening] | None:
    """None where a card is somebody's alone: in the next hands, and in draws that are not shown."""
    hidden = isinstance(event, HandsDealt) or (
        isinstance(event, TrickEnded) and event.drawn and not after.rules.draws_are_shown
    )
    return None if hidden else tell(event, before, after, PUBLIC)


def _told(event: MatchEvent, after: MatchState) -> GameHappening:
    """The same for everybody."""
    kind, version = type(event).__name__, after.version
    if isinstance(event, CardPlayed):
        return GameHappening(
            version, kind, card=event.card, cards=event.captured, seat=event.seat, sweep=event.sweep,
            team=after.teams[event.seat],
        )  # fmt: skip
    if isinstance(event, TrickEnded):
        return GameHappening(version, kind, points=[event.points], seat=event.winner, team=after.teams[event.winner])
    if isinstance(event, DealStarted):
        trump = after.on_turn().trump_card
        return GameHappening(version, kind, card=UNSET if trump is None else trump, seat=event.dealer)
    if isinstance(event, DealEnded):
        return GameHappening(version, kind, points=list(event.points), team=event.winner)
    if isinstance(event, MatchEnded):
        return GameHappening(version, kind, points=list(after.score), seat=event.abandoned_by, team=event.winner)
    if isinstance(event, Declared):
        team = after.teams[event.seat]
        return GameHappening(version, kind, declaration=event.declaration, seat=event.seat, team=team)
    if isinstance(event, TableTaken):
        return GameHappening(version, kind, cards=event.cards, seat=event.seat, team=after.teams[event.seat])
    if isinstance(event, DealVoided):
        return GameHappening(version, kind, cards=event.opened)
    return GameHappening(version, kind)


def _hands(after: MatchState, viewer: Viewer) -> list[GameHappening]:
    """One for everybody; a seat hears its own new cards too."""
    seat = own_seat(after, viewer)
    own = UNSET if seat is None else list(after.on_turn().hands[seat])
    return [GameHappening(after.version, "HandsDealt", cards=own)]


def _draws(event: TrickEnded, before: MatchState, after: MatchState, viewer: Viewer) -> list[GameHappening]:
    seat, exposed, shown = own_seat(after, viewer), before.on_turn().trump_card, after.rules.draws_are_shown
    drawers = in_play_order(event.winner, len(after.seats))
    return [
        GameHappening(
            after.version, "CardDrawn", card=card if shown or drawer == seat or card == exposed else UNSET, seat=drawer,
            team=after.teams[drawer],
        )
        for drawer, card in zip(drawers, event.drawn, strict=False)
    ]  # fmt: skip
