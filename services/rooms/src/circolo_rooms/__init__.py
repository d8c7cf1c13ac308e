"""Rooms: players, room codes, and the tables that people sit down at."""
