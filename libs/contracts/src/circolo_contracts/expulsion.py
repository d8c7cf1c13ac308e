"""The vote that puts a player out of a running game: parts of the language of rooms."""

from __future__ import annotations

from msgspec import Struct

# ---------------------------------------------------------------- events: stored for ever; a change is a new version


class ExpulsionVoted(Struct, frozen=True):
    """One vote for putting ``player`` out of the game, or the same vote taken back (``in_favour`` false).

    All votes are void when the game ends.
    """

    at: int
    game_id: str
    in_favour: bool
    player: str
    """Who shall go."""
    voter: str


class ExpulsionDecided(Struct, frozen=True):
    """All the others were in favour. It counts when the game's service has ended the match by it (``EXPELLED``)."""

    at: int
    game_id: str
    player: str


# ---------------------------------------------------------------- commands


class VoteToExpel(Struct, frozen=True):
    """During a game, by who sits at the table. ``in_favour`` false takes the vote back."""

    in_favour: bool
    player: str


# ---------------------------------------------------------------- views


class ExpulsionVotes(Struct, frozen=True):
    """The votes against one player of the running game."""

    in_favour: list[str]
    """In the order of voting; all the others must be here."""
    target: str
