"""Circolo on one machine: embedded servers, every service as a process, the ``circolo`` command, test fixtures."""
