"""The tombola: the board that everybody sees, a seat's own ticket and marks, and what happened."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import msgspec
import strawberry
from circolo_contracts import tombola as contract
from circolo_contracts.tombola import TombolaHappening, TombolaView
from msgspec import UNSET, Raw, UnsetType

from ..streams.watch import GameAddress, Requested
from ..transport.raw import made, reads
from .enums import GameKind, GameStatus, game_event_kind
from .game import Game, GameEvent, given, never_ranked, outcome
from .node import Node, game_gid
from .player import Player, player, player_or_none, somebody
from .scalars import DateTime, moment
from .settings import GameSettings, setting_enum, shown_settings

if TYPE_CHECKING:

    class Calling(Enum):
        """Made from the catalogue, as the type of the setting."""

else:
    Calling = setting_enum("Calling")

_tombola_view = msgspec.json.Decoder(TombolaView).decode
_happening = msgspec.json.Decoder(TombolaHappening).decode


@strawberry.enum(description="2, 3, 4 or 5 drawn numbers on one row of a ticket; TOMBOLA: all its fifteen.")
class Prize(Enum):
    AMBO = "AMBO"
    TERNO = "TERNO"
    QUATERNA = "QUATERNA"
    CINQUINA = "CINQUINA"
    TOMBOLA = "TOMBOLA"


@strawberry.enum(description="HOST_DISCONNECTED: nobody holds a connection for the host. Only the host resumes.")
class PauseReason(Enum):
    HOST = "HOST"
    HOST_DISCONNECTED = "HOST_DISCONNECTED"


@strawberry.type(
    description="Somebody who has a ticket. A room has more seats than people: the empty ones are left out."
)
class TombolaSeat:
    seat: int
    player: Player | None


@strawberry.type
class PrizeWinner:
    seat: int
    row: int | None = strawberry.field(description="0 to 2 from the top; null for the tombola.")
    numbers: list[int] = strawberry.field(description="The row, or for the tombola the whole ticket, ascending.")


@strawberry.type
class TombolaPrize:
    prize: Prize
    winners: list[PrizeWinner] = strawberry.field(
        description="In the order of their claims; empty: still to be won. Under SHARED_DRAW more may follow."
    )
    winning_draw: int | None = strawberry.field(
        description="Which draw, from 1, completed it on the first winner's ticket; null: still to be won."
    )


@strawberry.type(
    description="A tombola as its viewer may see it: the board for everybody, and for who has a seat his own ticket "
    "and marks. A display is anybody without a seat."
)
class Tombola(Game, Node):
    host: Player | None = strawberry.field(description="Who calls; null while STARTING.")
    commitment: str | None = strawberry.field(
        description="SHA-256 of the seed that all tickets and draws come from, published before them."
    )
    seed: str | None = strawberry.field(description="Revealed when it is over.")
    view: strawberry.Private[TombolaView | None]
    """As in ``CardGame``."""
    called: list[int] = strawberry.field(description="In the order of their calling, the last one last.")
    calling: Calling | None = strawberry.field(
        description="How it goes on now, whatever the settings say. AUTOMATIC: `deadline` is the next call."
    )
    every_seconds: int | None = strawberry.field(description="Between automatic calls.")
    paused: PauseReason | None = strawberry.field(description="Null: not paused.")
    superseded: bool = strawberry.field(
        description="The room plays another game: nothing can be claimed here any more."
    )
    seat: int | None = strawberry.field(description="The viewer's own; null for who has no ticket.")
    ticket: list[list[int]] | None = strawberry.field(
        description="The viewer's own: three rows of five, ascending. 1 to 9 are printed in the first of nine columns, "
        "10 to 19 in the second, 80 to 90 in the last."
    )
    marks: list[int] | None = strawberry.field(description="What the viewer has marked on his ticket, ascending.")
    marks_version: int | None = strawberry.field(
        description="Grows with each change of the marks, while `version` stays: keep the marks with the higher one."
    )

    @strawberry.field
    def settings(self) -> GameSettings | None:
        return None if self.view is None else shown_settings(self.view.game, self.view.settings)

    @strawberry.field
    def seats(self) -> list[TombolaSeat]:
        return [] if self.view is None else [_seat(seat) for seat in self.view.seats]

    @strawberry.field(description="All five, from the ambo to the tombola; none while STARTING.")
    def prizes(self) -> list[TombolaPrize]:
        return [] if self.view is None else [_prize(prize) for prize in self.view.prizes]


@strawberry.type(description="`seat` is who won a prize.")
class TombolaEvent(GameEvent):
    number: int | None = strawberry.field(description="Of NUMBER_DRAWN.")
    seq: int | None = strawberry.field(description="Of NUMBER_DRAWN: which draw, from 1.")
    prize: Prize | None = strawberry.field(description="Of PRIZE_AWARDED, as `row`, `numbers` and `winningDraw`.")
    row: int | None
    numbers: list[int] | None
    winning_draw: int | None
    calling: Calling | None = strawberry.field(description="Of CALLING_CHANGED, as `everySeconds`.")
    every_seconds: int | None
    pause_reason: PauseReason | None = strawberry.field(description="Of CALLING_PAUSED.")
    player: Player | None = strawberry.field(description="Of CALLER_CHANGED: the new host.")


# ---------------------------------------------------------------- from the wire


def _seat(seat: contract.TombolaSeat) -> TombolaSeat:
    return TombolaSeat(seat=seat.seat, player=player(seat.player))


def _prize(prize: contract.PrizeState) -> TombolaPrize:
    return TombolaPrize(
        prize=Prize(prize.prize),
        winners=[PrizeWinner(seat=won.seat, row=given(won.row), numbers=won.numbers) for won in prize.winners],
        winning_draw=given(prize.winning_draw),
    )


def _pause(reason: str | UnsetType) -> PauseReason | None:
    return PauseReason(reason) if isinstance(reason, str) else None


def _calling(calling: str | UnsetType) -> Calling | None:
    return Calling(calling) if isinstance(calling, str) else None


def tombola(json: Raw) -> Tombola:
    view = _tombola_view(json)
    return Tombola(
        id=game_gid(view.game, view.game_id, view.room),
        kind=GameKind(view.game),
        room_id=view.room,
        version=view.version,
        status=GameStatus(view.status),
        ranked=False,
        started_at=DateTime(view.started_at),
        deadline=moment(view.deadline),
        result=outcome(view.result),
        host=somebody(view.host),
        commitment=view.commitment,
        seed=None if view.seed is UNSET else view.seed,
        view=view,
        called=view.called,
        calling=_calling(view.calling),
        every_seconds=view.every_seconds,
        paused=_pause(view.paused),
        superseded=view.superseded,
        seat=given(view.seat),
        ticket=None if view.ticket is UNSET else view.ticket,
        marks=None if view.marks is UNSET else view.marks,
        marks_version=given(view.marks_version),
    )


def starting_tombola(game: Requested, at: GameAddress) -> Tombola:
    """Requested, and nothing has happened yet."""
    return Tombola(
        id=game_gid(game.kind, at.game, at.room), kind=GameKind(game.kind), room_id=at.room, version=0,
        status=GameStatus.STARTING, ranked=False, started_at=None, deadline=None, result=None, host=None,
        commitment=None, seed=None, view=None, called=[], calling=None, every_seconds=None, paused=None,
        superseded=False, seat=None, ticket=None, marks=None, marks_version=None,
    )  # fmt: skip


def tombola_event(json: Raw) -> TombolaEvent:
    told = _happening(json)
    return TombolaEvent(
        at_version=told.at_version,
        kind=game_event_kind(told.kind),
        seat=given(told.seat),
        number=given(told.number),
        seq=given(told.seq),
        prize=Prize(told.prize) if isinstance(told.prize, str) else None,
        row=given(told.row),
        numbers=None if told.numbers is UNSET else told.numbers,
        winning_draw=given(told.winning_draw),
        calling=_calling(told.calling),
        every_seconds=given(told.every_seconds),
        pause_reason=_pause(told.reason),
        player=player_or_none(told.player),
    )


# ---------------------------------------------------------------- the same, without the objects (``transport.raw``)

reads(
    Tombola,
    TombolaView,
    id=made(game_gid, "game", "game_id", "room"),
    kind=made(GameKind, "game"),
    ranked=made(never_ranked, "game"),
    started_at=made(moment, "started_at"),
    deadline=made(moment, "deadline"),
    host=made(somebody, "host"),
    settings=made(shown_settings, "game", "settings"),
)
reads(TombolaSeat, contract.TombolaSeat, player=made(player, "player"))
reads(TombolaPrize, contract.PrizeState)
reads(PrizeWinner, contract.PrizeWinner)
reads(
    TombolaEvent,
    TombolaHappening,
    kind=made(game_event_kind, "kind"),
    pause_reason=made(_pause, "reason"),
    player=made(player_or_none, "player"),
)
