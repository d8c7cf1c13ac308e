"""The live view of one stream for one audience, shared by all its subscribers in this process.

A push whose ``previous`` is our version is passed on; an older one is dropped; any other shows that one was lost, and
the owner is asked for what came after our version. The same question is asked after a reconnect, when an answer told
of a version that does not arrive, and now and then when it stays quiet: a lost push heals whatever lost it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Answer, Ask, Refused, Seen, pushed_decoder
from circolo_events.bus import BusSubscription
from msgspec import MsgspecError

from .update import Cursor, Moved, NotShown, Update

log = logging.getLogger(__name__)

AskOwner = Callable[[Ask], Awaitable[Answer]]

RECENT = 32
"""Pushes kept for subscribers who join while they arrive."""
MOST_EARLY = 256
"""Pushes kept while an answer is awaited, the newest; a hole in them is seen and asked for like any other."""
RETRY_SECONDS = 0.5
BEHIND_SECONDS = 0.05
"""The owner's answer was older than a push that we hold: ask again after this."""


class Feed:
    def __init__(
        self, service: str, stream: str, audience: str, ask: AskOwner, *, check_seconds: float, check_most: float
    ) -> None:
        self.service = service
        """Who owns the stream."""
        self.stream = stream
        self.audience = audience
        self.ask = ask
        self.version = -1
        """-1 until the first subscriber's answer came."""
        self.cursors: set[Cursor] = set()
        self.openers = 0
        """Who is about to join; a feed without cursors and openers is closed after a while."""
        self.subscription: BusSubscription | None = None
        self.live_since = float("inf")
        self.heard = asyncio.Event()
        """Set by the first push."""
        self._pushed_to = False
        self.mended = 0
        """Updates that had to be asked for."""
        self.anew: Update | None = None
        """The last view that changed without an event."""
        self._recent: deque[Update] = deque(maxlen=RECENT)
        self._early: deque[Update] = deque(maxlen=MOST_EARLY)
        self._mending: asyncio.Task[None] | None = None
        self._check_seconds = check_seconds
        self._check_most = check_most
        self._wait = check_seconds
        self._loop = asyncio.get_running_loop()
        self._check_at = self._loop.time() + check_seconds

    @property
    def unused(self) -> bool:
        return not self.cursors and not self.openers

    @property
    def latest(self) -> Update | None:
        """The last push, if it is where we are as far as we know."""
        if not self._recent or self._mending is not None or self._recent[-1].version != self.version:
            return None
        return self._recent[-1]

    def on_push(self, payload: bytes) -> None:
        try:
            pushed = pushed_decoder.decode(payload)
        except MsgspecError:
            log.warning("a push of %s to %s cannot be read", self.stream, self.audience)
            self.mend()
            return
        if not self._pushed_to:
            self._pushed_to = True
            self.heard.set()
        self._wait = self._check_seconds
        self._check_at = self._loop.time() + self._wait
        update = Update(pushed.previous, pushed.version, False, pushed.happened, pushed.view)
        if 0 <= update.previous == self.version < update.version and self._mending is None:
            self._pass_on(update)
        else:
            self._take(update)

    def join(self, cursor: Cursor, seen: Seen, first: Update | None) -> None:
        """The subscriber has ``seen``; everything after it follows."""
        cursor.start(seen.version, first)
        self.cursors.add(cursor)
        if self.version < 0:
            self.version = seen.version
            self._take_early()
            return
        if seen.version < self.version:
            for update in self._recent:
                cursor.offer(update)
            if cursor.tail < self.version:
                cursor.lose()
        elif seen.version > self.version:
            self.expect(seen.version)

    def expect(self, version: int) -> None:
        """Somebody was told of this version: if its push does not come soon, it was lost."""
        if version > self.version >= 0:
            self._loop.call_later(RETRY_SECONDS, self._expected, version)

    def _expected(self, version: int) -> None:
        if self.version < version:
            self.mend()

    def check(self, now: float) -> None:
        """Ask if it has been quiet for long; each time without news the next question comes later."""
        if self.cursors and now >= self._check_at:
            self._wait = min(self._wait * 2, self._check_most)
            self._check_at = now + self._wait
            self.mend()

    def mend(self) -> None:
        """Ask the owner for what came after our version, unless that is being done."""
        if self._mending is None and self.cursors and self.version >= 0:
            self._mending = self._loop.create_task(self._mend())

    def close(self) -> None:
        if self._mending is not None:
            self._mending.cancel()

    # ------------------------------------------------------------

    def _take(self, update: Update) -> None:
        if self.version < 0 or self._mending is not None:
            self._early.append(update)
            return
        follows = update.follows(self.version)
        if follows is None:
            return
        if not follows:
            if not self.cursors:
                self.version = -1  # the next subscriber's answer says where we are
                self._recent.clear()
            self._early.append(update)
            self.mend()
            return
        self._pass_on(update)

    def _pass_on(self, update: Update) -> None:
        if update.previous == update.version:
            self.anew = update
        self.version = update.version
        self._recent.append(update)
        for cursor in self.cursors:
            cursor.offer(update)

    def _take_early(self) -> None:
        early = list(self._early)
        self._early.clear()
        for update in early:
            self._take(update)

    async def _mend(self) -> None:
        try:
            while self.cursors:
                answered = await self._ask_once()
                if answered and not any(update.previous > self.version for update in self._early):
                    break
                await asyncio.sleep(BEHIND_SECONDS if answered else RETRY_SECONDS)
        finally:
            self._mending = None
        if self.cursors:
            self._take_early()

    async def _ask_once(self) -> bool:
        """By the eyes of any subscriber; one who may not see this any more is told so. False: nobody answered."""
        cursor = next(iter(self.cursors))
        known = self.version
        answer = await self.ask(Ask(cursor.viewer, known))
        if isinstance(answer, Seen) and answer.audience == self.audience:
            update = Update.first(answer, known)
            if update is not None and answer.version > known:
                self.mended += 1
                self._pass_on(update)
            return True
        if isinstance(answer, Refused) and answer.code is RefusalCode.UNAVAILABLE:
            return False
        self.cursors.discard(cursor)
        if isinstance(answer, Refused):
            cursor.fail(NotShown(answer.code))
        else:
            cursor.fail(Moved())
        return not self.cursors
