"""The rooms and the list of public ones, from rooms' log."""

from circolo_projector.family import Family

from . import tables
from .writer import RoomWriter

FAMILY = Family(
    name="rooms",
    source="rooms",
    model=tables.MODEL_VERSION,
    register="generation",
    create=tables.create,
    drop=tables.drop,
    turn_views=tables.turn_views,
    writer=RoomWriter,
)
