"""What the service and its search worker say to each other: MessagePack, each message behind its length."""

from __future__ import annotations

from typing import BinaryIO

import msgspec
from circolo_contracts.cardgames import MatchView
from msgspec import Struct

from circolo_cardgames.games import GAMES
from circolo_cardgames.games.deal import Deal
from circolo_cardgames.sight import Sight

from .search import Budget, Found

LENGTH_BYTES = 4


class Question(Struct, frozen=True):
    """A sight and nothing more: the worker is as blind as the seat."""

    number: int
    seed: str
    budget: Budget
    until: float
    """By ``time.monotonic``, which the processes of a machine share: later than this nobody wants the answer."""
    deal: Deal
    seat: int
    view: MatchView

    @staticmethod
    def of(sight: Sight, number: int, seed: str, budget: Budget, until: float) -> Question:
        return Question(number, seed, budget, until, sight.deal, sight.seat, sight.view)

    def sight(self) -> Sight:
        rules = GAMES[self.view.game].rules(self.view.settings)
        return Sight(self.deal, rules, self.seat, self.view)


class Answer(Struct, frozen=True):
    """Neither ``found`` nor ``failed``: it came too late to be thought about."""

    number: int
    found: Found | None = None
    failed: str = ""
    """The kind of error; never its text, which may name hidden cards."""


question_decoder = msgspec.msgpack.Decoder(Question)
answer_decoder = msgspec.msgpack.Decoder(Answer)
READY = 0
"""The number of the worker's first answer, which says that it has started."""
_encoder = msgspec.msgpack.Encoder()


def framed(message: Question | Answer) -> bytes:
    body = _encoder.encode(message)
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next message's bytes, waiting for them; None when the other end has gone, also in the middle of one."""
    head = stream.read(LENGTH_BYTES)
    size = int.from_bytes(head, "big")
    body = stream.read(size)
    return body if len(head) == LENGTH_BYTES and len(body) == size else None
