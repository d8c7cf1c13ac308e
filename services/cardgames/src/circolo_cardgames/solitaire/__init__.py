"""The solitario beside the match: its own decider, streams, views and proof. Its rules are in games/solitario."""
