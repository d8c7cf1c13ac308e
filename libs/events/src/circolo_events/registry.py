"""Which events exist: stable type names, integer schema versions, pure upcasters, secret fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, get_args

import msgspec
from msgspec import Struct

from . import canonical

E = TypeVar("E", bound=Struct)
Upcaster = Callable[[dict[str, Any]], dict[str, Any]]
"""From the fields of version n to those of version n + 1."""


class UnknownEvent(LookupError):
    """A stored type or version that this code does not know: newer code wrote it, or it was deleted."""


class EventType(Generic[E]):
    """One event: its stable name, its struct, its present version and how older ones become it."""

    def __init__(
        self, name: str, struct: type[E], *, version: int = 1, upcasters: Mapping[int, Upcaster] | None = None,
        secret: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self.name = name
        self.struct = struct
        self.version = version
        self.upcasters = dict(upcasters or {})
        self.secret = secret
        """Fields that analysts do not see until the stream's marker event."""
        if set(self.upcasters) != set(range(1, version)):
            raise ValueError(f"{name}: needs an upcaster for each version from 1 to {version - 1}")
        unknown = secret - set(struct.__struct_fields__)
        if unknown:
            raise ValueError(f"{name}: secret fields that it does not have: {sorted(unknown)}")
        self.decoder = msgspec.json.Decoder(struct)

    def decode(self, schema_v: int, data: bytes) -> E:
        if schema_v == self.version:
            return self.decoder.decode(data)
        if not 1 <= schema_v < self.version:
            raise UnknownEvent(f"{self.name} version {schema_v}; this code knows up to {self.version}")
        fields = msgspec.json.decode(data)
        for old in range(schema_v, self.version):
            fields = self.upcasters[old](fields)
        return msgspec.convert(fields, self.struct)

    def without_secrets(self, data: bytes) -> bytes:
        if not self.secret:
            return data
        fields = msgspec.json.decode(data)
        return canonical.encode({k: v for k, v in fields.items() if k not in self.secret})


class EventRegistry:
    """Every event of one service. Names are the struct's names at first release and stay when a struct is renamed."""

    def __init__(self, *types: EventType[Any], open_marker: str | None = None) -> None:
        self.by_name = {t.name: t for t in types}
        self.by_struct: dict[type[Struct], EventType[Any]] = {t.struct: t for t in types}
        self.open_marker = open_marker
        """The type after which a whole stream may be read by analysts."""
        if len(self.by_name) != len(types) or len(self.by_struct) != len(types):
            raise ValueError("an event name or struct is registered twice")

    @classmethod
    def of_unions(
        cls, *unions: Any, secret: Mapping[type[Struct], frozenset[str]] | None = None, open_marker: str | None = None
    ) -> EventRegistry:
        """A registry of structs at version 1, named after their classes."""
        hidden = secret or {}
        structs = [struct for union in unions for struct in (get_args(union) or (union,))]
        return cls(
            *(EventType(s.__name__, s, secret=hidden.get(s, frozenset())) for s in structs), open_marker=open_marker
        )

    def encode(self, event: Struct) -> tuple[str, int, bytes]:
        """(type name, schema version, canonical JSON)."""
        kind = self.by_struct[type(event)]
        return kind.name, kind.version, canonical.encode(event)

    def decode(self, name: str, schema_v: int, data: bytes) -> Struct:
        kind = self.by_name.get(name)
        if kind is None:
            raise UnknownEvent(name)
        decoded: Struct = kind.decode(schema_v, data)
        return decoded
