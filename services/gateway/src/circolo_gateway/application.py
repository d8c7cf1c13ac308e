"""What the transport needs from us: who somebody is, what he may ask for, and a context for each execution."""

from __future__ import annotations

import time
from collections.abc import Awaitable

from graphql import FieldNode, OperationType

from . import telemetry
from .auth import Tokens
from .limits import Buckets
from .recalls import Recalls
from .schema.context import Context, House
from .settings import GatewaySettings
from .transport.documents import Operation
from .transport.session import Identity, Session


class GatewayApplication:
    def __init__(self, house: House, tokens: Tokens, recalls: Recalls, settings: GatewaySettings) -> None:
        self._house = house
        self._tokens = tokens
        self._recalls = recalls
        self._players = Buckets(settings.player_operations_per_second, settings.player_burst, time.monotonic)
        self._addresses = Buckets(settings.address_operations_per_second, settings.address_burst, time.monotonic)

    def identify(self, authorization: str | None) -> Identity:
        return self._tokens.identify(authorization)

    def context(self, session: Session) -> Context:
        return Context(self._house, session)

    def admission(self, session: Session, operation: Operation) -> Awaitable[None] | None:
        identity = session.identity
        return self._recalls.admission(identity, lambda: _only_refreshes(operation))

    def charge(self, session: Session, operation: Operation) -> float:
        player = session.identity.player
        buckets, key = (self._players, player) if player is not None else (self._addresses, session.address)
        wait = buckets.take(key, max(1, operation.size.root_fields))
        (telemetry.limited if wait else telemetry.operations).add(1, operation.kind.value)
        return wait

    def now(self) -> int:
        return self._house.clock.now()


def _only_refreshes(operation: Operation) -> bool:
    """It wants a new token and nothing else."""
    wanted = operation.definition.selection_set.selections
    return operation.kind is OperationType.MUTATION and all(
        isinstance(each, FieldNode) and each.name.value == "refreshToken" for each in wanted
    )
