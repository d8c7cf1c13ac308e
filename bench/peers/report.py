"""Many runs to one row for each target and size: medians, spreads, ratios to the others."""

from __future__ import annotations

import statistics
from typing import Any

Run = dict[str, Any]
COLUMNS = (
    "target",
    "rooms",
    "moves/s",
    "p50 ms",
    "p99 ms",
    "CPU ms/move",
    "by part",
    "client",
    "others",
    "errors",
    "leaks",
)


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


def cells(merged: Run) -> list[str]:
    low, high = merged["moves_per_s_spread"]
    parts = sorted(merged["cpu_ms_by_part"].items(), key=lambda part: -part[1])
    return [
        merged["target"],
        str(merged["rooms"]),
        f"{merged['moves_per_s']:,.0f} ({low:,.0f}-{high:,.0f})",
        f"{merged['p50_ms']}",
        f"{merged['p99_ms']}",
        f"{merged['cpu_ms_per_move']}",
        ", ".join(f"{part} {ms}" for part, ms in parts if ms),
        f"{merged['client_cpu_pct']} %",
        f"{merged['others_cpu_pct']} %",
        str(merged["errors"]),
        str(merged["secret_leaks"]),
    ]


def table(rows: list[Run]) -> str:
    """Markdown."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(cells(each)) + " |" for each in rows]
    return "\n".join(lines)


def lag_line(merged: Run) -> str:
    """The largest lags that were seen."""
    if not merged["lag"]:
        return ""
    return f"{merged['target']} {merged['rooms']} rooms, largest lag: " + ", ".join(
        f"{name} {value:g}" for name, value in merged["lag"].items()
    )
