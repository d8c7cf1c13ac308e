"""Writes ``docs/events.md``, the catalogue of stored events, from the services' registries: ``make docs``."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import textwrap
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from circolo_events.registry import EventRegistry, EventType
from msgspec import NODEFAULT, Struct, UnsetType

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "events.md"
HEAD = """# Stored events

What the logs hold for ever, by service, as canonical JSON (sorted keys; strings, booleans and integers; absent instead
of null). A field with `?` may be absent. **Secret** fields reach nobody but services until the stream's marker event.
Cards are `<rank><suit>`, times are milliseconds since 1970, ids are 32 hex digits. This page is made by `make docs`.
"""


def registries() -> dict[str, EventRegistry]:
    """Of every service that stores events."""
    found = {}
    for folder in sorted((ROOT / "services").iterdir()):
        if (folder / "src" / f"circolo_{folder.name}" / "registry.py").is_file():
            found[folder.name] = importlib.import_module(f"circolo_{folder.name}.registry").REGISTRY
    return found


def page() -> str:
    text = HEAD
    for service, registry in registries().items():
        text += f"\n## {service}\n"
        if registry.open_marker is not None:
            text += f"\nThe marker is `{registry.open_marker}`: after it everybody may read the whole stream.\n"
        for kind in registry.by_name.values():
            text += f"\n### {kind.name}\n\n{description(kind)}"
    return text


def description(kind: EventType[Any]) -> str:
    lines = []
    said = said_of(kind.struct)
    if said:
        lines += [said, ""]
    fields = msgspec.structs.fields(kind.struct)
    if fields:
        hints, notes = get_type_hints(kind.struct), notes_of(kind.struct)
        lines += [f"Version {kind.version}.", "", "| field | type | |", "|---|---|---|"]
        for field in fields:
            optional = field.default is not NODEFAULT or field.default_factory is not NODEFAULT
            remarks = ["**Secret.**"] if field.name in kind.secret else []
            remarks += [notes[field.name]] if field.name in notes else []
            mark = "?" if optional else ""
            lines.append(f"| `{field.name}{mark}` | {shown(hints[field.name])} | {' '.join(remarks)} |")
    else:
        lines.append(f"Version {kind.version}, without fields.")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def said_of(struct: type[Struct]) -> str:
    own = struct.__dict__.get("__doc__") or ""
    return " ".join(inspect.cleandoc(own).replace("``", "`").split())


def notes_of(struct: type[Struct]) -> dict[str, str]:
    """The text under a field in the code."""
    body = ast.parse(textwrap.dedent(inspect.getsource(struct))).body[0]
    assert isinstance(body, ast.ClassDef)
    notes = {}
    for field, note in zip(body.body, body.body[1:], strict=False):
        named = isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if named and isinstance(note, ast.Expr) and isinstance(note.value, ast.Constant):
            notes[field.target.id] = " ".join(str(note.value.value).replace("``", "`").split())
    return notes


def shown(annotation: Any) -> str:
    """A type in words."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is list:
        return f"list of {shown(inner[0])}"
    if origin is dict:
        return f"object of {shown(inner[1])}"
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in inner)
    if origin in (Union, types.UnionType):
        return " or ".join(shown(part) for part in inner if part is not UnsetType)
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        optional = annotation.__struct_fields__[
            len(annotation.__struct_fields__) - len(annotation.__struct_defaults__) :
        ]
        hints = get_type_hints(annotation)
        parts = [f"{name}{'?' if name in optional else ''}: {shown(hint)}" for name, hint in hints.items()]
        return "{" + ", ".join(parts) + "}"
    words = {str: "string", int: "integer", bool: "boolean"}
    return words.get(annotation) or str(annotation.__name__).lower()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"wrote {PAGE.relative_to(ROOT)}\n")
