"""Games as their viewer sees them, and what happened in them."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec
import strawberry
from circolo_contracts.cardgames import DealScore as DealScoreView
from circolo_contracts.cardgames import GameHappening, MatchResult, MatchView, SeatState
from circolo_contracts.cardgames import LegalMove as LegalMoveView
from circolo_contracts.cardgames import PlayedCard as PlayedCardView
from circolo_contracts.cards import Card
from circolo_contracts.ids import RoomId, room_stream
from msgspec import UNSET, Raw, UnsetType

from ..streams.update import Update
from ..streams.watch import GameAddress
from ..transport.raw import made, raw, reads
from .context import Context
from .enums import CpuLevel, GameEventKind, GameKind, GameStatus, Outcome, Suit, game_event_kind
from .node import Node, game_gid
from .player import Player, player_or_none
from .scalars import DateTime, moment
from .settings import GameSettings, shown_settings

if TYPE_CHECKING:
    from .room import Room

_match_view = msgspec.json.Decoder(MatchView).decode
_happening = msgspec.json.Decoder(GameHappening).decode


@strawberry.type(description="How a game ended.")
class GameOutcome:
    outcome: Outcome
    winner: int | None = strawberry.field(description="The team, for WON.")
    abandoned_by: int | None = strawberry.field(description="The seat, for ABANDONED.")


@strawberry.interface(description="A game of any kind.")
class Game:
    id: strawberry.ID
    kind: GameKind
    version: int = strawberry.field(description="Of the view; 0 while STARTING.")
    status: GameStatus
    started_at: DateTime | None
    deadline: DateTime | None = strawberry.field(
        description="When the clock acts for who is on turn; null without a clock."
    )
    result: GameOutcome | None
    room_id: strawberry.Private[str]

    @strawberry.field(description="Where it is played; null when the viewer may not see it any more.")
    async def room(self, info: strawberry.Info[Context, None]) -> Annotated[Room, strawberry.lazy(".room")] | None:
        from .room import room_from  # noqa: PLC0415 (rooms and games know each other)

        seen = await info.context.see("rooms", room_stream(RoomId(self.room_id)))
        return None if seen is None else room_from(seen.view)


@strawberry.type
class PlayedCard:
    card: Card
    seat: int


@strawberry.type(description="What everybody sees of a seat in a card game.")
class CardSeat:
    seat: int
    team: int
    player: Player | None
    cpu: CpuLevel | None
    hand_count: int
    pile_count: int = strawberry.field(description="Cards won so far; which they are is hidden.")


@strawberry.type(description="A card that may be played now, with every choice of table cards that it may take.")
class LegalMove:
    card: Card
    captures: list[list[Card]]


@strawberry.type(description="The score sheet of one deal.")
class DealScore:
    deal_no: int
    points: list[int] = strawberry.field(description="By team.")
    winner: int | None = strawberry.field(description="The team; null for a tie.")


@strawberry.type(
    description="A match as its viewer may see it: his own hand if he has a seat, else what lies on the table."
)
class CardGame(Game, Node):
    commitment: str | None = strawberry.field(
        description="SHA-256 of the seed that all chance comes from, published before it."
    )
    seed: str | None = strawberry.field(
        description="Revealed when the match is over: verify the commitment and every shuffle."
    )
    view: strawberry.Private[MatchView | None]
    """What the fields below that are functions are made from, when they are asked for; None while STARTING."""
    seat: int | None = strawberry.field(description="The viewer's own; null for who does not play.")
    hand: list[Card] | None = strawberry.field(description="The viewer's own.")
    dealer: int | None
    deal_no: int
    turn: int | None
    trump: Suit | None
    trump_card: Card | None = strawberry.field(description="The exposed card.")
    stock_count: int = strawberry.field(description="Cards still to be drawn, the exposed trump included.")
    table: list[Card]
    last_trick_winner: int | None
    score: list[int] = strawberry.field(description="By team: deals won in this match.")

    @strawberry.field
    def settings(self) -> GameSettings | None:
        return None if self.view is None else shown_settings(self.view.game, self.view.settings)

    @strawberry.field
    def seats(self) -> list[CardSeat]:
        return [] if self.view is None else [_seat(seat) for seat in self.view.seats]

    @strawberry.field(description="For the viewer when it is his turn.")
    def legal_moves(self) -> list[LegalMove] | None:
        if self.view is None or self.view.legal_moves is UNSET:
            return None
        return [LegalMove(card=move.card, captures=move.captures) for move in self.view.legal_moves]

    @strawberry.field(description="In play order.")
    def trick(self) -> list[PlayedCard]:
        return [] if self.view is None else _played(self.view.trick)

    @strawberry.field
    def last_trick(self) -> list[PlayedCard] | None:
        return None if self.view is None or self.view.last_trick is UNSET else _played(self.view.last_trick)

    @strawberry.field
    def deals(self) -> list[DealScore]:
        return [] if self.view is None else [_deal(deal) for deal in self.view.deals]


@strawberry.interface(description="One thing that happened in a game, as its viewer may know it.")
class GameEvent:
    at_version: int
    kind: GameEventKind
    seat: int | None


@strawberry.type
class CardGameEvent(GameEvent):
    card: Card | None = strawberry.field(description="Null when the viewer may not know it.")
    points: list[int] | None
    team: int | None


@strawberry.type(description="A step of a game: everything that happened since the last one, and how it looks now.")
class GameUpdate:
    version: int
    reset: bool = strawberry.field(description="`happened` is not complete: take `game` as it is.")
    update: strawberry.Private[Update]
    at: strawberry.Private[GameAddress]
    rendered: strawberry.Private[dict[object, bytes]] = dataclasses.field(default_factory=dict)
    """Answers to plain selections of this update, shared by its subscribers."""

    @strawberry.field(metadata=raw(CardGameEvent, lambda step: step.update.happened))
    def happened(self) -> list[GameEvent]:
        return [_event(told) for told in self.update.happened]

    @strawberry.field(metadata=raw(CardGame, lambda step: step.update.view))
    def game(self) -> Game:
        if self.version == 0:
            return starting_game(self.update.decoded, self.at)
        return game_from(self.update.view)


# ---------------------------------------------------------------- from the wire


def _given(value: int | UnsetType) -> int | None:
    return None if value is UNSET else value


def _played(cards: Sequence[PlayedCardView]) -> list[PlayedCard]:
    return [PlayedCard(card=each.card, seat=each.seat) for each in cards]


def _deal(score: DealScoreView) -> DealScore:
    return DealScore(deal_no=score.deal_no, points=list(score.points), winner=_given(score.winner))


def _seat(seat: SeatState) -> CardSeat:
    return CardSeat(
        seat=seat.seat,
        team=seat.team,
        player=player_or_none(seat.player),
        cpu=None if seat.cpu is UNSET else CpuLevel(seat.cpu),
        hand_count=seat.hand_count,
        pile_count=seat.pile_count,
    )


def game_from(json: Raw) -> CardGame:
    view = _match_view(json)
    result = view.result
    return CardGame(
        id=game_gid(view.game, view.game_id, view.room),
        kind=GameKind(view.game),
        room_id=view.room,
        version=view.version,
        status=GameStatus(view.status),
        started_at=DateTime(view.started_at),
        deadline=moment(view.deadline),
        result=None
        if result is UNSET
        else GameOutcome(
            outcome=Outcome(result.outcome), winner=_given(result.winner), abandoned_by=_given(result.abandoned_by)
        ),
        commitment=view.commitment,
        seed=None if view.seed is UNSET else view.seed,
        view=view,
        seat=_given(view.seat),
        hand=None if view.hand is UNSET else view.hand,
        dealer=view.dealer,
        deal_no=view.deal_no,
        turn=_given(view.turn),
        trump=None if view.trump is UNSET else Suit(view.trump),
        trump_card=None if view.trump_card is UNSET else view.trump_card,
        stock_count=view.stock_count,
        table=view.table,
        last_trick_winner=_given(view.last_trick_winner),
        score=view.score,
    )


def starting_game(kind: str, at: GameAddress) -> CardGame:
    """Requested, and nothing has happened yet."""
    return CardGame(
        id=game_gid(kind, at.game, at.room), kind=GameKind(kind), room_id=at.room, version=0,
        status=GameStatus.STARTING, started_at=None, deadline=None, result=None, commitment=None, seed=None,
        view=None, seat=None, hand=None, dealer=None, deal_no=0, turn=None, trump=None, trump_card=None,
        stock_count=0, table=[], last_trick_winner=None, score=[],
    )  # fmt: skip


def _event(json: Raw) -> GameEvent:
    told = _happening(json)
    return CardGameEvent(
        at_version=told.at_version,
        kind=game_event_kind(told.kind),
        seat=_given(told.seat),
        card=None if told.card is UNSET else told.card,
        points=None if told.points is UNSET else list(told.points),
        team=_given(told.team),
    )


def game_update(update: Update, at: GameAddress) -> GameUpdate:
    """Made once for all subscribers of a feed: it holds nothing of one viewer that his audience may not see."""
    if update.shown is None:
        update.shown = GameUpdate(version=update.version, reset=update.reset, update=update, at=at)
    shown: GameUpdate = update.shown
    return shown


# ---------------------------------------------------------------- the same, without the objects (``transport.raw``)

reads(
    CardGame,
    MatchView,
    id=made(game_gid, "game", "game_id", "room"),
    kind=made(GameKind, "game"),
    started_at=made(moment, "started_at"),
    deadline=made(moment, "deadline"),
    settings=made(shown_settings, "game", "settings"),
)
reads(GameOutcome, MatchResult)
reads(CardSeat, SeatState, player=made(player_or_none, "player"))
reads(PlayedCard, PlayedCardView)
reads(LegalMove, LegalMoveView)
reads(DealScore, DealScoreView)
reads(CardGameEvent, GameHappening, kind=made(game_event_kind, "kind"))
