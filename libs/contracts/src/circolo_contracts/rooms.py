"""The language of rooms: players and rooms."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from .direction import Role, StandingEvent
from .expulsion import ExpulsionDecided, ExpulsionVoted, ExpulsionVotes
from .games import SettingValue
from .rematch import RematchAccepted, RematchOffered, RematchView, RematchWithdrawn

Visibility = Literal["PUBLIC", "PRIVATE"]
Phase = Literal["LOBBY", "PLAYING", "CLOSED"]
CloseReason = Literal["EMPTY", "EXPIRED", "IDLE_GAME"]
CpuLevel = Literal["EASY", "MEDIUM", "HARD"]
AbandonReason = Literal["LEFT", "TIMEOUT", "EXPELLED"]
"""Why a seat counts as having abandoned the game: its player left, his clock ran out, or the others put him out."""

# ---------------------------------------------------------------- events: stored for ever; a change is a new version


class PlayerRegistered(Struct, frozen=True):
    """First event of ``player-<id>``. The name is in an erasable table; this is HMAC-SHA-256(salt, name), hex."""

    at: int
    name_digest: str
    player: str
    """The id of the stream, so that a fold alone knows whose it is."""


class PlayerRenamed(Struct, frozen=True):
    name_digest: str


class RoomCreated(Struct, frozen=True):
    """The host sits down at seat 0 by this event."""

    at: int
    code: str
    game: str
    host: str
    room: str
    """The id of the stream, so that a fold alone knows which room it is."""
    settings: dict[str, SettingValue]
    visibility: Visibility
    ranked: bool | UnsetType = UNSET
    """True for good, or absent."""


class PlayerJoined(Struct, frozen=True):
    at: int
    player: str
    seat: int | UnsetType = UNSET
    """Absent for a spectator, who entered by the code and takes no seat."""


class PlayerLeft(Struct, frozen=True):
    """``keeps_seat``: in a friendly game the seat waits for its player (document 000)."""

    at: int
    keeps_seat: bool
    player: str
    during: str | UnsetType = UNSET
    """The stream of the party game that is on in the room; else absent."""
    game_id: str | UnsetType = UNSET
    """The ranked game that he abandons by leaving its table; absent when no game is lost by it."""


class SeatTaken(Struct, frozen=True):
    """A member moved to a free seat; the seat he had before is free."""

    at: int
    player: str
    seat: int


class CpuSeated(Struct, frozen=True):
    at: int
    level: CpuLevel
    seat: int


class CpuRemoved(Struct, frozen=True):
    at: int
    seat: int


class HostChanged(Struct, frozen=True):
    at: int
    player: str
    away: bool | UnsetType = UNSET
    """True when the new host has no live connection; told only with ``during``."""
    during: str | UnsetType = UNSET
    """The stream of the party game that is on in the room; else absent."""


class SettingsChanged(Struct, frozen=True):
    """Whole new settings. Those who sat beyond the new last seat stand (members without a seat)."""

    at: int
    game: str
    settings: dict[str, SettingValue]


class PlayerConnected(Struct, frozen=True):
    at: int
    player: str
    during: str | UnsetType = UNSET
    """The stream of the party game that is on in the room; else absent."""


class PlayerDisconnected(Struct, frozen=True):
    at: int
    player: str
    during: str | UnsetType = UNSET
    """The stream of the party game that is on in the room; else absent."""


class SeatOccupant(Struct, frozen=True):
    """A CPU or a person; neither is an empty seat among those of a party game."""

    cpu: CpuLevel | UnsetType = UNSET
    player: str | UnsetType = UNSET


class GameRequested(Struct, frozen=True):
    """The game service reacts to this and starts ``<stream kind>-<game_id>``."""

    at: int
    game: str
    game_id: str
    game_no: int
    """From 1 within the room."""
    seats: list[SeatOccupant]
    """In play order; index = seat. An empty seat of a party game (``GameDescriptor.least_people``) has neither."""
    settings: dict[str, SettingValue]
    away: list[str] | UnsetType = UNSET
    """Who sits and has no live connection now; absent when there is nobody to name."""
    dealer: int | UnsetType = UNSET
    """The first dealer when the evening carries one; absent: the match draws him."""
    host: str | UnsetType = UNSET
    """Only for party games, which a host conducts."""
    previous: str | UnsetType = UNSET
    """The stream of the room's game before, when that was a party game: with this one it is over for good."""
    ranked: bool | UnsetType = UNSET
    """True, or absent."""
    totals: list[int] | UnsetType = UNSET
    """By team: what this evening's earlier games came to, for games that add to it; absent: nothing yet."""


class GameStopRequested(Struct, frozen=True):
    """The host ends the game for everybody, without a winner."""

    at: int
    game_id: str
    player: str
    game: str | UnsetType = UNSET
    """Its kind; absent in events from before there were kinds of streams to choose between."""


class GameFinished(Struct, frozen=True):
    """Back to the lobby. ``outcome`` as in the match's result."""

    at: int
    game_id: str
    outcome: str
    next_dealer: int | UnsetType = UNSET
    totals: list[int] | UnsetType = UNSET
    """By team: what the evening carries from here on, after games that add to it."""


class RoomClosed(Struct, frozen=True):
    """``code`` is free again after this."""

    at: int
    code: str
    reason: CloseReason


PlayerEvent = PlayerRegistered | PlayerRenamed | StandingEvent
RoomEvent = (
    RoomCreated | PlayerJoined | PlayerLeft | SeatTaken | CpuSeated | CpuRemoved | HostChanged | SettingsChanged
    | PlayerConnected | PlayerDisconnected | GameRequested | GameStopRequested | GameFinished | RoomClosed
    | ExpulsionVoted | ExpulsionDecided | RematchOffered | RematchAccepted | RematchWithdrawn
)  # fmt: skip

# ---------------------------------------------------------------- commands (the key is the command's ``type``)


class SignInAsGuest(Struct, frozen=True):
    """To ``player-<new id>``; the answer's ``extra`` is a ``Token``."""

    name: str


class RefreshToken(Struct, frozen=True):
    """The answer's ``extra`` is a ``Token``; nothing is stored."""


class RenamePlayer(Struct, frozen=True):
    name: str


class CreateRoom(Struct, frozen=True):
    """To ``room-<uuid5(player, key)>``. ``ranked``: settings as ``games.ranked_settings`` has them, people only."""

    game: str
    settings: dict[str, SettingValue]
    visibility: Visibility
    ranked: bool = False


class JoinRoom(Struct, frozen=True):
    """To ``code-<CODE>``: rooms looks up which room it leads to. The answer is the room's."""

    watch: bool = False
    """As a spectator: no seat, also while a game is on."""


class LeaveRoom(Struct, frozen=True):
    pass


class TakeSeat(Struct, frozen=True):
    seat: int


class AssignTeam(Struct, frozen=True):
    """The player goes to the lowest free seat of that team: oneself, or anybody by the host."""

    player: str
    team: int


class AddCpu(Struct, frozen=True):
    level: CpuLevel
    seat: int


class RemoveCpu(Struct, frozen=True):
    seat: int


class ChangeSettings(Struct, frozen=True):
    """By the host, in the lobby. Settings that are not named keep their value if the game stays, else the default."""

    game: str
    settings: dict[str, SettingValue]


class HandOverHost(Struct, frozen=True):
    player: str


class StartGame(Struct, frozen=True):
    """By the host; ``RoomView.game_id`` in the answer is the new game."""


class EndGame(Struct, frozen=True):
    pass


class HoldPresence(Struct, frozen=True):
    """From a gateway (actor service): this player has a live subscription to this room there.

    Sent when the first socket opens; ``RenewPresence`` renews it.
    """

    gateway: str
    player: str


class RenewPresence(Struct, frozen=True):
    """From a gateway, to ``presence-<gateway>``: these players (by room) are still there.

    Sent every third of ``PRESENCE_LEASE_MS``, for at most ``RENEWED_AT_ONCE`` players at a time.
    """

    gateway: str
    players: dict[str, list[str]]


class DropPresence(Struct, frozen=True):
    """From a gateway: the player's last socket to this room closed there."""

    gateway: str
    player: str


class FinishGame(Struct, frozen=True):
    """From rooms' own reaction to a game's result; ``idle``: nobody played for 24 hours, the room closes.

    ``next_dealer`` may be one past the last seat: the room counts it round its table.
    """

    game_id: str
    idle: bool
    outcome: str
    abandoned_by: int | UnsetType = UNSET
    """The seat, for an abandoned game, and why."""
    next_dealer: int | UnsetType = UNSET
    reason: AbandonReason | UnsetType = UNSET
    totals: list[int] | UnsetType = UNSET
    """By team, as in ``MatchEnded``."""


class MarkConnected(Struct, frozen=True):
    """From rooms' lease keeper; a member only."""

    player: str


class MarkDisconnected(Struct, frozen=True):
    player: str


PRESENCE_LEASE_MS = 15_000
"""How long a gateway's word that somebody is there holds."""
RENEWED_AT_ONCE = 256
"""Players in one ``RenewPresence``."""

# ---------------------------------------------------------------- views and what happened


class PlayerView(Struct, frozen=True):
    """What all may know of a player; the rest is for himself (audience ``seat-0``). His name is in rooms' profiles."""

    player: str
    version: int
    banned_until: int | UnsetType = UNSET
    """Ranked tables and chats are closed to him till then (ms since 1970); maybe past, as ``muted_until`` may be."""
    erased: bool = False
    muted_until: int | UnsetType = UNSET
    roles: list[Role] = []
    warnings: int | UnsetType = UNSET
    """How many he ever had."""


class Token(Struct, frozen=True):
    """An EdDSA JWT; ``expires_at`` in ms since 1970."""

    expires_at: int
    token: str


class SeatView(Struct, frozen=True):
    seat: int
    team: int
    cpu: CpuLevel | UnsetType = UNSET
    player: str | UnsetType = UNSET


class MemberView(Struct, frozen=True):
    """A person in the room, in the order of coming. Spectators who entered by the code are members without a seat."""

    connected: bool
    player: str
    spectator: bool


class RoomView(Struct, frozen=True):
    """What members see; the same for everybody who may see the room (there is one audience, ``public``)."""

    code: str
    created_at: int
    game: str
    game_no: int
    host: str
    members: list[MemberView]
    phase: Phase
    room: str
    seats: list[SeatView]
    settings: dict[str, SettingValue]
    version: int
    visibility: Visibility
    expires_at: int | UnsetType = UNSET
    """When the room closes if nothing happens; absent while a game is on or when closed."""
    game_id: str | UnsetType = UNSET
    """The running game, else the last one."""
    latest_game: str | UnsetType = UNSET
    """Its kind; ``game`` is what will be played next, which may be another one by now."""
    ranked: bool = False
    rematch: RematchView | UnsetType = UNSET
    """The open invitation."""
    votes: list[ExpulsionVotes] = []
    """By target, in the order of the first vote against each; empty when nobody votes."""


class RoomHappening(Struct, frozen=True):
    """One thing that happened in a room. ``kind`` is the event's type name."""

    at_version: int
    kind: str
    in_favour: bool | UnsetType = UNSET
    player: str | UnsetType = UNSET
    seat: int | UnsetType = UNSET
    voter: str | UnsetType = UNSET
