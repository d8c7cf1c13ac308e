"""Who gets which ticket, and in which order the numbers are called: all from the game's seed.

Strip ``k`` (from 1) is made of the words ``tickets|k``. Whole strips are dealt first; of the last one, when it is not
needed whole, a random part. Then all of it is shuffled over the seats, by the words of the label after the last
strip's, so that the order of coming says nothing about the ticket. The calls are the shuffle ``draws|1`` of 1 to 90.
"""

from __future__ import annotations

from circolo_contracts.chance import shuffled, words
from circolo_contracts.tombola import NUMBERS

from .strips import strip
from .ticket import TICKETS_IN_A_STRIP, Ticket


def deal(seed: bytes, players: int) -> tuple[Ticket, ...]:
    """One ticket for each player, from as few strips as there can be."""
    count = -(-players // TICKETS_IN_A_STRIP)
    strips = [strip(words(seed, "tickets", number)) for number in range(1, count + 1)]
    order = words(seed, "tickets", count + 1)
    whole, last = strips[:-1], shuffled(order, strips[-1])
    needed = players - TICKETS_IN_A_STRIP * len(whole)
    return shuffled(order, [*(ticket for each in whole for ticket in each), *last[:needed]])


def draw_order(seed: bytes) -> tuple[int, ...]:
    """All ninety numbers, the first one first."""
    return shuffled(words(seed, "draws", 1), range(1, NUMBERS + 1))
