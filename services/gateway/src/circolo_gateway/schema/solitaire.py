"""The solitario, which everybody who looks sees alike, and what happened in it."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import msgspec
import strawberry
from circolo_contracts import solitaire as contract
from circolo_contracts.cards import Card
from circolo_contracts.solitaire import SolitaireHappening, SolitaireView
from msgspec import UNSET, Raw

from ..streams.watch import GameAddress, Requested
from ..transport.raw import made, reads
from .enums import GameKind, GameStatus, PlaceState, SolitaireMoveKind, Suit, game_event_kind
from .game import Game, GameEvent, given, never_ranked, outcome
from .node import Node, game_gid
from .player import Player, somebody
from .scalars import DateTime, moment
from .settings import GameSettings, shown_settings

_solitaire_view = msgspec.json.Decoder(SolitaireView).decode
_happening = msgspec.json.Decoder(SolitaireHappening).decode


@strawberry.type
class PyramidPlace:
    state: PlaceState
    card: Card | None = strawberry.field(description="Of a FREE place.")


@strawberry.type(description="One suit of the anonimo, from the ace up.")
class SolitaireBase:
    suit: Suit
    count: int = strawberry.field(description="Cards on it, 0 to 10: also the rank of the top one.")


@strawberry.type(
    description="Something that may be done now: REMOVE `cards` (`removeCards`), MOVE the one card to the column `to`, "
    "or to its base when `to` is null (`moveCard`), TURN the stock, or the waste when the stock is gone (`turnStock`)."
)
class SolitaireMove:
    kind: SolitaireMoveKind
    cards: list[Card]
    to: int | None


@strawberry.type(
    description="A patience: piramide or anonimo, as its settings say. What is hidden is hidden from its player too, "
    "so everybody who may look sees the same."
)
class Solitaire(Game, Node):
    player: Player | None = strawberry.field(description="Null while STARTING.")
    commitment: str | None = strawberry.field(
        description="SHA-256 of the seed that all chance comes from, published before it."
    )
    seed: str | None = strawberry.field(description="Revealed when it is over.")
    view: strawberry.Private[SolitaireView | None]
    """As in ``CardGame``."""
    stock_count: int
    waste: list[Card] = strawberry.field(description="Its last two cards at most, the top one last.")
    waste_count: int
    redeals_left: int = strawberry.field(description="How often the waste may still be turned over.")
    removed_count: int = strawberry.field(description="Cards out of play: removed, or on the bases.")
    columns: list[list[Card]] = strawberry.field(
        description="Of the anonimo: 0 to 3, each with the card that may be moved last."
    )

    @strawberry.field
    def settings(self) -> GameSettings | None:
        return None if self.view is None else shown_settings(self.view.game, self.view.settings)

    @strawberry.field(description="Of the piramide: its rows from the top, row r of r places.")
    def pyramid(self) -> list[list[PyramidPlace]]:
        return [] if self.view is None else [[_place(place) for place in row] for row in self.view.pyramid]

    @strawberry.field(description="Of the anonimo: one for each suit.")
    def bases(self) -> list[SolitaireBase]:
        return [] if self.view is None else [_base(base) for base in self.view.bases]

    @strawberry.field(description="The player's; empty when it is over, null while STARTING.")
    def legal_moves(self) -> list[SolitaireMove] | None:
        return None if self.view is None else [_move(move) for move in self.view.legal_moves]


@strawberry.type
class SolitaireEvent(GameEvent):
    cards: list[Card] | None = strawberry.field(
        description="What was removed, moved or turned; of SOLITAIRE_STARTED what lies open."
    )
    revealed: list[Card] | None = strawberry.field(description="What a removal uncovered.")
    to: int | None = strawberry.field(description="The column that a card was moved to.")
    to_base: bool | None = strawberry.field(description="True: to the base of its suit.")


# ---------------------------------------------------------------- from the wire


def _place(place: contract.PyramidPlace) -> PyramidPlace:
    return PyramidPlace(state=PlaceState(place.state), card=None if place.card is UNSET else place.card)


def _base(base: contract.Base) -> SolitaireBase:
    return SolitaireBase(suit=Suit(base.suit), count=base.count)


def _move(move: contract.SolitaireMove) -> SolitaireMove:
    return SolitaireMove(kind=SolitaireMoveKind(move.kind), cards=move.cards, to=given(move.to))


def _nothing(_: object) -> None:
    """What every game has and this one has not: a clock, a seat that acted."""


def solitaire(json: Raw) -> Solitaire:
    view = _solitaire_view(json)
    return Solitaire(
        id=game_gid(view.game, view.game_id, view.room),
        kind=GameKind(view.game),
        room_id=view.room,
        version=view.version,
        status=GameStatus(view.status),
        ranked=False,
        started_at=DateTime(view.started_at),
        deadline=None,
        result=outcome(view.result),
        player=somebody(view.player),
        commitment=view.commitment,
        seed=None if view.seed is UNSET else view.seed,
        view=view,
        stock_count=view.stock_count,
        waste=view.waste,
        waste_count=view.waste_count,
        redeals_left=view.redeals_left,
        removed_count=view.removed_count,
        columns=view.columns,
    )


def starting_solitaire(game: Requested, at: GameAddress) -> Solitaire:
    """Requested, and nothing has happened yet."""
    return Solitaire(
        id=game_gid(game.kind, at.game, at.room), kind=GameKind(game.kind), room_id=at.room, version=0,
        status=GameStatus.STARTING, ranked=False, started_at=None, deadline=None, result=None, player=None,
        commitment=None, seed=None, view=None, stock_count=0, waste=[], waste_count=0,
        redeals_left=0, removed_count=0, columns=[],
    )  # fmt: skip


def solitaire_event(json: Raw) -> SolitaireEvent:
    told = _happening(json)
    return SolitaireEvent(
        at_version=told.at_version,
        kind=game_event_kind(told.kind),
        seat=None,
        cards=None if told.cards is UNSET else told.cards,
        revealed=None if told.revealed is UNSET else told.revealed,
        to=given(told.to),
        to_base=None if told.to_base is UNSET else told.to_base,
    )


# ---------------------------------------------------------------- the same, without the objects (``transport.raw``)

reads(
    Solitaire,
    SolitaireView,
    id=made(game_gid, "game", "game_id", "room"),
    kind=made(GameKind, "game"),
    ranked=made(never_ranked, "game"),
    started_at=made(moment, "started_at"),
    deadline=made(_nothing, "game"),
    player=made(somebody, "player"),
    settings=made(shown_settings, "game", "settings"),
)
reads(PyramidPlace, contract.PyramidPlace)
reads(SolitaireBase, contract.Base)
reads(SolitaireMove, contract.SolitaireMove)
reads(
    SolitaireEvent,
    SolitaireHappening,
    kind=made(game_event_kind, "kind"),
    seat=made(_nothing, "kind"),
)
