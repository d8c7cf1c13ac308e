"""What the projector's read models say of players and matches: histories, statistics, standings, brilli.

Nothing is cached and nothing is joined to names. Every list is read by key, never by offset, so that a page does not
shift when somebody wins meanwhile. Where the database is away the functions raise what it raises.
"""
