"""How large an operation is, in one memoised pass: every fragment is walked once however often it is spread.

Depth, fields, aliases, directives and cost are those of the document with its fragments expanded. A field costs 1;
one that asks a service costs ``WEIGHTS``; what is under a list with ``first`` counts as often as it may come.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
)

from .errors import Problem

LISTS = ("entries", "history", "leaderboard", "lobby", "messages", "reports")
"""Fields with ``first``, which is 20 when it is left out."""
WEIGHTS: Mapping[str, int] = {
    "room": 10, "game": 10, "node": 10, "frozen": 10, "player": 2, "me": 2, "balance": 2, "mine": 5, "match": 5,
    "standing": 2, "statistics": 2, "statisticsByGame": 2, **dict.fromkeys(LISTS, 20),
}  # fmt: skip
"""Fields that ask a service or the database."""
MOST_IN_A_LIST = 100
"""The cap of ``first``; assumed when its value is a variable."""
MOST_FRAGMENTS = 150
"""So that a chain of fragments cannot exhaust the stack."""


@dataclass(frozen=True, slots=True)
class Size:
    depth: int = 0
    fields: int = 0
    aliases: int = 0
    directives: int = 0
    cost: int = 0
    root_fields: int = 0
    """Fields of this very level, fragments expanded."""


@dataclass(frozen=True, slots=True)
class Bounds:
    depth: int = 16
    fields: int = 1_000
    aliases: int = 50
    directives: int = 50
    cost: int = 5_000


def sizes(document: DocumentNode, bounds: Bounds) -> dict[str | None, Size]:
    """The size of each operation by name. Raises Problem when one is too large; cycles are left to validation."""
    fragments = {d.name.value: d for d in document.definitions if isinstance(d, FragmentDefinitionNode)}
    if len(fragments) > MOST_FRAGMENTS:
        raise Problem("TOO_LARGE", f"A document has at most {MOST_FRAGMENTS} fragments.")
    walk = _Walk(fragments, bounds)
    found: dict[str | None, Size] = {}
    for fragment in fragments.values():
        _check(walk.fragment(fragment), bounds)
    for definition in document.definitions:
        if isinstance(definition, OperationDefinitionNode):
            size = walk.selections(definition.selection_set, 1)
            _check(size, bounds, extra_directives=len(definition.directives or ()))
            found[definition.name.value if definition.name else None] = size
    return found


def _check(size: Size, bounds: Bounds, extra_directives: int = 0) -> None:
    if size.depth > bounds.depth:
        raise _too_deep(bounds)
    for name, value, most in (
        ("fields", size.fields, bounds.fields),
        ("aliases", size.aliases, bounds.aliases),
        ("directives", size.directives + extra_directives, bounds.directives),
        ("cost", size.cost, bounds.cost),
    ):
        if value > most:
            raise Problem("TOO_LARGE", f"The operation has too many {name}." if name != "cost" else
                          "The operation costs too much.", extensions={"limit": name, "most": most})  # fmt: skip


def _too_deep(bounds: Bounds) -> Problem:
    return Problem(
        "TOO_LARGE", "The operation is nested too deeply.", extensions={"limit": "depth", "most": bounds.depth}
    )


class _Walk:
    def __init__(self, fragments: Mapping[str, FragmentDefinitionNode], bounds: Bounds) -> None:
        self._fragments = fragments
        self._bounds = bounds
        self._known: dict[str, Size] = {}

    def fragment(self, fragment: FragmentDefinitionNode) -> Size:
        name = fragment.name.value
        known = self._known.get(name)
        if known is None:
            self._known[name] = Size()  # a cycle ends here; validation refuses it
            known = self._known[name] = self.selections(fragment.selection_set, 1)
        return known

    def selections(self, selection_set: SelectionSetNode, level: int) -> Size:
        if level > self._bounds.depth:
            raise _too_deep(self._bounds)
        depth = fields = aliases = directives = cost = root_fields = 0
        for selection in selection_set.selections:
            directives += len(selection.directives or ())
            if isinstance(selection, FieldNode):
                root_fields += 1
                fields += 1
                aliases += selection.alias is not None
                own = WEIGHTS.get(selection.name.value, 1)
                if selection.selection_set is None:
                    cost += own
                    depth = max(depth, 1)
                    continue
                under = self.selections(selection.selection_set, level + 1)
                cost += own + under.cost * _times(selection)
                depth = max(depth, 1 + under.depth)
            elif isinstance(selection, FragmentSpreadNode):
                fragment = self._fragments.get(selection.name.value)
                if fragment is None:
                    continue
                under = self.fragment(fragment)
                root_fields += under.root_fields
                cost += under.cost
                depth = max(depth, under.depth)
            else:
                assert isinstance(selection, InlineFragmentNode)
                under = self.selections(selection.selection_set, level)
                root_fields += under.root_fields
                cost += under.cost
                depth = max(depth, under.depth)
            fields += under.fields
            aliases += under.aliases
            directives += under.directives
        return Size(depth, fields, aliases, directives, cost, root_fields)


def _times(field: FieldNode) -> int:
    for argument in field.arguments or ():
        if argument.name.value == "first":
            if isinstance(argument.value, IntValueNode) and len(argument.value.value) < 10:
                return max(1, min(int(argument.value.value), MOST_IN_A_LIST))
            return MOST_IN_A_LIST
    return 20 if field.name.value in LISTS else 1
