"""The language of the solitario: one player, one shuffle, and a patience that everybody who looks sees alike.

A stream ``solitaire-<game id>`` is one patience. It ends as a match does, by ``MatchEnded`` and ``SeedRevealed`` (or it
never starts: ``GameCancelled``), so that rooms and every other reader of results need nothing new for it. It has one
audience, ``public``: what is hidden, cards face down and the order of the stock, is hidden from the player too.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from .cardgames import AbandonGame, GameCancelled, IdleTimeout, MatchEnded, MatchResult, SeedRevealed, StopMatch
from .cards import Card
from .games import SettingValue
from .rooms import SeatOccupant

# ---------------------------------------------------------------- events: stored for ever; a change is a new version


class SolitaireStarted(Struct, frozen=True):
    """First event. ``seed`` (32 bytes, hex) and ``deck`` are secret until ``SeedRevealed``."""

    at: int
    commitment: str
    """SHA-256 of ``circolo-1|<game id>|<seed hex>``, hex."""
    deck: list[Card]
    """The whole deck from the top: shuffle 1 of the seed."""
    game: str
    game_id: str
    game_no: int
    opened: list[Card]
    """What lies face up from the start: the pyramid's last row, or one card for each column (an ace of them goes to
    its base at once)."""
    player: str
    room: str
    seed: str
    settings: dict[str, SettingValue]


class CardsRemoved(Struct, frozen=True):
    """Piramide: a king, or two cards that make ten."""

    at: int
    cards: list[Card]
    revealed: list[Card]
    """The cards that this uncovered, from the top row down and from left to right; nobody knew them before."""


class CardMoved(Struct, frozen=True):
    """Anonimo: the last card of a column, or the top one of the waste."""

    at: int
    card: Card
    to: int | UnsetType = UNSET
    """The column, 0 to 3; absent: the base of its suit."""


class StockTurned(Struct, frozen=True):
    """The top card of the stock lies face up on the waste."""

    at: int
    card: Card
    to_base: bool | UnsetType = UNSET
    """True for an ace in the anonimo, which went to its base by itself; else absent."""


class WasteTurned(Struct, frozen=True):
    """The stock was gone: the waste is the stock again, what was turned first on top."""

    at: int
    redeals_left: int


SolitaireEvent = (
    SolitaireStarted | CardsRemoved | CardMoved | StockTurned | WasteTurned | MatchEnded | SeedRevealed | GameCancelled
)

# ---------------------------------------------------------------- commands


class StartSolitaire(Struct, frozen=True):
    """From cardgames' own reaction to ``GameRequested``."""

    game: str
    game_no: int
    room: str
    seats: list[SeatOccupant]
    settings: dict[str, SettingValue]


class RemoveCards(Struct, frozen=True):
    """Piramide: one king, or two cards that make ten, in any order."""

    cards: list[Card]


class MoveCard(Struct, frozen=True):
    """Anonimo. ``to`` as in ``CardMoved``."""

    card: Card
    to: int | UnsetType = UNSET


class TurnStock(Struct, frozen=True):
    """The next card of the stock; when the stock is gone, the waste is turned over."""


SolitaireCommand = StartSolitaire | RemoveCards | MoveCard | TurnStock | AbandonGame | StopMatch | IdleTimeout

# ---------------------------------------------------------------- the view


class PyramidPlace(Struct, frozen=True):
    """One of the 28 places. COVERED: face down; FREE: face up, may be removed; EMPTY: its card is gone."""

    state: Literal["COVERED", "FREE", "EMPTY"]
    card: Card | UnsetType = UNSET
    """Only of a FREE place."""


class Base(Struct, frozen=True):
    """Anonimo: one suit from the ace up."""

    count: int
    """Cards on it, 0 to 10: also the rank of the top one."""
    suit: str
    """Its letter."""


class SolitaireMove(Struct, frozen=True):
    """Something that may be done now.

    REMOVE ``cards`` (one or two); MOVE ``cards`` (one) to the column ``to``, or to its base when ``to`` is absent;
    TURN the stock's next card, or the waste when ``stock_count`` is 0.
    """

    kind: Literal["REMOVE", "MOVE", "TURN"]
    cards: list[Card] = []
    to: int | UnsetType = UNSET


class SolitaireView(Struct, frozen=True):
    """The patience as everybody sees it: an anonimo has no ``pyramid``, a piramide no ``columns`` and ``bases``."""

    bases: list[Base]
    """In the order of ``SUITS``."""
    columns: list[list[Card]]
    """Each from the first card laid to the last, which is the one that may be moved."""
    commitment: str
    game: str
    game_id: str
    legal_moves: list[SolitaireMove]
    """The player's; empty when it is over."""
    player: str
    """Empty for a game that never started."""
    pyramid: list[list[PyramidPlace]]
    """Row by row from the top, row r of r places."""
    redeals_left: int
    """How often the waste may still be turned over."""
    removed_count: int
    """Cards out of play: removed from the pyramid and the waste, or lying on the bases."""
    room: str
    settings: dict[str, SettingValue]
    started_at: int
    status: Literal["RUNNING", "ENDED"]
    stock_count: int
    version: int
    waste: list[Card]
    """Its last two cards at most, the top one last."""
    waste_count: int
    result: MatchResult | UnsetType = UNSET
    seed: str | UnsetType = UNSET
    """After the end."""


class SolitaireHappening(Struct, frozen=True):
    """One thing that happened: ``kind`` is the event type.

    ``cards``: what was removed, moved or turned, and of ``SolitaireStarted`` what lies open; ``revealed`` what that
    uncovered. ``to``: the column. ``to_base``: to the base of its suit, of a card moved or an ace turned.
    """

    at_version: int
    kind: str
    cards: list[Card] | UnsetType = UNSET
    revealed: list[Card] | UnsetType = UNSET
    to: int | UnsetType = UNSET
    to_base: bool | UnsetType = UNSET
