"""The language of the card games: the match and what its viewers see. One deal at a time, cards as ``7D``."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from .cards import Card
from .games import SettingValue
from .rooms import AbandonReason, SeatOccupant

Outcome = Literal["WON", "TIED", "ABANDONED", "STOPPED", "IDLE", "CANCELLED", "BLOCKED"]
"""How a match ended. STOPPED: the host ended it; IDLE: nobody played for 24 hours; CANCELLED: it never started;
BLOCKED: a patience that did not come out."""

# ---------------------------------------------------------------- parts of events and views


class Declaration(Struct, frozen=True, gc=False):
    """Cards of a hand that count when they are announced (accusa). What is absent does not apply.

    NAPOLETANA: ace, two and three of ``suit``. BUONGIOCO: three or four aces, twos or threes (``rank``); of three,
    ``suit`` is the one that is missing.
    """

    kind: Literal["NAPOLETANA", "BUONGIOCO"]
    points: int
    rank: int | UnsetType = UNSET
    suit: str | UnsetType = UNSET


class Category(Struct, frozen=True, gc=False):
    """One line of a deal's score sheet."""

    name: str
    """In the field's words, upper case: CARDS, COINS, SETTEBELLO, PRIMIERA, SWEEPS, CARD_POINTS, DECLARATIONS,
    CAPPOTTO, ..."""
    points: list[int]
    """By team."""
    amounts: list[int] | UnsetType = UNSET
    """By team, what was compared: cards, coins, the primiera's sum (0 when incomplete), thirds."""


# ---------------------------------------------------------------- events: stored for ever; a change is a new version


class MatchStarted(Struct, frozen=True, gc=False):
    """First event. ``seed`` (32 bytes, hex) is secret until ``SeedRevealed``; its commitment is public at once."""

    at: int
    commitment: str
    """SHA-256 of ``circolo-1|<game id>|<seed hex>``, hex."""
    dealer: int
    game: str
    game_id: str
    game_no: int
    room: str
    seats: list[SeatOccupant]
    seed: str
    settings: dict[str, SettingValue]
    ranked: bool | UnsetType = UNSET
    """True for a match that counts (brilli, percentages, standings), or absent."""


class DealStarted(Struct, frozen=True, gc=False):
    """``deck`` is the whole shuffled deck from the top (secret); who gets which card follows from it.

    After a ``DealVoided`` the same deal starts anew, by the same dealer, with the next shuffle.
    """

    deal_no: int
    """From 1 within the match; a void deal has no number of its own."""
    dealer: int
    deck: list[Card]
    leader: int
    shuffle_no: int
    """The ``n`` of the seed's ``deal`` purpose: counts every shuffle, void deals included."""


class DealVoided(Struct, frozen=True, gc=False):
    """What was opened makes the deal void (three or four kings on the table); it counts for nothing."""

    deal_no: int
    opened: list[Card]
    shuffle_no: int


class CardPlayed(Struct, frozen=True, gc=False):
    at: int
    card: Card
    seat: int
    automatic: bool = False
    """The clock played it, not the player."""
    captured: list[Card] | UnsetType = UNSET
    """The table cards that it took, in games that capture; absent when it was laid down. Empty: it took nothing and
    still went to its player's own pile, as the last capture (an ace on an empty table, where that is the custom)."""
    sweep: bool | UnsetType = UNSET
    """True for a scopa; else absent."""


class HandsDealt(Struct, frozen=True, gc=False):
    """The next cards within a deal: one block for each seat, the leader's first (secret)."""

    cards: list[Card]
    hand_no: int
    """From 2 within the deal: the first came with it."""


class TableTaken(Struct, frozen=True, gc=False):
    """What is left on the table at the end of a deal goes to who captured last."""

    cards: list[Card]
    seat: int


class Declared(Struct, frozen=True, gc=False):
    """A seat has announced a declaration that its hand holds; the points are the team's at once."""

    at: int
    declaration: Declaration
    seat: int


class TrickEnded(Struct, frozen=True, gc=False):
    """``drawn``: the cards drawn after the trick, the winner's first, then in play order (secret; may be empty)."""

    drawn: list[Card]
    points: int
    """Of the cards that the winner takes with it; in tressette and vinciperdi in thirds of a point, without the point
    that goes with the last trick."""
    trick_no: int
    """From 1 within the deal."""
    winner: int


class DealEnded(Struct, frozen=True, gc=False):
    """``points`` and ``won`` by team. ``won`` is the match's score now: games won, or points."""

    deal_no: int
    points: list[int]
    won: list[int]
    sheet: list[Category] | UnsetType = UNSET
    """What the points are made of, in games that count by categories."""
    winner: int | UnsetType = UNSET
    """The team; absent: a tie."""


class MatchEnded(Struct, frozen=True, gc=False):
    """``room``: where it was played, so that whoever waits for the result needs no other event."""

    at: int
    last_dealer: int
    outcome: Outcome
    room: str
    abandoned_by: int | UnsetType = UNSET
    """The seat, for ABANDONED. The first accepted abandonment closes the match for good."""
    reason: AbandonReason | UnsetType = UNSET
    """Why that seat is out; absent in events from before it was told."""
    totals: list[int] | UnsetType = UNSET
    """By team: what an evening of several games stands at after this one; absent in games that stand alone."""
    winner: int | UnsetType = UNSET
    """The team, for WON; for ABANDONED the other one when there are two."""


class SeedRevealed(Struct, frozen=True, gc=False):
    """Marks that the whole stream may be read by everybody from here on."""

    seed: str


class GameCancelled(Struct, frozen=True, gc=False):
    """First event when the match cannot start."""

    at: int
    game: str
    game_id: str
    reason: str
    """A refusal code's name."""
    room: str


MatchEvent = (
    MatchStarted
    | DealStarted
    | DealVoided
    | CardPlayed
    | HandsDealt
    | Declared
    | TrickEnded
    | TableTaken
    | DealEnded
    | MatchEnded
    | SeedRevealed
    | GameCancelled
)

# ---------------------------------------------------------------- commands


class StartMatch(Struct, frozen=True, gc=False):
    """From cardgames' own reaction to ``GameRequested``."""

    game: str
    game_no: int
    room: str
    seats: list[SeatOccupant]
    settings: dict[str, SettingValue]
    dealer: int | UnsetType = UNSET
    ranked: bool = False
    """People only, settings as ``games.ranked_settings`` has them."""


class PlayCard(Struct, frozen=True, gc=False):
    card: Card
    capture: list[Card] | UnsetType = UNSET
    """Which table cards it takes, in games that have captures."""


class Declare(Struct, frozen=True, gc=False):
    """Announce what the hand holds, on one's own turn and before one's card. See ``Declaration``."""

    kind: Literal["NAPOLETANA", "BUONGIOCO"]
    rank: int | UnsetType = UNSET
    suit: str | UnsetType = UNSET


class AbandonGame(Struct, frozen=True, gc=False):
    pass


class AbandonSeat(Struct, frozen=True, gc=False):
    """From cardgames' own reaction: this player left the ranked table, or the others put him out of the game."""

    player: str
    reason: AbandonReason


class StopMatch(Struct, frozen=True, gc=False):
    """From cardgames' own reaction to ``GameStopRequested``."""


class TurnTimeout(Struct, frozen=True, gc=False):
    """The ``turn`` deadline came due."""

    version: int


class IdleTimeout(Struct, frozen=True, gc=False):
    """The ``idle`` deadline came due: nobody has played for 24 hours."""

    version: int


# ---------------------------------------------------------------- views


class PlayedCard(Struct, frozen=True, gc=False):
    card: Card
    seat: int


class SeatState(Struct, frozen=True, gc=False):
    """What everybody sees of a seat."""

    hand_count: int
    pile_count: int
    """Cards in the seat's own pile; what they are is hidden."""
    seat: int
    team: int
    cpu: str | UnsetType = UNSET
    player: str | UnsetType = UNSET
    sweeps: list[Card] | UnsetType = UNSET
    """The cards that made a scopa in this deal, lying face up in the pile, in games that have sweeps."""


class Declarer(Struct, frozen=True, gc=False):
    """What a seat has declared in this deal."""

    declaration: Declaration
    seat: int


class TablePlay(Struct, frozen=True, gc=False):
    """The last card played in a game that captures, with what it took: nothing, if ``captured`` is empty."""

    captured: list[Card]
    card: Card
    seat: int
    sweep: bool


class LegalMove(Struct, frozen=True, gc=False):
    card: Card
    captures: list[list[Card]] = []
    """Every set of table cards that this card may take, in games that have captures; none when it is laid. An empty
    set: it takes nothing and goes to its player's own pile."""


class DealScore(Struct, frozen=True, gc=False):
    """The score sheet of one deal."""

    deal_no: int
    points: list[int]
    """By team."""
    winner: int | UnsetType = UNSET
    sheet: list[Category] | UnsetType = UNSET


class MatchResult(Struct, frozen=True, gc=False):
    outcome: Outcome
    abandoned_by: int | UnsetType = UNSET
    winner: int | UnsetType = UNSET
    reason: AbandonReason | UnsetType = UNSET


class MatchView(Struct, frozen=True, gc=False):
    """The match as one audience may see it. ``seat``, ``hand`` and ``legal_moves`` are a seat's own, else absent."""

    commitment: str
    deal_no: int
    deals: list[DealScore]
    dealer: int
    game: str
    game_id: str
    room: str
    score: list[int]
    """By team: games won in this match, or its points."""
    seats: list[SeatState]
    settings: dict[str, SettingValue]
    started_at: int
    status: Literal["RUNNING", "ENDED"]
    stock_count: int
    """Cards still to be drawn, the exposed trump included."""
    table: list[Card]
    trick: list[PlayedCard]
    """The cards of the trick in play, in play order; empty right after a trick was won."""
    version: int
    declarable: list[Declaration] | UnsetType = UNSET
    """What the seat on turn may announce before its card; absent when there is nothing."""
    declared: list[Declarer] | UnsetType = UNSET
    """In this deal, in games with declarations."""
    drawn: list[PlayedCard] | UnsetType = UNSET
    """Who drew which card after the last trick, in games that show draws, until the next card is led."""
    deadline: int | UnsetType = UNSET
    """When the clock plays for the seat on turn, ms since 1970; absent without a clock."""
    hand: list[Card] | UnsetType = UNSET
    last_play: TablePlay | UnsetType = UNSET
    last_trick: list[PlayedCard] | UnsetType = UNSET
    last_trick_winner: int | UnsetType = UNSET
    legal_moves: list[LegalMove] | UnsetType = UNSET
    """Only for the seat on turn."""
    ranked: bool = False
    result: MatchResult | UnsetType = UNSET
    seat: int | UnsetType = UNSET
    seed: str | UnsetType = UNSET
    """After the end."""
    trump: str | UnsetType = UNSET
    """The suit letter."""
    trump_card: Card | UnsetType = UNSET
    """The exposed card; its identity stays public after it was drawn."""
    turn: int | UnsetType = UNSET


class GameHappening(Struct, frozen=True, gc=False):
    """One thing that happened in a match, as its viewer may know it: ``kind`` is the event type or ``CardDrawn``.

    There is one ``CardDrawn`` for each card drawn; ``card`` is set only for the seat that drew it, or when everybody
    saw it. ``cards``: what a card captured, what was left on the table, what a void deal opened, and to the seat that
    got them, the next hand.
    """

    at_version: int
    kind: str
    card: Card | UnsetType = UNSET
    cards: list[Card] | UnsetType = UNSET
    declaration: Declaration | UnsetType = UNSET
    points: list[int] | UnsetType = UNSET
    seat: int | UnsetType = UNSET
    sweep: bool | UnsetType = UNSET
    team: int | UnsetType = UNSET
