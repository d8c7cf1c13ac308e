"""The figures of an arena: wins and points of mirrored deals, with intervals; how long the choices took."""

from __future__ import annotations

from math import sqrt
from statistics import fmean, stdev

from msgspec import Struct, field

NORMAL_95 = 1.96


class Deals(Struct):
    """One deck, played once on each side."""

    games: list[tuple[float, float]] = field(default_factory=list)
    """Of each game: whether A won (1, 0, or a half when nobody did), and by how many points it was ahead."""
    thought_a: list[float] = field(default_factory=list)
    thought_b: list[float] = field(default_factory=list)
    """Seconds of each decision."""


class Estimate(Struct, frozen=True):
    """A mean of decks; the games of one deck lean on one another, so they count as one."""

    mean: float
    margin: float | None
    """Half of the interval of 95 %; None with fewer than two decks."""

    @staticmethod
    def of(values: list[float]) -> Estimate:
        margin = NORMAL_95 * stdev(values) / sqrt(len(values)) if len(values) > 1 else None
        return Estimate(fmean(values), margin)


class Tally(Struct):
    decks: list[tuple[float, float]] = field(default_factory=list)
    """Of each: the share of its games that A won, and how far A was ahead on average."""
    games: int = 0
    won: int = 0
    level: int = 0
    seconds: float = 0.0
    thought_a: list[float] = field(default_factory=list)
    thought_b: list[float] = field(default_factory=list)

    def add(self, deals: Deals) -> None:
        won, ahead = zip(*deals.games, strict=True)
        self.decks.append((fmean(won), fmean(ahead)))
        self.games += len(won)
        self.won += won.count(1.0)
        self.level += won.count(0.5)
        self.thought_a += deals.thought_a
        self.thought_b += deals.thought_b

    @property
    def wins(self) -> str:
        return _percent(Estimate.of([won for won, _ in self.decks]))

    def figures(self) -> dict[str, object]:
        """Times in ms."""
        win_rate = Estimate.of([won for won, _ in self.decks])
        return {
            "decks": len(self.decks),
            "games": self.games,
            "wonByA": self.won,
            "level": self.level,
            "winRateOfA": win_rate,
            "significant": win_rate.margin is not None and abs(win_rate.mean - 0.5) > win_rate.margin,
            "pointsAheadOfA": Estimate.of([ahead for _, ahead in self.decks]),
            "decisionMsOfA": _times(self.thought_a),
            "decisionMsOfB": _times(self.thought_b),
            "seconds": round(self.seconds, 1),
        }


def table(game: str, a: str, b: str, seats: int, tally: Tally) -> str:
    """For people."""
    ahead = Estimate.of([points for _, points in tally.decks])
    lost = tally.games - tally.won - tally.level
    lines = [
        f"{game}, {seats} players: {a} against {b}, {len(tally.decks)} decks, {tally.games} games",
        f"  {a} wins {tally.wins} ({tally.won} won, {tally.level} level, {lost} lost)",
        f"  points ahead {ahead.mean:+.2f}" + ("" if ahead.margin is None else f" ± {ahead.margin:.2f}"),
    ]
    for name, seconds in ((a, tally.thought_a), (b, tally.thought_b)):
        times = _times(seconds)
        lines.append(f"  {name} decides in {times['p50']} ms (p50), {times['p99']} ms (p99), {len(seconds)} times")
    return "\n".join([*lines, f"  {tally.seconds:.1f} s", ""])


def _percent(share: Estimate) -> str:
    return f"{100 * share.mean:.1f} %" + ("" if share.margin is None else f" ± {100 * share.margin:.1f}")


def _times(seconds: list[float]) -> dict[str, float]:
    if not seconds:
        return {"p50": 0.0, "p99": 0.0}
    ordered = sorted(seconds)
    return {f"p{share}": round(1000 * ordered[int((len(ordered) - 1) * share / 100)], 3) for share in (50, 99)}
