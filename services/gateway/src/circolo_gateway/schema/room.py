"""Rooms: who sits where, what is played, and what happened."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import msgspec
import strawberry
from circolo_contracts.expulsion import ExpulsionVotes
from circolo_contracts.rematch import RematchView
from circolo_contracts.rooms import MemberView, RoomHappening, RoomView, SeatView
from graphql import FieldNode
from msgspec import UNSET, Raw, UnsetType

from ..streams.places import room_of
from ..streams.update import Update
from ..streams.watch import GameAddress, Requested
from ..transport.raw import made, raw, reads
from .context import Context
from .enums import CpuLevel, GameKind, RoomEventKind, RoomPhase, Visibility, room_event_kind
from .game import Game
from .games import game_type, load_game
from .node import Node, game_at, game_gid, room_gid
from .player import Player, player, player_or_none, players
from .scalars import DateTime, moment
from .settings import GameSettings, shown_settings

_room_view = msgspec.json.Decoder(RoomView).decode
_happening = msgspec.json.Decoder(RoomHappening).decode

_IN_THE_ID = {"id", "kind", "__typename"}
"""Fields of a game that its id already says."""


@strawberry.type
class Seat:
    seat: int
    team: int
    player: Player | None = strawberry.field(description="Null for a CPU and for a free seat.")
    cpu: CpuLevel | None


@strawberry.type(description="A person in the room, in the order of coming.")
class Member:
    player: Player
    connected: bool
    spectator: bool = strawberry.field(description="In the room without a seat, by choice.")


@strawberry.type(description="The vote to put somebody out of the running game: it needs all the others.")
class ExpulsionVote:
    target: Player
    in_favour: list[Player] = strawberry.field(description="In the order of voting.")


@strawberry.type(description="An open invitation to play again. When every seat has accepted, the next game starts.")
class Rematch:
    offered_by: Player
    accepted: list[Player] = strawberry.field(description="In the order of accepting; CPUs accept by themselves.")


@strawberry.type
class Room(Node):
    code: str = strawberry.field(description="Six characters, to come in by.")
    visibility: Visibility
    phase: RoomPhase
    version: int
    host: Player
    members: list[Member]
    seats: list[Seat]
    game_kind: GameKind = strawberry.field(description="What is or will be played.")
    game_no: int = strawberry.field(description="How many games were started here.")
    game_id: strawberry.ID | None = strawberry.field(description="The running game, else the last one.")
    settings: GameSettings
    ranked: bool = strawberry.field(description="Its games count: people only, the settings of ranked tables.")
    votes: list[ExpulsionVote] = strawberry.field(description="By target; empty when nobody votes.")
    rematch: Rematch | None
    created_at: DateTime
    expires_at: DateTime | None = strawberry.field(
        description="When the room closes if nothing happens; null during a game."
    )
    latest: strawberry.Private[str]
    """The kind of ``game_id``'s game."""
    address: strawberry.Private[GameAddress | None]

    @strawberry.field(description="The running game, else the last one, as the viewer may see it.")
    async def game(self, info: strawberry.Info[Context, None]) -> Game | None:
        if self.address is None:
            return None
        game = Requested(self.latest, self.ranked)
        if _selected(info) <= _IN_THE_ID:
            return game_type(self.address.stream).starting(game, self.address)
        return await load_game(info.context, self.address, game if self.phase is RoomPhase.PLAYING else None)


@strawberry.type
class RoomEvent:
    at_version: int
    kind: RoomEventKind
    player: Player | None
    seat: int | None
    voter: Player | None = strawberry.field(description="Of EXPULSION_VOTED; `player` is the one who shall go.")
    in_favour: bool | None = strawberry.field(description="Of EXPULSION_VOTED; false: the vote was taken back.")


@strawberry.type(description="A step of a room: everything that happened since the last one, and how it looks now.")
class RoomUpdate:
    version: int
    reset: bool = strawberry.field(description="`happened` is not complete: take `room` as it is.")
    update: strawberry.Private[Update]
    rendered: strawberry.Private[dict[object, bytes]]
    """The update's, shared by its subscribers."""

    @strawberry.field(metadata=raw("update.happened", RoomEvent))
    def happened(self) -> list[RoomEvent]:
        return [_event(told) for told in self.update.happened]

    @strawberry.field(metadata=raw("update.view", Room))
    def room(self) -> Room:
        return shown_room(room_of(self.update))


def _selected(info: strawberry.Info[Context, None]) -> set[str]:
    """Names of the plain fields under this one; a fragment counts as something else."""
    names: set[str] = set()
    for node in info._raw_info.field_nodes:
        for selection in node.selection_set.selections if node.selection_set else ():
            names.add(selection.name.value if isinstance(selection, FieldNode) else "...")
    return names


# ---------------------------------------------------------------- from the wire


def _latest(kind: str, latest: str | UnsetType) -> str:
    return latest if isinstance(latest, str) else kind


def _game_id(kind: str, latest: str | UnsetType, game: str | UnsetType, room: str) -> strawberry.ID | None:
    return game_gid(_latest(kind, latest), game, room) if isinstance(game, str) else None


def _rematch(view: RematchView | UnsetType) -> Rematch | None:
    if view is UNSET:
        return None
    return Rematch(offered_by=player(view.offered_by), accepted=players(view.accepted))


def room_from(json: Raw) -> Room:
    return shown_room(_room_view(json))


def shown_room(view: RoomView) -> Room:
    latest = _latest(view.game, view.latest_game)
    return Room(
        id=room_gid(view.room),
        code=view.code,
        visibility=Visibility(view.visibility),
        phase=RoomPhase(view.phase),
        version=view.version,
        host=player(view.host),
        members=[
            Member(player=player(each.player), connected=each.connected, spectator=each.spectator)
            for each in view.members
        ],
        seats=[
            Seat(
                seat=seat.seat,
                team=seat.team,
                player=player_or_none(seat.player),
                cpu=None if seat.cpu is UNSET else CpuLevel(seat.cpu),
            )
            for seat in view.seats
        ],
        game_kind=GameKind(view.game),
        game_no=view.game_no,
        game_id=_game_id(view.game, view.latest_game, view.game_id, view.room),
        settings=shown_settings(view.game, view.settings),
        ranked=view.ranked,
        votes=[ExpulsionVote(target=player(vote.target), in_favour=players(vote.in_favour)) for vote in view.votes],
        rematch=_rematch(view.rematch),
        created_at=DateTime(view.created_at),
        expires_at=moment(view.expires_at),
        latest=latest,
        address=None if view.game_id is UNSET else game_at(latest, view.game_id, view.room),
    )


def _event(json: Raw) -> RoomEvent:
    told = _happening(json)
    return RoomEvent(
        at_version=told.at_version,
        kind=room_event_kind(told.kind),
        player=player_or_none(told.player),
        seat=None if told.seat is UNSET else told.seat,
        voter=player_or_none(told.voter),
        in_favour=None if told.in_favour is UNSET else told.in_favour,
    )


def room_update(update: Update) -> RoomUpdate:
    return RoomUpdate(version=update.version, reset=update.reset, update=update, rendered=update.rendered)


# ---------------------------------------------------------------- the same, without the objects (``transport.raw``)

reads(
    Room,
    RoomView,
    id=made(room_gid, "room"),
    host=made(player, "host"),
    game_kind=made(GameKind, "game"),
    game_id=made(_game_id, "game", "latest_game", "game_id", "room"),
    settings=made(shown_settings, "game", "settings"),
    created_at=made(moment, "created_at"),
    expires_at=made(moment, "expires_at"),
)
reads(Member, MemberView, player=made(player, "player"))
reads(Seat, SeatView, player=made(player_or_none, "player"))
reads(ExpulsionVote, ExpulsionVotes, target=made(player, "target"), in_favour=made(players, "in_favour"))
reads(Rematch, RematchView, offered_by=made(player, "offered_by"), accepted=made(players, "accepted"))
reads(
    RoomEvent,
    RoomHappening,
    kind=made(room_event_kind, "kind"),
    player=made(player_or_none, "player"),
    voter=made(player_or_none, "voter"),
)
