"""Many runs to one row for each target and size: medians, spreads, ratios to the others."""

from __future__ import annotations

import statistics
from typing import Any

Run = dict[str, Any]
LEAST_SHOWN_MS = 0.005
PROJECTOR = " consumer rooms"
"""How its lag is named, whichever process it runs in."""
COLUMNS = (
    "target", "rooms", "moves/s (spread)", "of the first", "p50 ms", "p99 ms", "CPU ms/move", "of which", "lag",
    "client", "others", "errors", "leaks",
)  # fmt: skip


def median_of(runs: list[Run], name: str) -> float | None:
    values = [run[name] for run in runs if run.get(name) is not None]
    return statistics.median_low(values) if values else None


def row(target: str, rooms: int, runs: list[Run]) -> Run:
    """Medians of every number; the parts' CPU and the largest lag likewise."""
    merged: Run = {"target": target, "rooms": rooms, "repeats": len(runs)}
    for name, value in runs[0].items():
        if isinstance(value, int | float):
            merged[name] = median_of(runs, name)
    for name in ("moves_per_s", "p50_ms", "p99_ms"):
        seen = [run[name] for run in runs if run[name] is not None]
        merged[f"{name}_spread"] = [min(seen), max(seen)] if seen else []
    merged["errors"] = sum(run["errors"] for run in runs)
    merged["secret_leaks"] = sum(run["secret_leaks"] for run in runs)
    merged["cpu_ms_by_part"] = {
        part: statistics.median_low([run["cpu_ms_by_part"].get(part, 0.0) for run in runs])
        for part in runs[0]["cpu_ms_by_part"]
    }
    consumers = {consumer for run in runs for consumer in run["lag"]}
    merged["lag"] = {each: max(run["lag"].get(each, 0.0) for run in runs) for each in sorted(consumers)}
    merged["runs"] = runs
    return merged


def cells(merged: Run, first: Run) -> list[str]:
    """``first``: the row of the first target at this size, which the others are compared with."""
    low, high = merged["moves_per_s_spread"]
    parts = sorted(merged["cpu_ms_by_part"].items(), key=lambda part: -part[1])
    return [
        merged["target"],
        str(merged["rooms"]),
        f"{merged['moves_per_s']:,.0f} ({low:,.0f}-{high:,.0f})",
        f"{merged['moves_per_s'] / (first['moves_per_s'] or 1):.2f} x",
        f"{merged['p50_ms']:.1f}",
        f"{merged['p99_ms']:.1f}",
        f"{merged['cpu_ms_per_move']:.2f}",
        ", ".join(f"{part} {ms:.2f}" for part, ms in parts if ms >= LEAST_SHOWN_MS),
        lag_of(merged),
        f"{merged['client_cpu_pct']} %",
        f"{merged['others_cpu_pct']} %",
        str(merged["errors"]),
        str(merged["secret_leaks"]),
    ]


def lag_of(merged: Run) -> str:
    """The largest numbers of events that the relays and the projector had before them."""
    lag = merged["lag"]
    relays = [value for name, value in lag.items() if " relay " in name]
    projector = [value for name, value in lag.items() if name.endswith(PROJECTOR)]
    if not relays or not projector:
        return ""
    return f"relay {max(relays):,.0f}, projector {max(projector):,.0f}"


def table(rows: list[Run]) -> str:
    """Markdown."""
    firsts: dict[int, Run] = {}
    for each in rows:
        firsts.setdefault(each["rooms"], each)
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(cells(each, firsts[each["rooms"]])) + " |" for each in rows]
    return "\n".join(lines)


def lag_line(merged: Run) -> str:
    """All the largest lags that were seen."""
    return ", ".join(f"{name} {value:,.0f}" for name, value in merged["lag"].items())
