"""Who may import whom. Contracts between parts are import-linter's (pyproject.toml); those within one are here."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PURE = (
    *(f"circolo_cardgames.{part}" for part in ("games.", "deck", "fishing", "following")),
    *(f"circolo_tombola.{part}" for part in ("claims", "prizes", "tickets")),
    *(f"circolo_trivia.{part}" for part in ("board", "modes", "quorum", "scoring", "bank.picking", "bank.question")),
)
"""The rules of the games and what families of them share."""
DECIDERS = [
    "circolo_cardgames.match",
    "circolo_cardgames.solitaire.decider",
    "circolo_ledger.payouts",
    "circolo_rooms.code",
    "circolo_rooms.direction.report",
    "circolo_rooms.player",
    "circolo_rooms.room",
    "circolo_rooms.talk.chat",
    "circolo_tombola.game",
    "circolo_tombola.marks",
    "circolo_trivia.game",
]
IMPURE = {
    "aiohttp", "asyncio", "asyncpg", "concurrent", "datetime", "httpx", "io", "logging", "multiprocessing", "nats",
    "opentelemetry", "os", "pathlib", "random", "secrets", "socket", "subprocess", "sys", "tempfile", "threading",
    "time", "uuid", "uvloop",
}  # fmt: skip
"""What a rule or a decider may not know: clocks, chance, files, processes, drivers, logs."""
IMPURE_PARTS_OF_THE_KIT = {
    "appender",
    "bus",
    "client",
    "clock",
    "deadlines",
    "relay",
    "runtime",
    "store",
    "subscription",
}


def imports(name: str, module: ast.Module, known: Mapping[str, ast.Module]) -> Iterator[str]:
    """Everything that a module imports, absolute, at any depth of its code but not for type checkers only."""
    package = name if any(other.startswith(f"{name}.") for other in known) else name.rpartition(".")[0]
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names if f"{base}.{alias.name}" in known)


def reach(start: str, modules: Mapping[str, ast.Module]) -> set[str]:
    """The module and all modules of its own package that it stands on."""
    package = start.partition(".")[0]
    found: set[str] = set()
    ahead = [start]
    while ahead:
        name = ahead.pop()
        if name in modules and name not in found:
            found.add(name)
            ahead += [other for other in imports(name, modules[name], modules) if other.startswith(f"{package}.")]
    return found


def test_the_contracts_between_parts_are_kept() -> None:
    program = Path(sys.executable).parent / "lint-imports"
    checked = subprocess.run([program, "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_contracts_stand_on_msgspec_and_the_standard_library_only(modules: Mapping[str, ast.Module]) -> None:
    allowed = {"circolo_contracts", "msgspec", *sys.stdlib_module_names}
    found = [
        f"{name} imports {other}"
        for name, module in modules.items()
        if name.startswith("circolo_contracts")
        for other in imports(name, module, modules)
        if other.partition(".")[0] not in allowed
    ]
    assert found == []


@pytest.mark.parametrize("decider", DECIDERS)
def test_a_decider_knows_no_clock_no_chance_and_no_driver(decider: str, modules: Mapping[str, ast.Module]) -> None:
    assert decider in modules
    found = []
    for name in reach(decider, modules):
        for other in imports(name, modules[name], modules):
            top, _, rest = other.partition(".")
            if top in IMPURE or (top == "circolo_events" and rest.partition(".")[0] in IMPURE_PARTS_OF_THE_KIT):
                found.append(f"{name} imports {other}")
    assert found == []


def test_the_rules_of_every_game_are_as_pure_as_the_deciders(modules: Mapping[str, ast.Module]) -> None:
    rules = [name for name in modules if name.startswith(PURE)]
    found = [
        f"{name} imports {other}"
        for name in rules
        for other in imports(name, modules[name], modules)
        if other.partition(".")[0] in IMPURE
    ]
    assert len(rules) > 4
    assert found == []


def test_a_game_never_imports_another_game(modules: Mapping[str, ast.Module]) -> None:
    folder = "circolo_cardgames.games."
    games = {
        name.removeprefix(folder).partition(".")[0]
        for name in modules
        if name.startswith(folder) and name.count(".") > 2
    }
    assert "briscola" in games
    found = []
    for name, module in modules.items():
        game = name.removeprefix(folder).partition(".")[0] if name.startswith(folder) else ""
        if game in games:
            for other in imports(name, module, modules):
                rival = other.removeprefix(folder).partition(".")[0] if other.startswith(folder) else game
                found += [f"{name} imports {other}"] if rival in games - {game} else []
    assert found == []


def test_deciders_call_no_builtin_that_reaches_outside(modules: Mapping[str, ast.Module]) -> None:
    outside = {"open", "input", "print", "eval", "exec", "breakpoint", "hash", "id"}
    found = [
        f"{name}:{node.lineno} calls {node.func.id}"
        for decider in DECIDERS
        for name in reach(decider, modules)
        for node in ast.walk(modules[name])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in outside
    ]
    assert found == []


def test_only_service_modules_compose_adapters_with_deciders(modules: Mapping[str, ast.Module]) -> None:
    """A module that imports a decider and a driver at once is where the two would grow together."""
    drivers = {"asyncpg", "nats", "uvicorn"}
    found = []
    for name, module in modules.items():
        if name.endswith((".service", ".verify")):
            continue
        used = set(imports(name, module, modules))
        if used & set(DECIDERS) and {other.partition(".")[0] for other in used} & drivers:
            found.append(name)
    assert found == []
