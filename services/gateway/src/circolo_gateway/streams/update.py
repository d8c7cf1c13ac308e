"""One step of a view, and the place in a stream from which a subscriber takes his steps."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Seen
from msgspec import UNSET, Raw, Struct, UnsetType


class Update(Struct, eq=False):
    """``previous`` to ``version``, shared by every subscriber of its feed. ``reset``: ``happened`` is not complete;
    of a chat it then has the last messages.

    An update whose ``previous`` and ``version`` are the same is the view anew, without an event: what its viewer keeps
    for himself has changed, as the marks of a tombola.

    ``decoded`` (the view's struct) is made by the first who needs it; ``rendered`` are the answers to plain selections.
    Neither may refer to the update: a circle would live until the collector comes, and hundreds are made a second.
    """

    previous: int
    version: int
    reset: bool
    happened: Sequence[Raw]
    view: Raw
    decoded: Any = None
    rendered: dict[object, bytes] = {}

    def follows(self, version: int) -> bool | None:
        """Whether it is the next step from there; None when it is an old one."""
        if self.version <= version and not self.previous == self.version == version:
            return None
        return self.previous == version

    @classmethod
    def first(cls, seen: Seen, after: int | UnsetType) -> Update | None:
        """What a subscriber gets at once: nothing if he has everything, what he missed, or a snapshot marked reset."""
        if after is UNSET or seen.reset or seen.version < after:
            return cls(0, seen.version, True, seen.happened, seen.view)
        if seen.version == after:
            return None
        return cls(after, seen.version, False, seen.happened, seen.view)

    def merged(self, later: Update, most_happenings: int) -> Update:
        """Both steps as one; with too much to tell it becomes a reset."""
        reset = self.reset or later.reset or len(self.happened) + len(later.happened) > most_happenings
        happened = () if reset else (*self.happened, *later.happened)
        return Update(self.previous, later.version, reset, happened, later.view)


class NotShown(Exception):
    """The owner refuses the viewer, or does not answer."""

    def __init__(self, code: RefusalCode) -> None:
        super().__init__(code.value)
        self.code = code


class Moved(Exception):
    """The viewer's audience is another one now: open anew."""


Direct: TypeAlias = Callable[[Update], bool]
"""Passes an update on at once; False when it has to wait its turn like any other. Never raises."""


class Cursor:
    """A subscriber's place. ``tail`` is the version of the last update queued, taken or passed on.

    At most ``most`` updates wait; then the newest two are merged: a slow subscriber sees fewer steps, never a gap.
    While the subscriber rests because nothing waits, the next update may go straight to him by ``direct``.
    """

    def __init__(self, viewer: str, wake: asyncio.Event, *, most: int, most_happenings: int) -> None:
        self.viewer = viewer
        self.tail = 0
        self.direct: Direct | None = None
        self.lost = False
        """An update did not fit: ask for what came after ``tail``."""
        self._wake = wake
        self._most = most
        self._most_happenings = most_happenings
        self._pending: deque[Update] = deque()
        self._stash: list[Update] = []
        self._failure: Exception | None = None

    def start(self, version: int, first: Update | None) -> None:
        self.tail = version
        if first is not None:
            self._pending.append(first)
            self._wake.set()

    def offer(self, update: Update) -> None:
        """Queue it if it is the next step; an old one is dropped; one that does not fit marks the cursor as lost."""
        follows = update.previous == self.tail < update.version or update.follows(self.tail)
        if follows is None:
            return
        if self.lost:
            if len(self._stash) < self._most:
                self._stash.append(update)
            return
        if not follows and not update.reset:
            self.lost = True
            self._stash = [update]
            self._wake.set()
            return
        self.tail = update.version
        if self.direct is not None and not self._wake.is_set() and self.direct(update):
            return
        if len(self._pending) >= self._most:
            update = self._pending.pop().merged(update, self._most_happenings)
        self._pending.append(update)
        self._wake.set()

    def lose(self) -> None:
        self.lost = True
        self._wake.set()

    def found(self, update: Update | None) -> None:
        """The answer to the question of a lost cursor; what came meanwhile is tried again."""
        stash, self._stash = self._stash, []
        self.lost = False
        for each in [update, *stash] if update is not None else stash:
            self.offer(each)

    def fail(self, failure: Exception) -> None:
        """Raised to the subscriber after nothing more: what still waits is not his to see."""
        self._pending.clear()
        self._failure = failure
        self._wake.set()

    def take(self) -> Update | None:
        """The next update, or None; raises what the cursor failed with."""
        if self._failure is not None:
            raise self._failure
        return self._pending.popleft() if self._pending else None


async def rest(wake: asyncio.Event, short_cuts: Sequence[tuple[Cursor, Direct]]) -> None:
    """Wait until there is something to take from one of these cursors, which ``wake``.

    Until then an update goes past the sleeper. Once he has been woken nothing does any more: what woke him comes first.
    """
    for cursor, direct in short_cuts:
        cursor.direct = direct
    try:
        await wake.wait()
    finally:
        for cursor, _ in short_cuts:
            cursor.direct = None
