"""From a record to the match: every line is played through the rules, and the first that does not hold is named."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast, get_args

from circolo_contracts.cardgames import AbandonGame, AbandonSeat, IdleTimeout, MatchEvent, StopMatch
from circolo_contracts.games import CATALOGUE, SettingValue, complete_settings
from circolo_contracts.ids import is_hex_id
from circolo_contracts.rooms import AbandonReason, CpuLevel, SeatOccupant
from circolo_service.export import Unreadable

from circolo_cardgames.deck.commitment import keeps_promise
from circolo_cardgames.games import GAMES
from circolo_cardgames.rehearsal import SERVICE, Rehearsal
from circolo_cardgames.state import IDLE_GRAIN_MS, IDLE_MS

from .write import FORMAT, body_of

LONGEST = 1_000_000
"""Characters; a longer text is no record of one match."""
_TAG = re.compile(r'\[([A-Za-z0-9.]+) "([^"]*)"\]')
_ABANDONED = re.compile(rf"ABANDONED by seat (\d)(?: \(({'|'.join(get_args(AbandonReason))})\))?")
_MOVE = re.compile(r"(\d+)\. (\d) (\S+)((?: [#@])*)")


Tags = Mapping[str, str]
Body = Sequence[tuple[int, str]]
"""The lines after the headers, each with its place in the text."""


def parts_of(text: str) -> tuple[Tags, Body]:
    """Raises Unreadable, naming the line."""
    if len(text) > LONGEST:
        raise Unreadable(f"longer than {LONGEST} characters")
    lines = text.splitlines()
    tags = _tags(lines)
    return tags, [(place, line) for place, line in enumerate(lines, 1) if line.strip() and not line.startswith("[")]


def read_match(tags: Tags, body: Body) -> list[MatchEvent]:
    """The match, played again by the rules; its times are not the record's. Raises Unreadable, naming the line."""
    table = _table(tags)
    for place, line in body:
        move = _MOVE.fullmatch(line)
        if move is not None:
            _play(table, int(move[2]), move[3], f"line {place}")
    _end(table, tags.get("Result", ""))
    compare(body, list(body_of(table.events)))
    return table.events


def _tags(lines: Sequence[str]) -> dict[str, str]:
    tags: dict[str, str] = {}
    for place, line in enumerate(lines, 1):
        if line.startswith("["):
            match = _TAG.fullmatch(line)
            if match is None or match[1] in tags:
                raise Unreadable(f"line {place}: no header, or one that was there before: {line}")
            tags[match[1]] = match[2]
    if tags.get("Format") != FORMAT:
        raise Unreadable(f"a record of format {tags.get('Format')!r}; this reads {FORMAT!r}")
    return tags


def _table(tags: Tags) -> Rehearsal:
    """The match of the headers with its first deal, if they keep the promise about the seed."""
    game = tags.get("Game", "")
    if game not in GAMES:
        raise Unreadable(f"the house has no game {game!r}")
    game_id, seed = promised(tags)
    settings = settings_in(game, tags)
    count = CATALOGUE[game].seat_count(settings)
    dealer, game_no = _number(tags, "Dealer", 0, count - 1), game_number(tags)
    return Rehearsal(
        game, [seat_in(tags, seat) for seat in range(count)], settings, seed=seed, dealer=dealer,
        game_id=game_id, room=tags.get("Room", ""), game_no=game_no, ranked=tags.get("Ranked") == "true",
    )  # fmt: skip


def promised(tags: Tags) -> tuple[str, bytes]:
    """The game's id and its seed, if that is the one that was promised."""
    game_id, seed = tags.get("GameId", ""), tags.get("Seed", "")
    if not is_hex_id(game_id) or not re.fullmatch("[0-9a-f]{64}", seed):
        raise Unreadable("GameId and Seed are 32 and 64 hex digits")
    if not keeps_promise(tags.get("Commitment", ""), game_id, seed):
        raise Unreadable("the seed is not the one that was promised")
    return game_id, bytes.fromhex(seed)


def game_number(tags: Tags) -> int:
    return _number(tags, "GameNo", 1, 2**31)


def settings_in(game: str, tags: Tags) -> dict[str, SettingValue]:
    given: dict[str, SettingValue] = {}
    for setting in CATALOGUE[game].settings:
        word = tags.get(f"Setting.{setting.name}", "")
        value: SettingValue = word
        if setting.kind == "int" and word.isascii() and word.isdigit():
            value = int(word)
        elif setting.kind == "bool" and word in ("true", "false"):
            value = word == "true"
        if not setting.accepts(value):
            raise Unreadable(f"Setting.{setting.name} is {word!r}")
        given[setting.name] = value
    settings = complete_settings(CATALOGUE[game], given)
    assert isinstance(settings, dict)
    return settings


def _number(tags: Tags, name: str, least: int, most: int) -> int:
    word = tags.get(name, "")
    if not re.fullmatch("[0-9]{1,10}", word) or not least <= int(word) <= most:
        raise Unreadable(f"{name} is {word!r}, not from {least} to {most}")
    return int(word)


def seat_in(tags: Tags, seat: int) -> SeatOccupant:
    kind, _, who = tags.get(f"Seat{seat}", "").partition(" ")
    if kind == "player" and is_hex_id(who):
        return SeatOccupant(player=who)
    if kind == "cpu" and who in get_args(CpuLevel):
        return SeatOccupant(cpu=who)  # type: ignore[arg-type]
    raise Unreadable(f"Seat{seat} is neither a player nor a CPU")


def _play(table: Rehearsal, seat: int, move: str, line: str) -> None:
    if seat != table.state.turn:
        raise Unreadable(f"{line}: seat {seat} is not on turn")
    try:
        table.play(move)
    except ValueError as error:
        raise Unreadable(f"{line}: {error}") from error


def _end(table: Rehearsal, result: str) -> None:
    """What ended it before the last card."""
    abandoned = _ABANDONED.fullmatch(result)
    if abandoned is not None:
        _abandon(table, int(abandoned[1]), cast("AbandonReason | None", abandoned[2]))
    elif result == "STOPPED":
        table.do(StopMatch(), SERVICE)
    elif result == "IDLE":
        table.now += IDLE_MS + IDLE_GRAIN_MS
        table.do(IdleTimeout(table.state.idle_version), SERVICE)


def _abandon(table: Rehearsal, seat: int, reason: AbandonReason | None) -> None:
    if seat >= len(table.state.seats):
        return
    actor = table.actor(seat)
    if reason is None:
        table.do(AbandonGame(), actor)
    else:
        table.do(AbandonSeat(actor.id, reason), SERVICE)


def compare(body: Body, right: Sequence[str]) -> None:
    """Also the lines between the moves, and the marks, must be what the rules make of it."""
    for (place, line), expected in zip(body, right, strict=False):
        if line.removesuffix(" @") != expected:
            raise Unreadable(f"line {place}: {line!r} should have been {expected!r}")
    if len(body) != len(right):
        raise Unreadable(f"{len(body)} lines after the headers, of a match of {len(right)}")
