"""All feeds of the process: opening without a gap, catching up, closing what nobody watches."""

from __future__ import annotations

import asyncio
import logging
import random

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Answer, Ask, Refused, Seen, up_subject, view_subject
from circolo_events.bus import BusError, BusSubscription, Message, NatsBus
from circolo_events.client import CommandClient
from msgspec import UNSET, UnsetType

from .feed import Feed
from .update import Cursor, Moved, NotShown, Update

log = logging.getLogger(__name__)

LINGER_SECONDS = 2.0
"""A feed outlives its last subscriber a little: a refreshed page finds it alive."""
SWEEP_SECONDS = 0.5
CHECK_SECONDS = 2.0
"""How often at most all feeds are looked through for those that have been quiet for long."""
START_SPREAD_SECONDS = 0.5
"""A service that has just started is asked by all feeds within this time, not at once."""
TRIES = 6


def shown_to(answer: Answer) -> Seen:
    """The owner's view; raises NotShown."""
    if isinstance(answer, Seen):
        return answer
    raise NotShown(answer.code if isinstance(answer, Refused) else RefusalCode.UNAVAILABLE)


class Feeds:
    def __init__(
        self,
        bus: NatsBus,
        client: CommandClient,
        *,
        pending: int = 32,
        happenings: int = 256,
        check_seconds: float = 5.0,
        check_most: float = 40.0,
    ) -> None:
        self._bus = bus
        self._client = client
        self._pending = pending
        self._happenings = happenings
        self._check_seconds = check_seconds
        self._check_most = check_most
        self._feeds: dict[tuple[str, str], Feed] = {}
        self._opening: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._by_stream: dict[str, set[Feed]] = {}
        self._empty: dict[Feed, float] = {}
        self._ups: BusSubscription | None = None
        self._sweeper: asyncio.Task[None] | None = None
        self._mended_before = 0

    def __len__(self) -> int:
        return len(self._feeds)

    @property
    def subscribers(self) -> int:
        return sum(len(feed.cursors) for feed in self._feeds.values())

    @property
    def mended(self) -> int:
        """Updates that had to be asked for since the start."""
        return self._mended_before + sum(feed.mended for feed in self._feeds.values())

    async def start(self) -> None:
        self._bus.reconnected.append(self._after_reconnect)
        self._ups = await self._bus.subscribe(up_subject("*"), self._after_start)
        self._sweeper = asyncio.get_running_loop().create_task(self._sweep())

    async def stop(self) -> None:
        if self._ups is not None:
            await self._ups.unsubscribe()
        if self._after_reconnect in self._bus.reconnected:
            self._bus.reconnected.remove(self._after_reconnect)
        if self._sweeper is not None:
            self._sweeper.cancel()
        for feed in list(self._feeds.values()):
            await self._close(feed)

    # ------------------------------------------------------------ opening

    async def ask(self, service: str, stream: str, viewer: str, after: int | UnsetType = UNSET) -> Answer:
        return await self._client.send(service, stream, Ask(viewer, after))

    async def document(
        self, service: str, stream: str, viewer: str, name: str, after: int | UnsetType = UNSET
    ) -> Answer:
        return await self._client.send(service, stream, Ask(viewer, after, name))

    async def open(
        self,
        service: str,
        stream: str,
        viewer: str,
        *,
        after: int | UnsetType = UNSET,
        wake: asyncio.Event | None = None,
        expected: str | None = None,
    ) -> tuple[Cursor, Seen]:
        """A place in the stream for this viewer, in the audience that its owner gives him, and what he saw first.

        Raises NotShown with the owner's refusal. The question that counts is always sent after NATS knows of our
        subscription, so that no push can fall between the answer and the stream. With ``expected``, the audience that
        he will probably be given, one question is enough; he joins the one that the owner says.
        """
        cursor = self._cursor(viewer, wake or asyncio.Event())
        audience = expected
        if audience is None:
            asked_at = asyncio.get_running_loop().time()
            seen = shown_to(await self.ask(service, stream, viewer, after))
            followed = self._feeds.get((stream, seen.audience))
            if followed is not None and followed.live_since <= asked_at:
                followed.join(cursor, seen, Update.first(seen, after))
                self._note_use(followed)
                return cursor, seen
            audience = seen.audience
        for _ in range(TRIES):
            feed = await self._live(service, stream, audience)
            known = feed.anew
            try:
                seen = shown_to(await self.ask(service, stream, viewer, after))
                if seen.audience == audience:
                    feed.join(cursor, seen, Update.first(seen, after))
                    if feed.anew is not None and feed.anew is not known:
                        cursor.offer(feed.anew)  # changed while we asked, and the version does not say so
                    return cursor, seen
            finally:
                feed.openers -= 1
                self._note_use(feed)
            audience = seen.audience
        raise NotShown(RefusalCode.UNAVAILABLE)

    def beside(self, stream: str, other: Cursor, wake: asyncio.Event) -> tuple[Cursor, Update] | None:
        """A second place next to one of the same viewer, from the last push on, without a question. None when that
        is not at hand."""
        if other.lost:
            return None
        for feed in self._by_stream.get(stream, ()):
            if other in feed.cursors and (latest := feed.latest) is not None:
                cursor = self._cursor(other.viewer, wake)
                cursor.start(latest.version, None)
                feed.cursors.add(cursor)
                return cursor, latest
        return None

    def _cursor(self, viewer: str, wake: asyncio.Event) -> Cursor:
        return Cursor(viewer, wake, most=self._pending, most_happenings=self._happenings)

    def close(self, stream: str, cursor: Cursor) -> None:
        for feed in self._by_stream.get(stream, ()):
            if cursor in feed.cursors:
                feed.cursors.discard(cursor)
                self._note_use(feed)

    async def catch_up(self, service: str, stream: str, cursor: Cursor) -> None:
        """For a lost cursor: ask for what it misses. Raises Moved or NotShown."""
        tail = cursor.tail
        seen = shown_to(await self.ask(service, stream, cursor.viewer, tail))
        if not any(
            cursor in feed.cursors and feed.audience == seen.audience for feed in self._by_stream.get(stream, ())
        ):
            raise Moved
        cursor.found(Update.first(seen, tail))

    async def wait_first(self, service: str, stream: str, audience: str, timeout: float) -> None:
        """Until something is pushed to this audience of a stream that has no event yet, at most ``timeout`` seconds."""
        feed = await self._live(service, stream, audience)
        try:
            async with asyncio.timeout(timeout):
                await feed.heard.wait()
        except TimeoutError:
            pass
        finally:
            feed.openers -= 1
            self._note_use(feed)

    def expect(self, stream: str, version: int) -> None:
        """A command's answer told of this version."""
        for feed in self._by_stream.get(stream, ()):
            feed.expect(version)

    async def _live(self, service: str, stream: str, audience: str) -> Feed:
        """The feed, with its subscription known to NATS; counted as having one more opener.

        Raises NotShown UNAVAILABLE while NATS is away.
        """
        key = (stream, audience)
        feed = self._feeds.get(key)
        if feed is None:
            feed = Feed(
                service,
                stream,
                audience,
                lambda question: self._client.send(service, stream, question),
                check_seconds=self._check_seconds,
                check_most=self._check_most,
            )
            self._feeds[key] = feed
            self._by_stream.setdefault(stream, set()).add(feed)
        feed.openers += 1
        try:
            if feed.live_since == float("inf"):
                if key not in self._opening:
                    self._opening[key] = asyncio.get_running_loop().create_task(self._subscribe(key, feed))
                await asyncio.shield(self._opening[key])
                if feed.live_since == float("inf"):
                    raise NotShown(RefusalCode.UNAVAILABLE)
        except BaseException:
            feed.openers -= 1
            self._note_use(feed)
            raise
        return feed

    async def _subscribe(self, key: tuple[str, str], feed: Feed) -> None:
        try:
            if feed.subscription is None:
                subject = view_subject(feed.stream, feed.audience)
                feed.subscription = await self._bus.follow(subject, feed.on_push)
            await self._bus.flush()
            feed.live_since = asyncio.get_running_loop().time()
        except BusError as error:  # the subscription stands; whoever comes next asks NATS again
            log.warning("%s cannot be followed now: %s", feed.stream, error)
        finally:
            del self._opening[key]

    # ------------------------------------------------------------ closing and checking

    def _note_use(self, feed: Feed) -> None:
        if feed.unused:
            self._empty[feed] = asyncio.get_running_loop().time()
        else:
            self._empty.pop(feed, None)

    async def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        check_every = min(CHECK_SECONDS, self._check_seconds / 2)
        check_at = loop.time() + check_every
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            now = loop.time()
            for feed, since in list(self._empty.items()):
                if now - since > LINGER_SECONDS and feed.unused:
                    await self._close(feed)
            if now < check_at:
                continue
            check_at = now + check_every
            for feed in list(self._feeds.values()):
                feed.check(now)
                if feed.unused and feed not in self._empty:
                    self._empty[feed] = now

    async def _close(self, feed: Feed) -> None:
        self._empty.pop(feed, None)
        self._feeds.pop((feed.stream, feed.audience), None)
        siblings = self._by_stream.get(feed.stream)
        if siblings is not None:
            siblings.discard(feed)
            if not siblings:
                del self._by_stream[feed.stream]
        feed.close()
        self._mended_before += feed.mended
        if feed.subscription is not None:
            try:
                await feed.subscription.unsubscribe()
            except Exception as error:  # the connection is closing: the server forgets it by itself
                log.debug("unsubscribing %s: %s", feed.stream, error)

    def _after_reconnect(self) -> None:
        for feed in self._feeds.values():
            feed.mend()

    def _after_start(self, message: Message) -> None:
        """A service's process started: one before it may have died between a commit and its push."""
        service, loop = message.subject.rpartition(".")[2], asyncio.get_running_loop()
        for feed in self._feeds.values():
            if feed.service == service:
                loop.call_later(random.random() * START_SPREAD_SECONDS, feed.mend)
