"""Writes ``docs/prizes.md``, what ranked matches pay, from the ledger's schedules: ``make docs``."""

from __future__ import annotations

import sys
from pathlib import Path

from circolo_contracts.games import CATALOGUE
from circolo_ledger.prizes import Schedule
from circolo_ledger.schedules import load

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "prizes.md"
HEAD = """# Brilli

What a ranked match pays, in brilli. Accounts begin at 0 and may go below; every payment is double entry, from the pot
to the players or from a leaver to the penalties. Friendly matches pay nothing. This page is made by `make docs` from
[prizes.toml](../services/ledger/src/circolo_ledger/prizes.toml).

"""
RULES = """
- **A deal** of the first {deals} is divided between the two sides by their points in it: the higher side's part is
  rounded to the nearest, half up, the other side gets the rest; each member of a side gets the side's part. Equal
  points, or none at all, are halves. Later deals pay nothing.
- **A match that needs fewer deals** pays the whole of each missing one to every winner.
- **Who abandons** (leaves, is put out by all the others, lets the clock run out) pays {penalty}, and the match's prize
  is not paid. Everybody keeps what the complete deals brought. Each opponent gets the whole of the deal in play, if it
  is one of those that pay; between two deals that is the next one. The partner gets nothing more. A second leaver of
  the same match pays nothing.
- **Where each plays for himself** (vinciperdi), equal places share their prizes; what cannot be shared evenly stays in
  the pot. There, and in briscola, an abandonment pays nobody.
- **A match that is stopped, forgotten for 24 hours or never starts** pays nothing more than its complete deals.
- **A mistake** is taken back by counter-entries that an operator orders; nothing is ever changed or removed.
"""


def page() -> str:
    prizes = load()
    text = HEAD
    text += "| game | players | winner | loser | a tie | a deal | deals | by place | complete match |\n"
    text += "|---|---|---|---|---|---|---|---|---|\n"
    for schedule in prizes.schedules.values():
        text += _row(schedule)
    deals = {schedule.deals for schedule in prizes.schedules.values() if schedule.deals}
    return text + RULES.format(penalty=prizes.penalty, deals=" or ".join(str(n) for n in sorted(deals)))


def _row(schedule: Schedule) -> str:
    amounts = (schedule.winner, schedule.loser, schedule.tie, schedule.deal, schedule.deals)
    cells = [CATALOGUE[schedule.game].title_it, str(schedule.seats), *(str(amount or "") for amount in amounts)]
    cells += [", ".join(map(str, schedule.ranks)), str(schedule.total)]
    return "| " + " | ".join(cells) + " |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"wrote {PAGE.relative_to(ROOT)}\n")
