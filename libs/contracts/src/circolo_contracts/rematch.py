"""The rematch: the table head invites, every seat accepts. Parts of the language of rooms."""

from __future__ import annotations

from msgspec import Struct

# ---------------------------------------------------------------- events: stored for ever; a change is a new version


class RematchOffered(Struct, frozen=True):
    """The table head's invitation; by it he has accepted, if he sits. CPUs accept by themselves.

    When everybody has accepted, ``GameRequested`` follows in the same append.
    """

    at: int
    game_id: str
    """The game that would be played again."""
    player: str


class RematchAccepted(Struct, frozen=True):
    at: int
    player: str


class RematchWithdrawn(Struct, frozen=True):
    """The invitation is taken back when ``player`` made it or is the table head now; else his own acceptance is."""

    at: int
    player: str


# ---------------------------------------------------------------- commands


class OfferRematch(Struct, frozen=True):
    """By the host, after a game, while its seats are unchanged. A second invitation is not a second rematch."""


class AcceptRematch(Struct, frozen=True):
    """By who sits. With the last acceptance the answer's ``RoomView.game_id`` is the new game."""


class WithdrawRematch(Struct, frozen=True):
    """Before the last acceptance: the invitation by the host or by who made it, else one's own acceptance."""


# ---------------------------------------------------------------- views


class RematchView(Struct, frozen=True):
    """An open invitation."""

    accepted: list[str]
    """People only, in the order of accepting."""
    offered_by: str
