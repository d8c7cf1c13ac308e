"""An object's answer, said by one expression that is made for the selection: ``said(value.seat, f1(value.card))``.

A closure and a turn of a loop for each field cost more than what they read. The source has nothing in it but attributes
of our own classes and numbered names; functions, constants and the response keys, which are the client's, are bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from .leaves import Completer, NotPlain

SHAPES = 4_096
"""Sets of response keys whose type is kept."""


@dataclass(frozen=True, slots=True)
class Part:
    """What stands under a key: the first function gets these attributes, or the object if there are none, the next
    one what the first made of it."""

    attributes: tuple[str, ...] = ()
    functions: tuple[Callable[..., Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Constant:
    value: str


def sayer(parts: Mapping[str, Part | Constant], only: type | None = None) -> Completer:
    """From an object to its answer, keys in this order. With ``only`` it raises NotPlain for one of another type."""
    bound: dict[str, Any] = {"said": said_type(tuple(parts)), "only": only, "refuse": _refuse}
    source = f"said({', '.join(_expression(part, bound) for part in parts.values())})"
    if only is not None:
        source += " if type(value) is only else refuse()"
    say: Completer = eval(f"lambda value: {source}", bound)  # noqa: S307  (nothing of the client's is in it)
    return say


def _expression(part: Part | Constant, bound: dict[str, Any]) -> str:
    if isinstance(part, Constant):
        return _bind(part.value, bound)
    assert all(name.isidentifier() for name in part.attributes)
    source = ", ".join(f"value.{name}" for name in part.attributes) or "value"
    for function in part.functions:
        source = f"{_bind(function, bound)}({source})"
    return source


def _bind(what: Any, bound: dict[str, Any]) -> str:
    name = f"f{len(bound)}"
    bound[name] = what
    return name


def _refuse() -> Any:
    raise NotPlain


@lru_cache(maxsize=SHAPES)
def said_type(keys: tuple[str, ...]) -> type[msgspec.Struct]:
    """A JSON object with these keys."""
    names = {f"f{index}": key for index, key in enumerate(keys)}
    return msgspec.defstruct("Said", [(name, object) for name in names], rename=names, frozen=True, gc=False)
