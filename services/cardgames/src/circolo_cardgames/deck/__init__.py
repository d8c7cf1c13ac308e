"""The deck: how it is shuffled from a committed seed and dealt. Nothing here knows a game."""
