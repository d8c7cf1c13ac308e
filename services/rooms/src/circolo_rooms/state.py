"""What a room is, between two events."""

from __future__ import annotations

from collections.abc import Iterator

from circolo_contracts.games import CATALOGUE, GameDescriptor, SettingValue
from circolo_contracts.ids import stream_of
from circolo_contracts.rooms import Phase, SeatOccupant, Visibility
from circolo_events.decider import Deadline
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace


class Member(Struct, frozen=True):
    """A person in the room. ``spectator``: entered only to watch; a member who lost his seat is none."""

    player: str
    connected: bool = False
    spectator: bool = False


class Ballot(Struct, frozen=True):
    """One vote for putting ``target`` out of the running game."""

    target: str
    voter: str


class Invitation(Struct, frozen=True):
    """To a rematch. ``accepted``: people, in the order of accepting."""

    offered_by: str
    accepted: tuple[str, ...] = ()


class RoomState(Struct, frozen=True):
    """``seats[i]`` is who sits there. A seat may be kept for a person who left a running game: he is no member then."""

    version: int = 0
    room: str = ""
    code: str = ""
    created_at: int = 0
    visibility: Visibility = "PUBLIC"
    ranked: bool = False
    phase: Phase = "LOBBY"
    game: str = ""
    settings: dict[str, SettingValue] = {}
    host: str = ""
    members: tuple[Member, ...] = ()
    """In the order of coming."""
    seats: tuple[SeatOccupant | None, ...] = ()
    game_no: int = 0
    game_id: str = ""
    """The running game, else the last one; empty before the first."""
    latest_game: str = ""
    """The kind of ``game_id``'s game; ``game`` is what will be played next."""
    stopping: bool = False
    """The host has ended the running game; its service has not said so yet."""
    ballots: tuple[Ballot, ...] = ()
    """In the running game, in the order of voting."""
    expelled: str = ""
    """Who was voted out of the running game; its service has not said so yet."""
    again: bool = False
    """The last game may be played again: the table is as it was when it ended."""
    invitation: Invitation | None = None
    """To a rematch of it."""
    next_dealer: int | None = None
    """Carried from the last game; forgotten when the number of seats changes."""
    totals: tuple[int, ...] = ()
    """By team, of the evening's games that add up; empty before the first, forgotten with another number of teams."""
    expiry: Deadline | None = None

    @property
    def descriptor(self) -> GameDescriptor:
        return CATALOGUE[self.game]

    @property
    def during(self) -> str | UnsetType:
        """The stream of the party game that is on."""
        return self.party if self.phase == "PLAYING" else UNSET

    @property
    def party(self) -> str | UnsetType:
        """The stream of the running game, else of the last one, when it is a party game."""
        game = CATALOGUE.get(self.latest_game)
        return stream_of(game.stream_kind, self.game_id) if game is not None and game.is_party else UNSET

    def member(self, player: str) -> Member | None:
        return next((m for m in self.members if m.player == player), None)

    def seat_of(self, player: str) -> int | None:
        return next((i for i, s in enumerate(self.seats) if s is not None and s.player == player), None)

    @property
    def people(self) -> list[str]:
        """Who sits, in the order of the seats; no CPU."""
        return [seat.player for seat in self.seats if seat is not None and seat.player is not UNSET]

    def free_seats(self) -> Iterator[int]:
        return (i for i, s in enumerate(self.seats) if s is None)

    def team_of(self, seat: int) -> int:
        return self.descriptor.team_of(seat, self.settings)

    # ------------------------------------------------------------ changes that several events share

    def with_member(self, member: Member) -> RoomState:
        """The member in his place, or last when he is new."""
        if self.member(member.player) is None:
            return replace(self, members=(*self.members, member))
        return replace(self, members=tuple(member if m.player == member.player else m for m in self.members))

    def without_member(self, player: str) -> RoomState:
        return replace(self, members=tuple(m for m in self.members if m.player != player))

    def with_seat(self, seat: int, occupant: SeatOccupant | None) -> RoomState:
        return replace(self, seats=(*self.seats[:seat], occupant, *self.seats[seat + 1 :]))

    def standing(self, player: str) -> RoomState:
        """Nobody's seat is lost but his."""
        seat = self.seat_of(player)
        return self if seat is None else self.with_seat(seat, None)

    def sitting(self, player: str, seat: int) -> RoomState:
        """At that seat and at no other; who sits is no spectator."""
        moved = self.standing(player).with_seat(seat, SeatOccupant(player=player))
        member = moved.member(player)
        return moved if member is None else moved.with_member(replace(member, spectator=False))
