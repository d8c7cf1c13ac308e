"""Card games as their viewer sees them, and what happened in them."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from collections.abc import Sequence

import msgspec
import strawberry
from circolo_contracts import cardgames as contract
from circolo_contracts.cardgames import GameHappening, MatchView
from circolo_contracts.cards import Card
from msgspec import UNSET, Raw, UnsetType

from ..streams.watch import GameAddress, Requested
from ..transport.raw import made, reads
from .enums import CpuLevel, DeclarationKind, GameKind, GameStatus, Suit, game_event_kind
from .game import Game, GameEvent, given, outcome
from .node import Node, game_gid
from .player import Player, player_or_none
from .scalars import DateTime, moment
from .settings import GameSettings, shown_settings

_match_view = msgspec.json.Decoder(MatchView).decode
_happening = msgspec.json.Decoder(GameHappening).decode


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
    sweeps: list[Card] | None = strawberry.field(
        description="The cards that made a scopa in this deal, face up in the pile; null in games without it."
    )


@strawberry.type(
    description="The last card played in a game that captures, and the table cards that it took: none when it was "
    "laid down."
)
class TablePlay:
    card: Card
    seat: int
    captured: list[Card]
    sweep: bool = strawberry.field(description="A scopa.")


@strawberry.type(
    description="A card that may be played now. `captures`: every choice of table cards that it may take, one of which "
    "`playCard` is given as `capture`; with one choice it may be left out. Empty: the card is laid down. An empty "
    "choice: it takes nothing and goes to its player's pile."
)
class LegalMove:
    card: Card
    captures: list[list[Card]]


@strawberry.type(description="Cards of a hand that count when they are announced (accusa).")
class Declaration:
    kind: DeclarationKind
    points: int
    rank: int | None = strawberry.field(description="Of a BUONGIOCO: 1, 2 or 3.")
    suit: Suit | None = strawberry.field(
        description="Of a NAPOLETANA; of a BUONGIOCO with three cards the suit that is missing."
    )


@strawberry.type(description="What a seat has declared in this deal.")
class Declarer:
    seat: int
    declaration: Declaration


@strawberry.type(description="One line of a deal's score sheet.")
class ScoreLine:
    name: str = strawberry.field(
        description="In the table's words, upper case: CARDS, COINS, SETTEBELLO, PRIMIERA, SWEEPS, CARD_POINTS, "
        "DECLARATIONS, CAPPOTTO. A new game may have new ones."
    )
    points: list[int] = strawberry.field(description="By team.")
    amounts: list[int] | None = strawberry.field(
        description="By team, what was compared: cards, coins, the primiera's sum (0: incomplete), thirds of a point."
    )


@strawberry.type(description="The score sheet of one deal.")
class DealScore:
    deal_no: int
    points: list[int] = strawberry.field(description="By team.")
    winner: int | None = strawberry.field(description="The team; null for a tie.")
    sheet: list[ScoreLine] | None = strawberry.field(
        description="What the points are made of; null in games that do not count by lines."
    )


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
    table: list[Card] = strawberry.field(description="What may be captured; of a trick see `trick`.")
    last_trick_winner: int | None
    score: list[int] = strawberry.field(description="By team: the match's points, in briscola deals won.")

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

    @strawberry.field(description="In games that capture.")
    def last_play(self) -> TablePlay | None:
        if self.view is None or self.view.last_play is UNSET:
            return None
        play = self.view.last_play
        return TablePlay(card=play.card, seat=play.seat, captured=play.captured, sweep=play.sweep)

    @strawberry.field(
        description="Who drew which card after the last trick, the winner first, until the next card is led; null in "
        "games that do not show it."
    )
    def drawn(self) -> list[PlayedCard] | None:
        return None if self.view is None or self.view.drawn is UNSET else _played(self.view.drawn)

    @strawberry.field(description="What the viewer may announce now, before his card; null when there is nothing.")
    def declarable(self) -> list[Declaration] | None:
        if self.view is None or self.view.declarable is UNSET:
            return None
        return [_declaration(each) for each in self.view.declarable]

    @strawberry.field(description="What was announced in this deal; null when nothing was.")
    def declared(self) -> list[Declarer] | None:
        if self.view is None or self.view.declared is UNSET:
            return None
        return [Declarer(seat=each.seat, declaration=_declaration(each.declaration)) for each in self.view.declared]

    @strawberry.field
    def deals(self) -> list[DealScore]:
        return [] if self.view is None else [deal_score(deal) for deal in self.view.deals]


@strawberry.type
class CardGameEvent(GameEvent):
    card: Card | None = strawberry.field(description="Null when the viewer may not know it.")
    cards: list[Card] | None = strawberry.field(
        description="What a card captured, what was left on the table, what a void deal opened; of HANDS_DEALT the "
        "viewer's own new cards."
    )
    sweep: bool | None = strawberry.field(description="True: the card made a scopa.")
    declaration: Declaration | None
    points: list[int] | None = strawberry.field(
        description="Of a trick one number, in tressette and vinciperdi in thirds of a point; else by team."
    )
    team: int | None


# ---------------------------------------------------------------- from the wire


def _played(cards: Sequence[contract.PlayedCard]) -> list[PlayedCard]:
    return [PlayedCard(card=each.card, seat=each.seat) for each in cards]


def _declaration(each: contract.Declaration) -> Declaration:
    return Declaration(
        kind=DeclarationKind(each.kind),
        points=each.points,
        rank=given(each.rank),
        suit=Suit(each.suit) if isinstance(each.suit, str) else None,
    )


def _line(line: contract.Category) -> ScoreLine:
    return ScoreLine(name=line.name, points=line.points, amounts=_or_null(line.amounts))


def _or_null(values: list[int] | UnsetType) -> list[int] | None:
    return values if isinstance(values, list) else None


def deal_score(score: contract.DealScore) -> DealScore:
    return DealScore(
        deal_no=score.deal_no,
        points=list(score.points),
        winner=given(score.winner),
        sheet=None if score.sheet is UNSET else [_line(line) for line in score.sheet],
    )


def _seat(seat: contract.SeatState) -> CardSeat:
    return CardSeat(
        seat=seat.seat,
        team=seat.team,
        player=player_or_none(seat.player),
        cpu=None if seat.cpu is UNSET else CpuLevel(seat.cpu),
        hand_count=seat.hand_count,
        pile_count=seat.pile_count,
        sweeps=None if seat.sweeps is UNSET else seat.sweeps,
    )


def card_game(json: Raw) -> CardGame:
    view = _match_view(json)
    return CardGame(
        id=game_gid(view.game, view.game_id, view.room),
        kind=GameKind(view.game),
        room_id=view.room,
        version=view.version,
        status=GameStatus(view.status),
        ranked=view.ranked,
        started_at=DateTime(view.started_at),
        deadline=moment(view.deadline),
        result=outcome(view.result),
        commitment=view.commitment,
        seed=None if view.seed is UNSET else view.seed,
        view=view,
        seat=given(view.seat),
        hand=None if view.hand is UNSET else view.hand,
        dealer=view.dealer,
        deal_no=view.deal_no,
        turn=given(view.turn),
        trump=None if view.trump is UNSET else Suit(view.trump),
        trump_card=None if view.trump_card is UNSET else view.trump_card,
        stock_count=view.stock_count,
        table=view.table,
        last_trick_winner=given(view.last_trick_winner),
        score=view.score,
    )


def starting_card_game(game: Requested, at: GameAddress) -> CardGame:
    """Requested, and nothing has happened yet."""
    return CardGame(
        id=game_gid(game.kind, at.game, at.room), kind=GameKind(game.kind), room_id=at.room, version=0,
        status=GameStatus.STARTING, ranked=game.ranked, started_at=None, deadline=None, result=None,
        commitment=None, seed=None, view=None, seat=None, hand=None, dealer=None, deal_no=0, turn=None,
        trump=None, trump_card=None, stock_count=0, table=[], last_trick_winner=None, score=[],
    )  # fmt: skip


def card_game_event(json: Raw) -> CardGameEvent:
    told = _happening(json)
    return CardGameEvent(
        at_version=told.at_version,
        kind=game_event_kind(told.kind),
        seat=given(told.seat),
        card=None if told.card is UNSET else told.card,
        cards=None if told.cards is UNSET else told.cards,
        sweep=None if told.sweep is UNSET else told.sweep,
        declaration=None if told.declaration is UNSET else _declaration(told.declaration),
        points=_or_null(told.points),
        team=given(told.team),
    )


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
reads(CardSeat, contract.SeatState, player=made(player_or_none, "player"))
reads(PlayedCard, contract.PlayedCard)
reads(TablePlay, contract.TablePlay)
reads(LegalMove, contract.LegalMove)
reads(Declaration, contract.Declaration)
reads(Declarer, contract.Declarer)
reads(DealScore, contract.DealScore)
reads(ScoreLine, contract.Category)
reads(CardGameEvent, GameHappening, kind=made(game_event_kind, "kind"))
