"""Figures: what a move costs and how long it takes, beside other servers for games; what the event store does."""
