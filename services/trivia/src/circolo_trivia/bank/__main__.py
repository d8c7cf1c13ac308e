"""``python -m circolo_trivia.bank FILE --format CSV``: an operator looks at a file of questions for every night.

With ``--store`` they are brought in. Reads CIRCOLO_POSTGRES_URL_TRIVIA or CIRCOLO_POSTGRES_URL. Exit 0: every row was
taken; 1: some were not, each with its reason; 2: the file or the bank cannot be read, and nothing was done.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import asyncpg
from circolo_contracts.questions import FileFormat, ImportReport
from circolo_events import canonical
from msgspec import UNSET

from .formats.text import Unreadable
from .importing import Sorted, sorted_out
from .store import HOUSE, Bank
from .themes import THEMES

ALL, SOME, NONE = 0, 1, 2


async def _handed_in(url: str, found: Sorted, *, store: bool) -> ImportReport:
    pool = await asyncpg.create_pool(url, min_size=1, max_size=1, server_settings={"search_path": "trivia"})
    try:
        bank = Bank(pool)
        if not store:
            return await bank.preview(HOUSE, found)
        return (await bank.bring_in(uuid.uuid4().hex, canonical.digest(b"operator").hex(), HOUSE, found)).report
    finally:
        await pool.close()


def _told(report: ImportReport) -> int:
    for row in report.refused:
        about = "" if row.field is UNSET else f" ({row.field})"
        sys.stdout.write(f"row {row.row}: {row.problem}{about}\n")
    sys.stdout.write(f"{report.taken} taken\n" if report.stored else f"{report.taken} would be taken\n")
    return SOME if report.refused else ALL


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m circolo_trivia.bank", description="Questions for every night.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--format", required=True, choices=get_args(FileFormat), dest="form")
    parser.add_argument("--language", choices=("IT", "EN"), default="IT", help="of formats that have one language")
    parser.add_argument("--theme", choices=THEMES, default="", help="for rows that name none")
    parser.add_argument("--store", action="store_true", help="bring them in, and not only look")
    options = parser.parse_args(arguments)
    url = os.environ.get("CIRCOLO_POSTGRES_URL_TRIVIA") or os.environ.get("CIRCOLO_POSTGRES_URL")
    if not url:
        sys.stderr.write("set CIRCOLO_POSTGRES_URL\n")
        return NONE
    try:
        found = sorted_out(options.file.read_bytes(), options.form, options.language, options.theme)
        return _told(asyncio.run(_handed_in(url, found, store=options.store)))
    except (Unreadable, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        sys.stderr.write(f"nothing was done: {error}\n")
        return NONE


if __name__ == "__main__":
    sys.exit(main())
