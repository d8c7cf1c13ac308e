"""What a ranked match brought: each seat's brilli by the rules that gave them, when the ledger has paid."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence

from rich.table import Table

from ..api import Api, ApiError, Json
from ..console import console, say
from .cards import TABLE

PATIENCE_SECONDS = 15.0
POT = 200
"""Of four seats, when the match is played out."""
RULES = {"DEAL": "deals", "UNPLAYED": "unplayed", "MATCH": "match"}
CARD = """
query Card($player: ID!) {
  player(id: $player) {
    brilli { balance entries(first: 100) { edges { node { amount rule } } } }
    statistics { played wonPercent abandonedPercent }
  }
}"""


async def paid(people: Sequence[Api]) -> list[Json]:
    """The cards of all of them, by seat. Raises ApiError when the pot is not paid in time."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        cards: list[Json] = [(await api.call(CARD, player=api.player))["player"] for api in people]
        if sum(card["brilli"]["balance"] for card in cards) == POT and all(
            card["statistics"]["played"] for card in cards
        ):
            return cards
        if time.monotonic() > until:
            raise ApiError([{"message": "the ledger did not pay", "extensions": {"code": "UNPAID"}}])
        await asyncio.sleep(0.1)


def show(cards: Sequence[Json]) -> None:
    table = Table(box=None, padding=(0, 1, 0, 5), show_footer=True)
    table.add_column("brilli", footer="pot")
    for rule in RULES.values():
        table.add_column(rule, justify="right")
    table.add_column("sum", justify="right", footer=str(sum(card["brilli"]["balance"] for card in cards)))
    for figure in ("matches", "won", "abandoned"):
        table.add_column(figure, justify="right")
    for seat, card in zip(TABLE, cards, strict=True):
        by_rule: Counter[str] = Counter()
        for edge in card["brilli"]["entries"]["edges"]:
            by_rule[edge["node"]["rule"]] += edge["node"]["amount"]
        figures = card["statistics"]
        table.add_row(
            seat, *(str(by_rule[rule]) for rule in RULES), str(card["brilli"]["balance"]),
            str(figures["played"]), f"{figures['wonPercent']} %", f"{figures['abandonedPercent']} %",
        )  # fmt: skip
    console.print(table)
    say("Every brillo is an entry in the ledger; `circolo ledger prove` counts them again from the match.")
