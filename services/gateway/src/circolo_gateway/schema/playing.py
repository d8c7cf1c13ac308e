"""What a player can do in a game. A move of another kind of game is refused by the game itself: UNKNOWN_COMMAND."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TypeAlias

import strawberry
from circolo_contracts import cardgames, solitaire
from circolo_contracts.cards import Card
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Done, Refused
from msgspec import UNSET, Struct

from ..commands import Wish
from ..transport.later import Later
from .at_room import Info, Key, expected
from .context import Context
from .enums import DeclarationKind, Suit
from .node import game_in
from .results import GameResult, game_result, refusal

Move: TypeAlias = Later[GameResult] | GameResult
"""What a mutation in a game gives: the owner's answer, which comes without a task, or a refusal of ours at once."""

move = partial(strawberry.mutation, graphql_type=GameResult)
"""A mutation in a game, by a plain function that gives a ``Move``."""


@strawberry.input(description="One of the game's `declarable`.")
class DeclarationInput:
    kind: DeclarationKind
    rank: int | None = strawberry.field(default=None, description="Of a BUONGIOCO: 1, 2 or 3.")
    suit: Suit | None = strawberry.field(
        default=None, description="Of a NAPOLETANA; of a BUONGIOCO it may be left out."
    )


def in_game(
    context: Context,
    mutation: str,
    game_id: str,
    data: Struct,
    fields: Mapping[str, object],
    key: Key,
    expected_version: int | None,
) -> Move:
    """A command to a game by somebody who is signed in."""
    if not context.viewer:
        return refusal(context, RefusalCode.UNAUTHENTICATED)
    at = game_in(game_id)
    if at is None:
        return refusal(context, RefusalCode.NOT_FOUND, "gameId")

    def told(answer: Done | Refused) -> GameResult:
        context.house.feeds.expect(at.stream, getattr(answer, "view_version", 0))
        return game_result(context, answer, at.stream)

    wish = Wish(mutation, at.service, at.stream, data, {"game": at.game, **fields}, key, expected(expected_version))
    return context.house.commands.begin(wish, context.viewer, told)


@strawberry.type
class AtTheGame:
    @move(
        description="`capture`: which table cards it takes, in games with captures: one of the card's `captures` in "
        "`legalMoves`; to be left out when there is only one, or none."
    )
    def play_card(
        self,
        info: Info,
        game_id: strawberry.ID,
        card: Card,
        capture: list[Card] | None = None,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = cardgames.PlayCard(card=card, capture=UNSET if capture is None else capture)
        fields: dict[str, object] = {"card": card} if capture is None else {"card": card, "capture": capture}
        return in_game(info.context, "playCard", game_id, data, fields, idempotency_key, expected_version)

    @move(description="Announces what the hand holds, on the player's own turn and before his card.")
    def declare(
        self,
        info: Info,
        game_id: strawberry.ID,
        declaration: DeclarationInput,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = cardgames.Declare(
            kind=declaration.kind.value,
            rank=UNSET if declaration.rank is None else declaration.rank,
            suit=UNSET if declaration.suit is None else declaration.suit.value,
        )
        named = {"kind": data.kind, "rank": declaration.rank, "suit": data.suit}
        fields = {name: value for name, value in named.items() if value is not None and value is not UNSET}
        return in_game(info.context, "declare", game_id, data, fields, idempotency_key, expected_version)

    @move(description="Piramide: a king, or two cards that make ten, in any order.")
    def remove_cards(
        self,
        info: Info,
        game_id: strawberry.ID,
        cards: list[Card],
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = solitaire.RemoveCards(cards=cards)
        return in_game(info.context, "removeCards", game_id, data, {"cards": cards}, idempotency_key, expected_version)

    @move(description="Anonimo: a free card to the column `to`, 0 to 3; without `to` to its base.")
    def move_card(
        self,
        info: Info,
        game_id: strawberry.ID,
        card: Card,
        to: int | None = None,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = solitaire.MoveCard(card=card, to=UNSET if to is None else to)
        fields: dict[str, object] = {"card": card} if to is None else {"card": card, "to": to}
        return in_game(info.context, "moveCard", game_id, data, fields, idempotency_key, expected_version)

    @move(description="Solitario: the stock's next card is turned; when the stock is gone, the waste is turned over.")
    def turn_stock(
        self, info: Info, game_id: strawberry.ID, idempotency_key: Key = None, expected_version: int | None = None
    ) -> Move:
        return in_game(info.context, "turnStock", game_id, solitaire.TurnStock(), {}, idempotency_key, expected_version)

    @move(description="Gives the running game up.")
    def abandon_game(
        self, info: Info, game_id: strawberry.ID, idempotency_key: Key = None, expected_version: int | None = None
    ) -> Move:
        return in_game(
            info.context, "abandonGame", game_id, cardgames.AbandonGame(), {}, idempotency_key, expected_version
        )
