"""``python -m circolo_devstack`` is the ``circolo`` command."""

from __future__ import annotations

from .cli import main

main(prog_name="circolo")
