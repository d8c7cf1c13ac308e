"""The tombola: tickets from true strips, calls by the host or by the clock, claims judged on what was drawn."""
