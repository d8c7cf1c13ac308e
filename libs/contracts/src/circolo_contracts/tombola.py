"""The language of the tombola: one game of a room, its tickets, its calls and its prizes.

A stream ``tombola-<game id>`` is one game. It ends as a match does, by ``MatchEnded`` and ``SeedRevealed`` (or it never
starts: ``GameCancelled``), so that rooms and every other reader of results need nothing new for it. After the end those
who share a prize that is already won may still claim it, until the room plays another game (``GameSuperseded``).

What a seat has marked on its ticket is a stream of its own, ``marks-<uuid5(game id, seat)>``, so that nobody else can
tell from the game's version that somebody has marked something.

A ticket is three rows of five numbers in ascending order. Its columns need not be stored: ``column_of`` says where a
number is printed, and a column's blanks are whatever is left.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from .cardgames import GameCancelled, IdleTimeout, MatchEnded, MatchResult, SeedRevealed, StopMatch
from .evening import GameSuperseded, SupersedeGame
from .games import SettingValue
from .rooms import SeatOccupant

Prize = Literal["AMBO", "TERNO", "QUATERNA", "CINQUINA", "TOMBOLA"]
"""2, 3, 4 or 5 drawn numbers on one row; all 15 of the ticket."""
PRIZES: tuple[Prize, ...] = ("AMBO", "TERNO", "QUATERNA", "CINQUINA", "TOMBOLA")
Calling = Literal["MANUAL", "AUTOMATIC"]
PauseReason = Literal["HOST", "HOST_DISCONNECTED"]
"""HOST_DISCONNECTED: nobody holds a connection for the host, or the host has left. Only the host resumes."""

NUMBERS = 90
COLUMNS = 9
CALL_EVERY_MIN, CALL_EVERY_MAX = 3, 30
"""Seconds between automatic calls."""


def column_of(number: int) -> int:
    """Where a ticket shows it: 1 to 9 in column 0, then by tens, 80 to 90 in column 8."""
    return min(number // 10, COLUMNS - 1)


# ---------------------------------------------------------------- events: stored for ever; a change is a new version


class TombolaStarted(Struct, frozen=True):
    """First event. ``seed`` (32 bytes, hex), ``draws`` and ``tickets`` are secret until ``SeedRevealed``."""

    at: int
    commitment: str
    """SHA-256 of ``circolo-1|<game id>|<seed hex>``, hex."""
    draws: list[int]
    """All 90 numbers in the order in which they will be called: shuffle ``draws|1`` of the seed."""
    game: str
    game_id: str
    game_no: int
    host: str
    room: str
    seats: list[SeatOccupant]
    """Index = seat; an empty seat has neither player nor CPU, and no ticket."""
    seed: str
    settings: dict[str, SettingValue]
    tickets: list[list[list[int]]]
    """By seat: three rows of five; no rows for an empty seat."""


class NumberDrawn(Struct, frozen=True):
    at: int
    number: int
    seq: int
    """From 1 to 90 within the game."""
    automatic: bool = False
    """The clock called it, not the host."""


class PrizeAwarded(Struct, frozen=True):
    """An accepted claim. The first one for a prize fixes its ``winning_draw``; under SHARED_DRAW others may follow."""

    at: int
    numbers: list[int]
    """The winning row, or for the tombola the whole ticket, in ascending order: public from here on."""
    prize: Prize
    seat: int
    winning_draw: int
    """The ``seq`` of the draw that completed the prize on the first winner's ticket."""
    row: int | UnsetType = UNSET
    """0 to 2 from the top; absent for the tombola."""


class CallingChanged(Struct, frozen=True):
    at: int
    calling: Calling
    every_seconds: int


class CallingPaused(Struct, frozen=True):
    at: int
    reason: PauseReason


class CallingResumed(Struct, frozen=True):
    """The next automatic call comes a whole interval later."""

    at: int


class CallerChanged(Struct, frozen=True):
    """The room has another host, who calls from here on."""

    at: int
    player: str


class MarkSet(Struct, frozen=True):
    """In ``marks-<uuid5(game id, seat)>``: a number of its ticket was marked, or unmarked (secret)."""

    at: int
    game_id: str
    marked: bool
    number: int
    player: str
    seat: int


TombolaEvent = (
    TombolaStarted
    | NumberDrawn
    | PrizeAwarded
    | CallingChanged
    | CallingPaused
    | CallingResumed
    | CallerChanged
    | MatchEnded
    | SeedRevealed
    | GameCancelled
    | GameSuperseded
)
MarksEvent = MarkSet

# ---------------------------------------------------------------- commands


class StartTombola(Struct, frozen=True):
    """From tombola's own reaction to ``GameRequested``."""

    game: str
    game_no: int
    host: str
    room: str
    seats: list[SeatOccupant]
    settings: dict[str, SettingValue]


class DrawNumber(Struct, frozen=True):
    """By the host, when he calls the numbers himself. Stale when a number was drawn since the expected version."""


class MarkNumber(Struct, frozen=True):
    """By who has a ticket, drawn or not. Sent to the game's stream; the game's version does not change by it."""

    marked: bool
    number: int


class ClaimPrize(Struct, frozen=True):
    """Judged by the numbers drawn, never by marks."""

    prize: Prize


class ClaimAll(Struct, frozen=True):
    """Every prize that the ticket is entitled to now, from the ambo to the tombola, in one go."""


class SetCalling(Struct, frozen=True):
    """By the host, at any time; the next automatic call comes a whole interval later."""

    mode: Calling
    every_seconds: int | UnsetType = UNSET
    """3 to 30; absent: as before."""


class PauseCalling(Struct, frozen=True):
    """By the host; nothing is drawn until ``ResumeCalling``."""


class ResumeCalling(Struct, frozen=True):
    pass


class CallNumber(Struct, frozen=True):
    """The ``call`` deadline came due."""

    version: int


class HostAway(Struct, frozen=True):
    """From tombola's own reaction: nobody holds a connection for this player, or he has left the room."""

    player: str


class ChangeHost(Struct, frozen=True):
    """From tombola's own reaction to ``HostChanged``."""

    away: bool
    player: str


class SetMark(Struct, frozen=True):
    """To a seat's marks: ``MarkNumber`` after its ticket was looked up."""

    game_id: str
    marked: bool
    number: int
    seat: int


TombolaCommand = (
    StartTombola
    | DrawNumber
    | ClaimPrize
    | ClaimAll
    | SetCalling
    | PauseCalling
    | ResumeCalling
    | CallNumber
    | HostAway
    | ChangeHost
    | SupersedeGame
    | StopMatch
    | IdleTimeout
)

# ---------------------------------------------------------------- views


class PrizeWinner(Struct, frozen=True):
    numbers: list[int]
    """As in ``PrizeAwarded``."""
    seat: int
    row: int | UnsetType = UNSET


class PrizeState(Struct, frozen=True):
    prize: Prize
    winners: list[PrizeWinner]
    """In the order of their accepted claims; empty: still to be won."""
    winning_draw: int | UnsetType = UNSET
    """``seq`` of the draw; absent until somebody has won it."""


class TombolaSeat(Struct, frozen=True):
    """Somebody with a ticket, as everybody sees him. Empty seats are not listed."""

    player: str
    seat: int


class TombolaView(Struct, frozen=True):
    """The game as one audience may see it. ``seat``, ``ticket`` and the marks are a seat's own, else absent."""

    called: list[int]
    """In the order of their calling; the last one is on the board now."""
    calling: Calling
    commitment: str
    every_seconds: int
    game: str
    game_id: str
    host: str
    prizes: list[PrizeState]
    """All five, from the ambo to the tombola."""
    room: str
    seats: list[TombolaSeat]
    settings: dict[str, SettingValue]
    """As the game started; ``calling`` and ``every_seconds`` say how it goes on now."""
    started_at: int
    status: Literal["RUNNING", "ENDED"]
    superseded: bool
    """The room plays another game: nothing can be claimed here any more."""
    version: int
    deadline: int | UnsetType = UNSET
    """When the next automatic call is due, ms since 1970."""
    marks: list[int] | UnsetType = UNSET
    """Of the seat's own ticket, ascending."""
    marks_version: int | UnsetType = UNSET
    """Grows with each change of the marks. A view with a lower one has older marks, whatever its ``version``."""
    paused: PauseReason | UnsetType = UNSET
    """Absent: not paused."""
    result: MatchResult | UnsetType = UNSET
    """``winner`` is the seat of the first tombola."""
    seat: int | UnsetType = UNSET
    seed: str | UnsetType = UNSET
    """After the end."""
    ticket: list[list[int]] | UnsetType = UNSET
    """Three rows of five."""


class TombolaHappening(Struct, frozen=True):
    """One thing that happened in a tombola: ``kind`` is the event type. The same for everybody."""

    at_version: int
    kind: str
    calling: Calling | UnsetType = UNSET
    every_seconds: int | UnsetType = UNSET
    number: int | UnsetType = UNSET
    numbers: list[int] | UnsetType = UNSET
    player: str | UnsetType = UNSET
    """The new host."""
    prize: Prize | UnsetType = UNSET
    reason: PauseReason | UnsetType = UNSET
    row: int | UnsetType = UNSET
    seat: int | UnsetType = UNSET
    seq: int | UnsetType = UNSET
    winning_draw: int | UnsetType = UNSET
