"""People who talk in a room, and the match beside it, as the tests on servers want them."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from circolo_contracts.cardgames import MatchStarted
from circolo_contracts.rooms import JoinRoom, RoomView, SeatOccupant, StartGame
from circolo_contracts.talk import MESSAGES, Channel, ChatHappening, ChatPage, ChatView, SendMessage
from circolo_contracts.wire import Ask, Document, Pushed, Seen, pushed_decoder, view_subject
from circolo_events import canonical
from circolo_events.appender import ANY_VERSION, Append, Appender, NewEvent
from club import Club, room_view, schema_pool
from msgspec import Struct


class Cardgames:
    """The log of the service that has the matches, written as it would write it."""

    def __init__(self, appender: Appender) -> None:
        self._appender = appender

    async def says(self, game_id: str, *events: Struct) -> None:
        """In one commit."""
        made = [NewEvent(uuid.uuid4().hex, type(e).__name__, 1, canonical.encode(e), b"{}") for e in events]
        await self._appender.append(Append(f"match-{game_id}", ANY_VERSION, uuid.uuid4().hex, made))


@asynccontextmanager
async def cardgames(database: str) -> AsyncIterator[Cardgames]:
    async with schema_pool(database, "cardgames") as pool, pool.acquire() as connection:

        async def connect() -> object:
            return connection

        appender = Appender(connect)
        appender.start()
        try:
            yield Cardgames(appender)
        finally:
            await appender.stop()


async def table(club: Club, people: int = 4, **how: Any) -> tuple[RoomView, list[str]]:
    """A full table of briscola, and who sits there, in the order of the seats."""
    players = [await club.guest(f"Giocatore {seat}") for seat in range(people)]
    view = await club.room(players[0], players=people, **how)
    for player in players[1:]:
        view = room_view(await club.done(f"code-{view.code}", JoinRoom(), who=player))
    return view, players


async def playing(club: Club, people: int = 4) -> tuple[RoomView, list[str]]:
    view, players = await table(club, people)
    return room_view(await club.done(f"room-{view.room}", StartGame(), who=players[0])), players


def started(view: RoomView) -> MatchStarted:
    assert isinstance(view.game_id, str)
    return MatchStarted(
        at=1, commitment="", dealer=0, game=view.game, game_id=view.game_id, game_no=view.game_no, room=view.room,
        seats=[SeatOccupant(player=seat.player) for seat in view.seats], seed="", settings=view.settings,
    )  # fmt: skip


def say(text: str, to: Channel = "ROOM") -> SendMessage:
    return SendMessage(text=text, to=to)


async def heard(club: Club, room: str, viewer: str, after: int | None = None) -> tuple[Seen, list[ChatHappening]]:
    ask = Ask(viewer=viewer) if after is None else Ask(viewer=viewer, after=after)
    answer = await club.client.send("rooms", f"chat-{room}", ask)
    assert isinstance(answer, Seen), answer
    return answer, [msgspec.json.decode(each, type=ChatHappening) for each in answer.happened]


async def texts(club: Club, room: str, viewer: str) -> list[str | None]:
    """The last page of what he may read, in order; None for what was erased."""
    _, happened = await heard(club, room, viewer)
    return [each.text or None for each in happened if each.kind == "MessagePosted"]


async def silent_game(club: Club, room: str, viewer: str) -> str | None:
    seen, _ = await heard(club, room, viewer)
    return msgspec.json.decode(seen.view, type=ChatView).silent_game or None


async def page(club: Club, room: str, viewer: str, after: int | None = None) -> ChatPage:
    ask = Ask(viewer=viewer, document=MESSAGES)
    answer = await club.client.send(
        "rooms", f"chat-{room}", ask if after is None else msgspec.structs.replace(ask, after=after)
    )
    assert isinstance(answer, Document), answer
    return msgspec.json.decode(answer.text, type=ChatPage)


async def ear(club: Club, room: str, audiences: Sequence[str]) -> dict[str, list[Pushed]]:
    """What is pushed to each of these audiences from now on."""
    pushed: dict[str, list[Pushed]] = {audience: [] for audience in audiences}
    for audience, into in pushed.items():
        await club.bus.subscribe(
            view_subject(f"chat-{room}", audience),
            lambda message, into=into: into.append(pushed_decoder.decode(message.data)),
        )
    await club.bus.flush()
    return pushed
