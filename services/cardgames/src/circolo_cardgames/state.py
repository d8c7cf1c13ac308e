"""A match with everything that is hidden: what its events fold into."""

from __future__ import annotations

from circolo_contracts.cardgames import DealScore, MatchResult
from circolo_contracts.games import SettingValue
from circolo_contracts.rooms import SeatOccupant
from msgspec import UNSET, Struct, field

from .games.deal import NOBODY, Deal
from .games.rules import CardRules

TURN_GRACE_MS = 150
"""After the due time, before the turn is closed: a card stamped in time may still be on its way."""
IDLE_MS = 24 * 60 * 60 * 1000
IDLE_GRAIN_MS = 60_000
"""The idle deadline moves at most once a minute, so that a card costs no deadline row of its own; it is armed this much
later, so that it never fires before 24 hours without a card."""


class MatchState(Struct, frozen=True, gc=False):
    """``version`` 0: there is no such match (yet)."""

    version: int = 0
    commitment: str = ""
    deal: Deal | None = None
    """The present deal, or the last one when the match is over."""
    deal_no: int = 0
    dealer: int = 0
    deals: tuple[DealScore, ...] = ()
    """The complete ones."""
    game: str = ""
    game_id: str = ""
    game_no: int = 0
    game_rules: CardRules | None = None
    """The game under this match's settings; None only for a match that never started."""
    idle_at: int = 0
    """From when 24 hours are counted; the event of ``idle_version`` set it."""
    idle_version: int = 0
    ranked: bool = False
    result: MatchResult | None = None
    revealed: bool = False
    room: str = ""
    score: tuple[int, ...] = ()
    """By team: games won, or points."""
    seats: tuple[SeatOccupant, ...] = ()
    seed: str = ""
    settings: dict[str, SettingValue] = field(default_factory=dict)
    shuffle_no: int = 0
    started_at: int = 0
    teams: tuple[int, ...] = ()
    """Of each seat."""
    turn_at: int = 0
    """When the present turn opened, ms since 1970."""
    turn_version: int = 0
    """The version of the event that opened the present turn."""
    voided: bool = False
    """The present deal counts for nothing: it is dealt again."""

    @property
    def rules(self) -> CardRules:
        assert self.game_rules is not None
        return self.game_rules

    @property
    def is_running(self) -> bool:
        return self.version > 0 and self.result is None

    @property
    def turn(self) -> int:
        """The seat on turn, or ``NOBODY``."""
        return NOBODY if self.deal is None or self.result is not None else self.deal.turn

    @property
    def sides(self) -> int:
        return max(self.teams) + 1

    @property
    def turn_due(self) -> int | None:
        """When the time of the person on turn is over; None without a clock, and for a CPU."""
        seconds, turn = self.settings.get("clockSeconds"), self.turn
        if not seconds or turn == NOBODY or self.is_cpu(turn):
            return None
        return self.turn_at + int(seconds) * 1000

    def is_cpu(self, seat: int) -> bool:
        return self.seats[seat].cpu is not UNSET

    def seat_of(self, player: str) -> int | None:
        for seat, who in enumerate(self.seats):
            if player and who.player == player:
                return seat
        return None

    def on_turn(self) -> Deal:
        """The deal of a running match."""
        assert self.deal is not None
        return self.deal
