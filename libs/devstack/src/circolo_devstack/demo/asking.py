"""What every demo asks of the API: a room, somebody in it, the start."""

from __future__ import annotations

import uuid
from typing import Any

from ..api import Api, ApiError, Json

CREATE = """
mutation Create($game: GameInput!, $ranked: Boolean!, $key: UUID!) {
  createRoom(input: {game: $game, visibility: PUBLIC, ranked: $ranked}, idempotencyKey: $key) {
    __typename ... on RoomDone { room { id code } } ... on Refused { code message }
  }
}"""
JOIN = """
mutation Join($code: String!, $key: UUID!) {
  joinRoom(code: $code, idempotencyKey: $key) { __typename ... on Refused { code message } }
}"""
START = """
mutation Start($room: ID!, $key: UUID!) {
  startGame(roomId: $room, idempotencyKey: $key) {
    __typename ... on RoomDone { room { gameId } } ... on Refused { code message }
  }
}"""


async def done(api: Api, document: str, **variables: Any) -> Json:
    """A mutation that must succeed here. Raises ApiError with the refusal."""
    answer: Json = next(iter((await api.call(document, key=str(uuid.uuid4()), **variables)).values()))
    if answer["__typename"] == "Refused":
        raise ApiError([{"message": answer["message"], "extensions": {"code": answer["code"]}}])
    return answer
