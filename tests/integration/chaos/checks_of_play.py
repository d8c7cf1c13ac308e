"""The checker's part that knows the rules: views and tellings by a fold, deadlines, CPU moves, results, fair deals."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from circolo_cardgames.checks import check
from circolo_cardgames.match import Match
from circolo_cardgames.registry import REGISTRY as MATCH_EVENTS
from circolo_contracts.ids import id_of
from circolo_events.canonical import deadline_command_id
from circolo_events.decider import PUBLIC, Rejection, Viewer
from circolo_events.registry import EventRegistry
from circolo_events.store import Recorded
from circolo_rooms.code import CodeDecider
from circolo_rooms.player import PlayerDecider
from circolo_rooms.registry import REGISTRY as ROOM_EVENTS
from circolo_rooms.room import RoomDecider
from msgspec import UNSET

from . import checks
from .archive import Archive, Armed, Everything
from .checks import Violation
from .history import History, Json, Shown, Watching

MATCH = Match()
DECIDERS: dict[str, dict[str, Any]] = {
    "rooms": {"player": PlayerDecider(), "code": CodeDecider(), "room": RoomDecider()},
    "cardgames": {"match": MATCH},
}
REGISTRIES: dict[str, EventRegistry] = {"rooms": ROOM_EVENTS, "cardgames": MATCH_EVENTS}


def everything(history: History, stored: Everything) -> list[Violation]:
    """Everything that must hold when a storm is over."""
    found = [*checks.store(stored.rooms), *checks.store(stored.cardgames)]
    found += checks.answers(history, stored)
    found += checks.read_model(stored.read_model, stored.rooms)
    for service, messages in stored.feeds.items():
        found += checks.feed(messages, stored.of(service))
        found += deadlines(stored.of(service))
    for watching in history.watching:
        found += told(watching, stored.of(watching.service))
    found += cpu_moves(stored.cardgames)
    found += results(stored)
    found += fair_deals(stored.cardgames)
    return found


# ---------------------------------------------------------------- folding


def states(service: str, events: Sequence[Recorded]) -> list[tuple[Any, Any]]:
    """(event, state after it) of a whole stream."""
    decider = DECIDERS[service][events[0].stream.partition("-")[0]]
    state, found = decider.initial, []
    for stored in events:
        event = REGISTRIES[service].decode(stored.type, stored.schema_v, stored.data)
        state = decider.evolve(state, event)
        found.append((event, state))
    return found


# ---------------------------------------------------------------- what a subscriber was told


def told(watching: Watching, archive: Archive) -> Iterator[Violation]:
    """Each version at most once, nothing told twice or missed, each view as the log says, and the end reached."""
    about = f"{watching.stream} for {watching.viewer[:8] or 'nobody'}"
    rows = archive.by_stream.get(watching.stream, [])
    folded = states(archive.service, [row.event for row in rows]) if rows else []
    last: int | None = watching.since
    for shown in watching.shown:
        if shown.version == 0:  # a game that has no event yet
            continue
        if last is not None and shown.version <= last:
            yield Violation("told twice", about, f"version {shown.version} after {last}")
        if shown.version > len(folded):
            yield Violation("told of nothing", about, f"version {shown.version} of {len(folded)}")
            continue
        if not shown.reset:
            yield from _happened(about, last or 0, shown, folded, watching)
        yield from _view(about, shown, folded, watching)
        last = shown.version
    if watching.final is not None:
        if not watching.converged or not watching.shown:
            yield Violation("not converged", about, f"at {last}, a query shows {watching.final['version']}")
            return
        settled = next((s for s in watching.shown if s.version == watching.final["version"]), watching.shown[-1])
        if different := list(differences(settled.view, watching.final)):  # presence may have moved on since
            where = f"at {settled.version}"
            yield Violation("not converged", about, f"{where} it shows otherwise than a query: {different}")


def differences(shown: Any, queried: Any, path: str = "") -> Iterator[str]:
    """Where two views differ."""
    if isinstance(shown, dict) and isinstance(queried, dict):
        for name in sorted(shown.keys() | queried.keys()):
            yield from differences(shown.get(name), queried.get(name), f"{path}.{name}")
    elif isinstance(shown, list) and isinstance(queried, list) and len(shown) == len(queried):
        for number, (one, other) in enumerate(zip(shown, queried, strict=True)):
            yield from differences(one, other, f"{path}[{number}]")
    elif shown != queried:
        yield f"{path}: {shown!r}, {queried!r}"


def _happened(
    about: str, last: int, shown: Shown, folded: Sequence[tuple[Any, Any]], watching: Watching
) -> Iterator[Violation]:
    expected = []
    decider = _decider_of(watching)
    for version in range(last + 1, shown.version + 1):
        event, after = folded[version - 1]
        before = folded[version - 2][1] if version > 1 else decider.initial
        viewer = _viewer(decider, after, watching.viewer)
        expected += [(api_name(t.kind), t.at_version) for t in decider.tell(event, before, after, viewer)]
    got = list(shown.happened)
    if got != expected:
        missed = [each for each in expected if each not in got]
        kind = "missed" if missed else "told twice"
        yield Violation(kind, about, f"from {last} to {shown.version}: told {got}, happened {expected}")


def _view(about: str, shown: Shown, folded: Sequence[tuple[Any, Any]], watching: Watching) -> Iterator[Violation]:
    state = folded[shown.version - 1][1]
    decider = _decider_of(watching)
    view = decider.view(state, _viewer(decider, state, watching.viewer))
    expected = match_view(view) if watching.service == "cardgames" else room_view(view)
    got = {name: shown.view[name] for name in expected}
    if watching.service == "rooms":
        got["members"] = [member["connected"] for member in shown.view["members"]]
        got["seats"] = [seat["cpu"] for seat in shown.view["seats"]]
    else:
        got["seats"] = [(seat["handCount"], seat["pileCount"]) for seat in shown.view["seats"]]
    if got != expected:
        different = {name: (got[name], expected[name]) for name in expected if got[name] != expected[name]}
        yield Violation("another view", about, f"at {shown.version} (shown, stored): {different}")


def _decider_of(watching: Watching) -> Any:
    return DECIDERS[watching.service][watching.stream.partition("-")[0]]


def _viewer(decider: Any, state: Any, player: str) -> Viewer:
    viewer = decider.viewer(state, player)
    return PUBLIC if isinstance(viewer, Rejection) else viewer


def api_name(kind: str) -> str:
    """``TrickEnded`` as the API writes it: TRICK_ENDED."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind).upper()


def _given(value: Any) -> Any:
    return None if value is UNSET else value


def match_view(view: Any) -> Json:
    """The fields of a match's view that a client asks for, as it gets them."""
    moves = None if view.legal_moves is UNSET else [{"card": m.card, "captures": m.captures} for m in view.legal_moves]
    return {
        "status": view.status, "version": view.version, "seat": _given(view.seat), "hand": _given(view.hand),
        "legalMoves": moves, "turn": _given(view.turn),
        "trumpCard": _given(view.trump_card), "trick": [{"seat": c.seat, "card": c.card} for c in view.trick],
        "stockCount": view.stock_count, "dealer": view.dealer, "dealNo": view.deal_no, "commitment": view.commitment,
        "seed": _given(view.seed), "score": list(view.score),
        "seats": [(seat.hand_count, seat.pile_count) for seat in view.seats],
    }  # fmt: skip


def room_view(view: Any) -> Json:
    return {
        "code": view.code, "phase": view.phase, "version": view.version, "gameNo": view.game_no,
        "members": [member.connected for member in view.members], "seats": [_given(seat.cpu) for seat in view.seats],
    }  # fmt: skip


# ---------------------------------------------------------------- deadlines


def deadlines(archive: Archive) -> Iterator[Violation]:
    """The rows are exactly what the states say, and none of them is due."""
    rows = {(armed.stream, armed.kind): armed for armed in archive.deadlines}
    expected: dict[tuple[str, str], Armed] = {}
    for kind, decider in DECIDERS[archive.service].items():
        for stream, events in archive.events(kind).items():
            state = states(archive.service, events)[-1][1]
            for name, deadline in decider.deadlines(state).items():
                expected[stream, name] = Armed(stream, name, deadline.due_at, deadline.version)
    for key in sorted(rows.keys() | expected.keys()):
        if rows.get(key) != expected.get(key):
            yield Violation("deadline", f"{key[0]} {key[1]}", f"row {rows.get(key)}, state {expected.get(key)}")
        elif rows[key].due_at < archive.now:
            yield Violation("due", f"{key[0]} {key[1]}", f"due {archive.now - rows[key].due_at} ms ago and not fired")


def cpu_moves(cardgames: Archive) -> Iterator[Violation]:
    """A CPU's card and the clock's are the deadline's own command, once for each time that it was armed."""
    for stream, events in cardgames.events("match").items():
        folded = states("cardgames", events)
        fired: set[str] = set()
        for number, (event, _) in enumerate(folded):
            if type(event).__name__ != "CardPlayed":
                continue
            before = folded[number - 1][1]
            kind = "turn" if event.automatic else "cpu" if before.is_cpu(event.seat) else ""
            if not kind:
                continue
            command = events[number].command
            if command in fired:
                yield Violation("fired twice", stream, f"{kind} at version {before.version}")
            fired.add(command)
            if command != deadline_command_id(stream, kind, before.turn_version):
                yield Violation("fired by nobody", stream, f"the card at version {number + 1} is not of its deadline")


# ---------------------------------------------------------------- across services


def results(stored: Everything) -> Iterator[Violation]:
    """Every game that a room asked for was started once and, when it ended, brought its room back once."""
    matches = {id_of(stream): events for stream, events in stored.cardgames.events("match").items()}
    ended = {game for game, events in matches.items() if {e.type for e in events} & {"MatchEnded", "GameCancelled"}}
    requested: dict[str, str] = {}
    for stream, events in stored.rooms.events("room").items():
        asked = [_field(e, "game_id") for e in events if e.type == "GameRequested"]
        finished = [_field(e, "game_id") for e in events if e.type == "GameFinished"]
        requested.update(dict.fromkeys(asked, stream))
        for game in {*asked, *finished}:
            if finished.count(game) != (game in ended):
                yield Violation("result", stream, f"game {game} finished {finished.count(game)} times")
    for game in sorted(requested.keys() - matches.keys()):
        yield Violation("result", requested[game], f"game {game} was requested and never started")
    for game in sorted(matches.keys() - requested.keys()):
        yield Violation("result", f"match-{game}", "nobody requested it")


def _field(event: Recorded, name: str) -> str:
    return str(json.loads(event.data)[name])


def fair_deals(cardgames: Archive) -> Iterator[Violation]:
    """Every match that is over can be verified by anybody."""
    for stream, events in cardgames.events("match").items():
        folded = states("cardgames", events)
        if not folded[-1][1].revealed or type(folded[0][0]).__name__ == "GameCancelled":
            continue
        for step in check(id_of(stream), [event for event, _ in folded]):
            if not step.holds:
                yield Violation("unfair", stream, step.text)
