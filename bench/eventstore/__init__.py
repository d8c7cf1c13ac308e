"""The event store beside a library and raw COPY: each side is a process of its own that prints one line of JSON."""
