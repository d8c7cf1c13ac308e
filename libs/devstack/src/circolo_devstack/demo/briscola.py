"""A briscola of four: a decent card for the people, each trick as one line."""

from __future__ import annotations

from rich.progress import Progress

from ..api import Json
from ..console import say
from .cards import PAIRS, TABLE, card_name

GAME = "briscola"
WISH: Json = {GAME: {"players": 4, "bestOf": 1}}
TRICKS = 10
POINTS = {"1": 11, "3": 10, "10": 4, "9": 3, "8": 2}
STRENGTH = ("2", "4", "5", "6", "7", "8", "9", "10", "3", "1")


def choose(game: Json) -> Json:
    """Take what is worth it as cheaply as possible, load the partner's trick, else throw the least."""
    trump, trick = game["trump"], game["trick"]
    cards: list[str] = [move["card"] for move in game["legalMoves"]]

    def cost(card: str) -> tuple[int, int]:
        return worth(card) + 5 * (card[-1] == trump), STRENGTH.index(card[:-1])

    cheapest = min(cards, key=cost)
    if not trick:
        return {"card": cheapest}
    led, is_last = trick[0]["card"][-1], len(trick) == len(TABLE) - 1
    best = max(trick, key=lambda played: power(played["card"], led, trump))
    stake = sum(worth(played["card"]) for played in trick)
    if best["seat"] % 2 == game["seat"] % 2 and (is_last or best["card"][-1] == trump):
        return {"card": max((c for c in cards if c[-1] != trump), key=worth, default=cheapest)}
    winning = [c for c in cards if power(c, led, trump) > power(best["card"], led, trump)]
    gains = [c for c in winning if c[-1] != trump and is_last and worth(c)]
    if gains:
        return {"card": max(gains, key=worth)}
    return {"card": min(winning, key=cost) if winning and stake >= (3 if is_last else 10) else cheapest}


def worth(card: str) -> int:
    return POINTS.get(card[:-1], 0)


def power(card: str, led: str, trump: str) -> tuple[int, int]:
    """What wins a trick: trump before the led suit before the rest, then the rank."""
    return (2 if card[-1] == trump else 1 if card[-1] == led else 0), STRENGTH.index(card[:-1])


class Commentary:
    """Prints each trick as one line, with who took it and for how much."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bar = progress.add_task("tricks", total=TRICKS)
        self._trick: list[str] = []
        self._number = 0

    def __call__(self, happening: Json, _game: Json) -> None:
        kind = happening["kind"]
        if kind == "DEAL_STARTED":
            say(f"{TABLE[happening['seat']]} deals; the exposed card is the {card_name(happening['card'])}")
        elif kind == "CARD_PLAYED":
            self._trick.append(f"{TABLE[happening['seat']]} {card_name(happening['card'])}")
        elif kind == "TRICK_ENDED":
            self._number += 1
            cards = "".join(f"{played:<26}" for played in self._trick)
            say(f"{self._number:>3}  {cards} {TABLE[happening['seat']]} takes {happening['points'][0]}")
            self._trick = []
            self._progress.update(self._bar, advance=1)


def report(game: Json) -> None:
    points, result = game["deals"][-1]["points"], game["result"]
    say(f"     {PAIRS[0]} {points[0]}, {PAIRS[1]} {points[1]}")
    say(f"{PAIRS[result['winner']]} win." if result["outcome"] == "WON" else "60 to 60: a tie.")
