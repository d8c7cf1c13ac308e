"""What may be seen of a solitario and told of it: an allow-list, the same for the player and for who watches."""

from __future__ import annotations

from circolo_contracts.cards import SUITS
from circolo_contracts.solitaire import (
    Base,
    CardMoved,
    CardsRemoved,
    MoveCard,
    PyramidPlace,
    RemoveCards,
    SolitaireEvent,
    SolitaireHappening,
    SolitaireMove,
    SolitaireStarted,
    SolitaireView,
    StockTurned,
)
from msgspec import UNSET

from ..games.solitario.position import Move, PatienceRules, Position
from .state import SolitaireState

COVERED, EMPTY = PyramidPlace("COVERED"), PyramidPlace("EMPTY")
NOTHING = Position(stock=(), redeals=0)


def view(state: SolitaireState) -> SolitaireView:
    """Before the end it has no seed, no card that is face down and nothing of the stock's order."""
    lying = NOTHING if state.position is None else state.position
    return SolitaireView(
        bases=[Base(count, suit) for suit, count in zip(SUITS, lying.bases, strict=False)],
        columns=[list(column) for column in lying.columns],
        commitment=state.commitment,
        game=state.game,
        game_id=state.game_id,
        legal_moves=[_move(move) for move in state.rules.legal_moves(lying)] if state.is_running else [],
        player=state.player,
        pyramid=_pyramid(lying, state.rules) if lying.pyramid else [],
        redeals_left=lying.redeals,
        removed_count=len(lying.removed) + sum(lying.bases),
        room=state.room,
        settings=state.settings,
        started_at=state.started_at,
        status="RUNNING" if state.is_running else "ENDED",
        stock_count=len(lying.stock),
        version=state.version,
        waste=list(lying.waste[-2:]),
        waste_count=len(lying.waste),
        result=UNSET if state.result is None else state.result,
        seed=state.seed if state.revealed and state.seed else UNSET,
    )


def _pyramid(lying: Position, rules: PatienceRules) -> list[list[PyramidPlace]]:
    free = set(rules.free(lying))
    shown = [
        EMPTY if card is None else PyramidPlace("FREE", card) if card in free else COVERED for card in lying.pyramid
    ]
    rows: list[list[PyramidPlace]] = []
    first = 0
    while first < len(shown):
        rows.append(shown[first : first + len(rows) + 1])
        first += len(rows)
    return rows


def _move(move: Move) -> SolitaireMove:
    if isinstance(move, RemoveCards):
        return SolitaireMove("REMOVE", move.cards)
    return SolitaireMove("MOVE", [move.card], move.to) if isinstance(move, MoveCard) else SolitaireMove("TURN")


def tell(event: SolitaireEvent, after: SolitaireState) -> SolitaireHappening:
    kind, version = type(event).__name__, after.version
    if isinstance(event, SolitaireStarted):
        return SolitaireHappening(version, kind, cards=event.opened)
    if isinstance(event, CardsRemoved):
        return SolitaireHappening(version, kind, cards=event.cards, revealed=event.revealed)
    if isinstance(event, CardMoved):
        to_base = True if event.to is UNSET else UNSET
        return SolitaireHappening(version, kind, cards=[event.card], to=event.to, to_base=to_base)
    if isinstance(event, StockTurned):
        return SolitaireHappening(version, kind, cards=[event.card], to_base=event.to_base)
    return SolitaireHappening(version, kind)
