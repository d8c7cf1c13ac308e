"""The chat of a room: what is said, to whom, by whom, and when the table is silent."""
