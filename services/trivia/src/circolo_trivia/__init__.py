"""Trivia nights: Family Party Quiz, Team Showdown, Tutto o Niente, and the bank of their questions."""
