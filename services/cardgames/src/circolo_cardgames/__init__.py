"""The card games: matches between people and CPU players, from a committed seed to the last trick."""
