"""What the relay puts on JetStream: one message carries a contiguous range of every shard it touches.

The first line is a header, then one envelope a line; all of it is JSON in UTF-8, keys sorted, lines ended by ``\\n``::

    {"heads":{"0":17,...,"15":4},"ranges":[[3,10,12],[7,1,1]],"service":"rooms"}
    {"at":...,"data":{...},"id":"...","pos":10,"shard":3,"stream":"room-...","type":"PlayerJoined","version":5,...}

``ranges``: shard, first and last position, in the order of the envelopes. ``heads``: every shard's last position after
this message, so that the last message alone says how far the feed is.

``log.<service>`` has whole events (with ``command``, ``seq``, ``n``, ``meta``) and is for services only.
``open.<service>`` is the analysts' and outsiders' feed: every event at its own position, without its secret fields, and
without what says who sent it by which command. When an event of the registry's ``open_marker`` type appears in a
stream, that stream may be read whole, by ``analysts_stream``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from . import canonical
from .canonical import SHARDS
from .registry import EventRegistry
from .store import Recorded, Store


class Header(Struct, frozen=True):
    heads: dict[str, int]
    ranges: list[tuple[int, int, int]]
    service: str


class Envelope(Struct, frozen=True):
    """One event on the feed. ``at`` in ms since 1970 by the database's clock."""

    at: int
    id: str
    pos: int
    schema_v: int
    shard: int
    stream: str
    type: str
    version: int
    command: str | UnsetType = UNSET
    data: Raw | UnsetType = UNSET
    """Absent when ``omitted`` says why."""
    meta: Raw | UnsetType = UNSET
    n: int | UnsetType = UNSET
    omitted: str | UnsetType = UNSET
    """``size``: greater than a message may be; ``unknown``: this relay does not know what of it is secret."""
    seq: int | UnsetType = UNSET


Encode = Callable[[Recorded], Envelope]

_encoder = msgspec.json.Encoder(order="sorted")
_header_decoder = msgspec.json.Decoder(Header)
_envelope_decoder = msgspec.json.Decoder(Envelope)


def _envelope(event: Recorded, **more: object) -> Envelope:
    return Envelope(
        event.at, event.id, event.pos, event.schema_v, event.shard, event.stream, event.type, event.version,
        **more,  # type: ignore[arg-type]
    )  # fmt: skip


def whole(event: Recorded) -> Envelope:
    """Everything, for ``log.<service>``."""
    return _envelope(event, command=event.command, data=Raw(event.data), meta=Raw(event.meta), n=event.n, seq=event.seq)


def without_secrets(registry: EventRegistry) -> Encode:
    """For ``open.<service>``: each event at its present version. What this code does not know it shows by name only."""

    def encode(event: Recorded) -> Envelope:
        kind = registry.by_name.get(event.type)
        if kind is None or event.schema_v > kind.version:
            return _envelope(event, omitted="unknown")
        data = event.data
        if event.schema_v < kind.version:
            data = canonical.encode(kind.decode(event.schema_v, data))
            event = msgspec.structs.replace(event, schema_v=kind.version)
        return _envelope(event, data=Raw(kind.without_secrets(data)))

    return encode


async def analysts_stream(store: Store, registry: EventRegistry, stream: str) -> list[Envelope]:
    """One stream as an analyst may read it now: whole once it holds the registry's marker, else without secrets."""
    events = await store.read_stream(stream)
    is_open = registry.open_marker is not None and any(e.type == registry.open_marker for e in events)
    hide = without_secrets(registry)
    return [_envelope(e, data=Raw(e.data)) if is_open else hide(e) for e in events]


def pack(
    service: str, heads: Mapping[int, int], events: Sequence[Recorded], encode: Encode, *, max_bytes: int
) -> tuple[bytes, dict[int, int], list[tuple[int, int, int]]]:
    """As many of the events (in shard order, each shard contiguous after ``heads``) as fit, at least one.

    Returns the message, the heads after it, and its ranges.
    """
    lines: list[bytes] = []
    after = dict(heads)
    first: dict[int, int] = {}
    size = 1024
    for event in events:
        envelope = encode(event)
        line = _encoder.encode(envelope)
        if len(line) + 1024 > max_bytes:
            line = _encoder.encode(_envelope(event, omitted="size"))
        if lines and size + len(line) + 1 > max_bytes:
            break
        lines.append(line)
        size += len(line) + 1
        first.setdefault(event.shard, event.pos)
        after[event.shard] = event.pos
    ranges = [(shard, start, after[shard]) for shard, start in first.items()]
    header = Header({str(shard): pos for shard, pos in sorted(after.items())}, ranges, service)
    return b"\n".join([_encoder.encode(header), *lines, b""]), after, ranges


def heads_of(message: bytes) -> dict[int, int]:
    """How far the feed is after this message. Raises msgspec.MsgspecError for a message that is none of ours."""
    header = _header_decoder.decode(message.partition(b"\n")[0])
    heads = dict.fromkeys(range(SHARDS), 0)
    heads.update({int(shard): pos for shard, pos in header.heads.items()})
    return heads


def unpack(message: bytes) -> tuple[Header, list[Envelope]]:
    """For readers in Python. Raises msgspec.MsgspecError for a message that is none of ours."""
    head, *lines = message.rstrip(b"\n").split(b"\n")
    return _header_decoder.decode(head), [_envelope_decoder.decode(line) for line in lines]
