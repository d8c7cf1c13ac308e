"""A scopa of four to eleven points: the people take what is worth most; captures as lines, each deal's score sheet."""

from __future__ import annotations

from rich.progress import Progress
from rich.table import Table

from ..api import Json
from ..console import console, say
from .cards import PAIRS, TABLE, card_name

GAME = "scopa"
TARGET = 11
WISH: Json = {GAME: {"players": 4, "target": TARGET}}
SETTEBELLO = "7D"
LINES = {
    "CARDS": "cards", "COINS": "coins", "SETTEBELLO": "settebello", "PRIMIERA": "primiera", "SWEEPS": "scope",
}  # fmt: skip


def choose(game: Json) -> Json:
    """The dearest capture of all; when there is none, the card that leaves the next player least."""
    takes = [{"card": move["card"], "capture": capture} for move in game["legalMoves"] for capture in move["captures"]]
    if takes:
        return max(takes, key=lambda take: value(take, game["table"]))
    lying = sum(map(rank, game["table"]))
    cards = [move["card"] for move in game["legalMoves"]]
    return {"card": max(cards, key=lambda card: (lying + rank(card) > 10, -price(card), rank(card)))}


def rank(card: str) -> int:
    return int(card[:-1])


def price(card: str) -> float:
    """What a card is worth in a pile: the settebello, then coins and sevens, then any card."""
    return 1 + 2 * (card[-1] == "D") + 2 * (rank(card) == 7) + 5 * (card == SETTEBELLO)


def value(take: Json, table: list[str]) -> float:
    return sum(map(price, [take["card"], *take["capture"]])) + 15 * (len(take["capture"]) == len(table))


class Commentary:
    """One line for each capture; the cards that are only laid down are not worth one. Then the sheet."""

    target = TARGET

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bar = progress.add_task("points", total=self.target)
        self._deal = 0

    def __call__(self, happening: Json, game: Json) -> None:
        kind = happening["kind"]
        if kind == "DEAL_STARTED":
            self._deal += 1
            say(f"{TABLE[happening['seat']]} deals number {self._deal}")
        elif kind == "DEAL_VOIDED":
            say(f"     void: {names(happening['cards'])} lie open")
        elif kind == "CARD_PLAYED" and happening["cards"]:
            with_what = f"{TABLE[happening['seat']]:<6} {card_name(happening['card']):<18}"
            say(f"     {with_what} takes {names(happening['cards'])}{': scopa!' if happening['sweep'] else ''}")
        elif kind == "TABLE_TAKEN":
            say(f"     {TABLE[happening['seat']]:<6} captured last and takes {names(happening['cards'])}")
        elif kind == "DEAL_ENDED":
            console.print(sheet(game["deals"][self._deal - 1]))
            so_far = [sum(deal["points"][team] for deal in game["deals"][: self._deal]) for team in (0, 1)]
            self._progress.update(self._bar, completed=min(max(so_far), self.target))


def names(cards: list[str]) -> str:
    return " + ".join(map(card_name, cards))


def sheet(deal: Json) -> Table:
    """What both pairs have taken, and the points that it brings."""
    table = Table(box=None, padding=(0, 1, 0, 5), show_footer=True)
    table.add_column(f"deal {deal['dealNo']}", footer="points")
    for team, pair in enumerate(PAIRS):
        table.add_column(pair, justify="right", footer=str(deal["points"][team]))
        table.add_column("", justify="right")
    for line in deal["sheet"]:
        cells = [
            cell
            for amount, points in zip(line["amounts"], line["points"], strict=True)
            for cell in (str(amount), f"+{points}" if points else "")
        ]
        table.add_row(LINES.get(line["name"], line["name"].lower()), *cells)
    return table


def report(game: Json) -> None:
    score = game["score"]
    say(f"     {PAIRS[0]} {score[0]}, {PAIRS[1]} {score[1]}")
    say(f"{PAIRS[game['result']['winner']]} win.")
