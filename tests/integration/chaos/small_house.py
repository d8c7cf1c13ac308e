"""A small true story, made without any server: a room, one match of a person against a CPU, and all that was told."""

from __future__ import annotations

import hashlib
import random
import uuid
from typing import Any

from circolo_cardgames.registry import REGISTRY as MATCH_EVENTS
from circolo_contracts import rooms
from circolo_contracts.cardgames import PlayCard, StartMatch
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.wire import Actor
from circolo_events import canonical, feed
from circolo_events.appender import Append, NewEvent, link
from circolo_events.decider import PUBLIC, Context, Viewer
from circolo_events.store import Recorded
from circolo_projector.rooms.room import Room, follow
from circolo_rooms.registry import REGISTRY as ROOM_EVENTS

from .archive import Archive, Armed, Everything, Row
from .checks_of_play import DECIDERS, MATCH, api_name, match_view, room_view
from .history import Accepted, History, Json, Shown, Watching

NOW = 1_800_000_000_000
PLAYER, ROOM, GAME = "a1" * 16, "b2" * 16, "c3" * 16


class Writer:
    """Keeps one service's archive as its append statement would."""

    def __init__(self, service: str) -> None:
        self.archive = Archive(service, [], {}, dict.fromkeys(range(16), 0), [], NOW)
        self._registry = ROOM_EVENTS if service == "rooms" else MATCH_EVENTS
        self.states: dict[str, Any] = {}

    def append(self, stream: str, command: str, *events: Any) -> Recorded:
        """The first of the stored events."""
        archive = self.archive
        version, tail = archive.streams.get(stream, (0, b""))
        shard, rows = canonical.shard_of(stream), []
        encoded = [(uuid.uuid4().hex, *self._registry.encode(event)) for event in events]
        new = [NewEvent(identity, name, schema_v, data, b"{}") for identity, name, schema_v, data in encoded]
        tail = hashlib.sha256(tail + link(Append(stream, version, command, new))).digest()
        for seq, (identity, name, schema_v, data) in enumerate(encoded):
            archive.heads[shard] += 1
            event = Recorded(
                shard, archive.heads[shard], stream, version + seq + 1, identity, command, seq, len(events), name,
                schema_v, data, b"{}", NOW,
            )  # fmt: skip
            rows.append(Row(event, tail if seq == len(events) - 1 else None))
        archive.streams[stream] = (version + len(events), tail)
        archive.rows += rows
        archive.by_stream.setdefault(stream, []).extend(rows)
        self._follow(stream, events)
        return rows[0].event

    def _follow(self, stream: str, events: tuple[Any, ...]) -> None:
        decider = DECIDERS[self.archive.service][stream.partition("-")[0]]
        state = self.states.get(stream, decider.initial)
        for event in events:
            state = decider.evolve(state, event)
        self.states[stream] = state
        self.archive.deadlines = [
            Armed(of, kind, deadline.due_at, deadline.version)
            for of, its in self.states.items()
            for kind, deadline in DECIDERS[self.archive.service][of.partition("-")[0]].deadlines(its).items()
        ]


class SmallHouse:
    """``history`` and ``stored`` agree with each other; a test spoils one of them and asks the checker."""

    def __init__(self) -> None:
        self.history = History()
        self._rooms, self._matches = Writer("rooms"), Writer("cardgames")
        self._rng = random.Random(5)
        self._open()
        self._match()
        self._close()
        self._watch(f"match-{GAME}", PLAYER)
        self._watch(f"match-{GAME}", "")
        self._watch(f"room-{ROOM}", PLAYER)
        for archive in (self._rooms.archive, self._matches.archive):
            archive.rows.sort(key=lambda row: (row.event.shard, row.event.pos))
            archive.now = NOW
        self.stored = Everything(self._rooms.archive, self._matches.archive, self._read_model(), self._feeds())

    def _tell(self, service: str, what: str, event: Recorded, *, position: bool = False) -> None:
        last = event.version + event.n - 1
        told = Accepted(service, event.stream, event.command, what, last, False, event.pos if position else None)
        self.history.accept(told)

    def _open(self) -> None:
        created = rooms.RoomCreated(
            at=NOW, code="ABCDEF", game="BRISCOLA", host=PLAYER, room=ROOM, settings={"players": 2}, visibility="PUBLIC"
        )
        self._tell("rooms", "createRoom", self._rooms.append(f"room-{ROOM}", ROOM, created))
        seated = rooms.CpuSeated(at=NOW, level="EASY", seat=1)
        self._tell("rooms", "addCpu", self._rooms.append(f"room-{ROOM}", uuid.uuid4().hex, seated))
        seats = [SeatOccupant(player=PLAYER), SeatOccupant(cpu="EASY")]
        requested = rooms.GameRequested(
            at=NOW, game="BRISCOLA", game_id=GAME, game_no=1, seats=seats, settings={"players": 2}
        )
        self._tell("rooms", "startGame", self._rooms.append(f"room-{ROOM}", uuid.uuid4().hex, requested))

    def _match(self) -> None:
        seats = [SeatOccupant(player=PLAYER), SeatOccupant(cpu="EASY")]
        start = StartMatch(game="BRISCOLA", game_no=1, room=ROOM, seats=seats, settings={"players": 2}, dealer=1)
        self._decide(start, Actor("service", "cardgames"), uuid.uuid4().hex)
        stream = f"match-{GAME}"
        while (state := self._matches.states[stream]).is_running:
            legal = MATCH.view(state, Viewer.of_seat(state.turn, state.teams[state.turn])).legal_moves
            card = PlayCard(self._rng.choice(legal).card)
            if state.is_cpu(state.turn):
                command = canonical.deadline_command_id(stream, "cpu", state.turn_version)
                self._decide(card, Actor("cpu", str(state.turn)), command)
            else:
                event = self._decide(card, Actor("player", PLAYER), uuid.uuid4().hex)
                self._tell("cardgames", "playCard", event, position=True)

    def _decide(self, command: Any, actor: Actor, identity: str) -> Recorded:
        stream = f"match-{GAME}"
        state = self._matches.states.get(stream, MATCH.initial)
        context = Context(actor, identity, bytes(range(32)), NOW, NOW, stream, state.version)
        return self._matches.append(stream, identity, *MATCH.decide(state, command, context))

    def _close(self) -> None:
        finished = rooms.GameFinished(at=NOW, game_id=GAME, outcome="WON")
        self._rooms.append(f"room-{ROOM}", uuid.uuid4().hex, finished)
        left = rooms.PlayerLeft(at=NOW, keeps_seat=False, player=PLAYER)
        closed = rooms.RoomClosed(at=NOW, code="ABCDEF", reason="EMPTY")
        self._tell("rooms", "leaveRoom", self._rooms.append(f"room-{ROOM}", uuid.uuid4().hex, left, closed))

    # ------------------------------------------------------------ what was shown

    def _watch(self, stream: str, viewer_id: str) -> None:
        """A subscriber from the first event on, with one reconnect in the middle."""
        watching = Watching(stream, viewer_id, since=0)
        archive = self._rooms.archive if stream.startswith("room-") else self._matches.archive
        decider = DECIDERS[archive.service][stream.partition("-")[0]]
        registry = ROOM_EVENTS if archive.service == "rooms" else MATCH_EVENTS
        state, happened = decider.initial, []
        for row in archive.by_stream[stream]:
            event = registry.decode(row.event.type, row.event.schema_v, row.event.data)
            before, state = state, decider.evolve(state, event)
            viewer = decider.viewer(state, viewer_id) if archive.service == "cardgames" else PUBLIC
            happened += [(api_name(t.kind), t.at_version) for t in decider.tell(event, before, state, viewer)]
            if row.chain is not None:
                view = shown_view(archive.service, decider.view(state, viewer))
                watching.shown.append(
                    Shown(state.version, False, tuple(happened), view, connection=int(state.version > 20))
                )
                happened = []
        watching.final, watching.converged = watching.shown[-1].view, True
        self.history.watching.append(watching)

    def _read_model(self) -> dict[str, Room]:
        row = Room(ROOM)
        for each in self._rooms.archive.by_stream[f"room-{ROOM}"]:
            event = ROOM_EVENTS.decode(each.event.type, each.event.schema_v, each.event.data)
            row = follow(row, each.event.version, event)
        return {ROOM: row}

    def _feeds(self) -> dict[str, list[bytes]]:
        """Each log in messages of at most 4 KB."""
        feeds = {}
        for archive in (self._rooms.archive, self._matches.archive):
            heads, messages = dict.fromkeys(range(16), 0), []
            while left := [row.event for row in archive.rows if row.event.pos > heads[row.event.shard]]:
                message, heads, _ = feed.pack(archive.service, heads, left, feed.whole, max_bytes=4096)
                messages.append(message)
            feeds[archive.service] = messages
        return feeds


def shown_view(service: str, view: Any) -> Json:
    """As a client gets it, as far as the checker looks."""
    if service == "rooms":
        members = [{"connected": member.connected} for member in view.members]
        return {**room_view(view), "members": members, "seats": [{"cpu": c} for c in room_view(view)["seats"]]}
    seats = [{"handCount": seat.hand_count, "pileCount": seat.pile_count} for seat in view.seats]
    return {**match_view(view), "seats": seats}
