"""The direction: what is reported to it, what it decides, and what follows for a player."""
