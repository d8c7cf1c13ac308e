"""What everybody has and why: balances, entries and standings in brilli, from the ledger's log."""

from circolo_projector.family import Family

from . import events, tables
from .writer import EntryWriter

FAMILY = Family(
    name="brilli",
    source="ledger",
    model=tables.MODEL_VERSION,
    register="brilli_generation",
    create=tables.create,
    drop=tables.drop,
    turn_views=tables.turn_views,
    writer=EntryWriter,
    types=events.TYPES,
)
