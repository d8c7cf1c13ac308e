"""The card games: matches from a committed seed to the last trick.

The games are loaded first: they and the families that they share stand on the modules of ``games``, so that whichever
module is imported first finds them in this order and in no other.
"""

from . import games as games
