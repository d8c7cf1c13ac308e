"""``python -m circolo_rooms.grant <player> operator|analyst [--revoke]``: who belongs to the direction.

Asks the running rooms by NATS (CIRCOLO_NATS_URL); the player's next token, by ``refreshToken``, has the role. Taking a
role away ends all his tokens of before. Exit 0: done, or it was so already; 1: there is no such player; 2: rooms did
not answer, or the arguments are wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import uuid

from circolo_contracts.direction import GrantRole, RevokeRole, Role
from circolo_contracts.ids import PlayerId, id_of, is_hex_id, kind_of, parse_global_id, player_stream
from circolo_contracts.wire import Actor, Answer, Command, Done, Refused
from circolo_events import canonical
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from msgspec import Raw
from nats.errors import Error as NatsError

DONE, NO_PLAYER, UNREACHABLE = 0, 1, 2
CONSOLE = Actor("service", "console")
ROLES: dict[str, Role] = {"analyst": "ANALYST", "operator": "OPERATOR"}
CONNECT_SECONDS = 5.0


def player_id_of(text: str) -> PlayerId | None:
    """From 32 hex digits, a stream's name, or the id that the API gives."""
    parsed = parse_global_id(text)
    stream = parsed[1] if parsed is not None else text
    identity = id_of(stream) if kind_of(stream) == "player" else text
    return PlayerId(identity) if is_hex_id(identity) else None


async def ask(url: str, player: PlayerId, order: GrantRole | RevokeRole) -> Answer:
    """Raises what a connection raises."""
    async with asyncio.timeout(CONNECT_SECONDS):
        bus = await NatsBus.connect(url, name="circolo-grant")
    try:
        command = Command(
            actor=CONSOLE, data=Raw(canonical.encode(order)), id=uuid.uuid4().hex, type=type(order).__name__
        )
        return await CommandClient(bus).send("rooms", player_stream(player), command)
    finally:
        await bus.close()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="circolo grant", description="Give a player a role of the house.")
    parser.add_argument("player", help="the player's id, as the API gives it, or 32 hex digits")
    parser.add_argument("role", choices=sorted(ROLES))
    parser.add_argument("--revoke", action="store_true", help="take it away instead")
    options = parser.parse_args(arguments)
    player = player_id_of(options.player)
    if player is None:
        parser.error("that is no id of a player")
    url = os.environ.get("CIRCOLO_NATS_URL")
    if not url:
        parser.error("CIRCOLO_NATS_URL is not set")
    order = RevokeRole(ROLES[options.role]) if options.revoke else GrantRole(ROLES[options.role])
    try:
        answer = asyncio.run(ask(url, player, order))
    except (OSError, TimeoutError, NatsError) as error:
        sys.stderr.write(f"circolo grant: NATS cannot be reached ({type(error).__name__})\n")
        return UNREACHABLE
    if isinstance(answer, Done):
        sys.stdout.write(f"{player} {'is no longer' if options.revoke else 'is'} {options.role}\n")
        return DONE
    known = isinstance(answer, Refused) and answer.code.value == "NOT_FOUND"
    sys.stderr.write(f"circolo grant: {'there is no such player' if known else 'rooms did not answer'}\n")
    return NO_PLAYER if known else UNREACHABLE


if __name__ == "__main__":
    sys.exit(main())
