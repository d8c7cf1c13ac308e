"""Which type of the schema a game has: the kind of its stream says it. And the steps of a game of any kind."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import strawberry
from circolo_contracts.games import CATALOGUE
from circolo_contracts.ids import kind_of
from msgspec import Raw

from ..streams.update import Update
from ..streams.watch import GameAddress, Requested, played_in
from ..transport.raw import raw
from .card_game import CardGame, CardGameEvent, card_game, card_game_event, starting_card_game
from .context import Context
from .game import Game, GameEvent
from .solitaire import Solitaire, SolitaireEvent, solitaire, solitaire_event, starting_solitaire
from .tombola import Tombola, TombolaEvent, starting_tombola, tombola, tombola_event
from .trivia import Trivia, TriviaEvent, starting_trivia, trivia, trivia_event

AnyGame: TypeAlias = CardGame | Solitaire | Tombola | Trivia
GAMES = (CardGame, Solitaire, Tombola, Trivia)
EVENTS = (CardGameEvent, SolitaireEvent, TombolaEvent, TriviaEvent)


@dataclass(frozen=True, slots=True)
class GameType:
    game: type[AnyGame]
    event: type[GameEvent]
    from_view: Callable[[Raw], AnyGame]
    from_happening: Callable[[Raw], GameEvent]
    starting: Callable[[Requested, GameAddress], AnyGame]
    """Nothing has happened yet in the game at this address."""


_OF_GRAPHQL_TYPE: Mapping[str, GameType] = {
    "CardGame": GameType(CardGame, CardGameEvent, card_game, card_game_event, starting_card_game),
    "Solitaire": GameType(Solitaire, SolitaireEvent, solitaire, solitaire_event, starting_solitaire),
    "Tombola": GameType(Tombola, TombolaEvent, tombola, tombola_event, starting_tombola),
    "Trivia": GameType(Trivia, TriviaEvent, trivia, trivia_event, starting_trivia),
}
GAME_TYPES: Mapping[str, GameType] = {
    game.stream_kind: _OF_GRAPHQL_TYPE[game.graphql_type] for game in CATALOGUE.values()
}
"""By the kind of a game's stream."""


def game_type(stream: str) -> GameType:
    """For the stream of a game of the catalogue."""
    return GAME_TYPES[kind_of(stream)]


@strawberry.type(description="A step of a game: everything that happened since the last one, and how it looks now.")
class GameUpdate:
    version: int
    reset: bool = strawberry.field(description="`happened` is not complete: take `game` as it is.")
    update: strawberry.Private[Update]
    at: strawberry.Private[GameAddress]
    of: strawberry.Private[GameType]
    rendered: strawberry.Private[dict[object, bytes]]
    """The update's, shared by its subscribers."""

    @strawberry.field(metadata=raw("update.happened", *EVENTS, which="of.event"))
    def happened(self) -> list[GameEvent]:
        return [self.of.from_happening(told) for told in self.update.happened]

    @strawberry.field(metadata=raw("update.view", *GAMES, which="of.game"))
    def game(self) -> Game:
        if self.version == 0:
            return self.of.starting(self.update.decoded, self.at)
        return self.of.from_view(self.update.view)


def game_update(update: Update, at: GameAddress, of: GameType | None = None) -> GameUpdate:
    """It holds nothing of one viewer that his audience may not see. ``of`` is looked up unless it is given."""
    return GameUpdate(
        version=update.version, reset=update.reset, update=update, at=at, of=of or game_type(at.stream),
        rendered=update.rendered,
    )  # fmt: skip


async def load_game(context: Context, at: GameAddress, requested: Requested | None) -> AnyGame | None:
    """The viewer's view; STARTING if it was ``requested`` and has no event yet; None if it is not there for him."""
    seen = await context.see(at.service, at.stream)
    of = game_type(at.stream)
    if seen is not None:
        return of.from_view(seen.view) if played_in(seen.view, at.room) else None
    return None if requested is None else of.starting(requested, at)
