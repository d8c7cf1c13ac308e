"""What a frontend of briscola asks for, as messages that only need their variables; and how the answers are read."""

from __future__ import annotations

import json

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

SIGN_IN = """mutation($name: String!) {
  signInAsGuest(name: $name) { ... on SignInDone { token } ... on Refused { code } }
}"""
CREATE = """mutation($key: UUID!) {
  createRoom(input: {game: {briscola: {players: 2, bestOf: 1}}, visibility: PUBLIC}, idempotencyKey: $key) {
    ... on RoomDone { room { id code } } ... on Refused { code }
  }
}"""
JOIN = """mutation($code: String!, $key: UUID!) {
  joinRoom(code: $code, idempotencyKey: $key) { ... on RoomDone { version } ... on Refused { code } }
}"""
ADD_CPU = """mutation($room: ID!, $key: UUID!) {
  addCpu(roomId: $room, seat: 1, level: HARD, idempotencyKey: $key) {
    ... on RoomDone { version } ... on Refused { code }
  }
}"""
START = """mutation($room: ID!, $key: UUID!) {
  startGame(roomId: $room, idempotencyKey: $key) { ... on RoomDone { version } ... on Refused { code } }
}"""
ROOM = "subscription($room: ID!) { room(id: $room) { version room { phase gameId } } }"
GAME = """subscription($game: ID!) {
  game(id: $game) {
    version reset
    happened { kind ... on CardGameEvent { seat card points } }
    game {
      status
      ... on CardGame { seat hand legalMoves { card } turn trump trumpCard trick { seat card } stockCount score }
    }
  }
}"""
PLAY = """mutation($game: ID!, $card: Card!, $key: UUID!, $version: Int!) {
  playCard(gameId: $game, card: $card, idempotencyKey: $key, expectedVersion: $version) {
    ... on GameDone { version } ... on Refused { code currentVersion }
  }
}"""


def subscribe(identity: str, document: str, **variables: object) -> bytes:
    """A whole ``subscribe`` message."""
    payload = {"query": " ".join(document.split()), "variables": variables}
    return json.dumps({"id": identity, "type": "subscribe", "payload": payload}, separators=(",", ":")).encode()


def complete(identity: str) -> bytes:
    return b'{"id":"%b","type":"complete"}' % identity.encode()


def connection_init(token: str | None) -> bytes:
    payload = {"authorization": f"Bearer {token}"} if token else {}
    return json.dumps({"type": "connection_init", "payload": payload}).encode()


def key_of(number: int) -> str:
    """An idempotency key; each number of a player gives another."""
    return f"00000000-0000-4000-8000-{number:012x}"


class Play:
    """``playCard`` of one game as bytes with four gaps."""

    def __init__(self, game: str) -> None:
        marks = {"game": game, "card": "@card", "key": "@key", "version": "@version"}
        text = subscribe("@id", PLAY, **marks).decode().replace('"@version"', "@version")
        parts = []
        for mark in ("@id", "@card", "@key", "@version"):
            before, _, text = text.partition(mark)
            parts.append(before)
        self._parts = (*parts, text)

    def message(self, number: int, card: str, version: int) -> bytes:
        a, b, c, d, e = self._parts
        return f"{a}{number}{b}{card}{c}{key_of(number)}{d}{version}{e}".encode()


class Move(Struct):
    card: str


class Game(Struct, rename="camel"):
    status: str
    seat: int | None = None
    hand: list[str] | None = None
    legal_moves: list[Move] | None = None
    turn: int | None = None
    trump_card: str | None = None


class GameUpdate(Struct):
    version: int
    game: Game


class Room(Struct, rename="camel"):
    phase: str
    game_id: str | None = None


class RoomUpdate(Struct):
    version: int
    room: Room


class Answer(Struct):
    """Of any mutation: a code when it was refused."""

    code: str | None = None
    token: str | None = None
    room: dict[str, str] | None = None
    version: int | None = None


class Data(Struct, rename="camel"):
    game: GameUpdate | None = None
    play_card: Answer | None = None
    room: RoomUpdate | None = None
    sign_in_as_guest: Answer | None = None
    create_room: Answer | None = None
    join_room: Answer | None = None
    start_game: Answer | None = None
    add_cpu: Answer | None = None


class Result(Struct):
    data: Data | None = None
    errors: Raw | UnsetType = UNSET


class Message(Struct):
    """Whatever a server sends; ``payload`` of an ``error`` is a list, so it stays raw."""

    type: str
    id: str = ""
    payload: Raw = Raw(b"null")


class Next(Struct):
    type: str
    id: str
    payload: Result


message_of = msgspec.json.Decoder(Message).decode
next_of = msgspec.json.Decoder(Next).decode
