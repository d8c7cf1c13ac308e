"""Tickets: what one is, how many there are, and strips of six in which every possible one is equally likely."""
