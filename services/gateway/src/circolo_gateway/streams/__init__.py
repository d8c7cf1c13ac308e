"""Views from the bus to subscribers, without a gap: one NATS subscription for each (stream, audience) and process."""
