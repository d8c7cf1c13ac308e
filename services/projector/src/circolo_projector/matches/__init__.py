"""Finished matches, who sat in them, and what the ranked ones say of everybody: from cardgames' log."""

from circolo_projector.family import Family

from . import events, tables
from .writer import MatchWriter

FAMILY = Family(
    name="matches",
    source="cardgames",
    model=tables.MODEL_VERSION,
    register="match_generation",
    create=tables.create,
    drop=tables.drop,
    turn_views=tables.turn_views,
    writer=MatchWriter,
    types=events.TYPES,
)
