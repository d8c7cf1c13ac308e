"""The published language of Circolo: what services, gateway and tools say to one another.

Only msgspec and the standard library are allowed here. Every struct that is stored has its fields in
alphabetical order; optional fields are ``UNSET`` when absent, never ``None`` (see docs/decisions/0001).
"""
