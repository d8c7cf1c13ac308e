"""The event kit: store, bus, runtime of deciders, subscriptions, relay, deadlines. No word of any game."""
