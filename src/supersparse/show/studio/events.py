"""Events: one stream for a whole page, which a browser that was away can pick up again.

The last events are kept in a ring. A browser names the last one that it has seen (``Last-Event-ID``) and gets
the rest; if that is no longer known, it is told to ask for everything again (``reset``).
"""

import asyncio
import json
import secrets
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

_KEPT = 4000
_WAITING = 2000  # events that a slow browser may be behind
_QUIET = 10.0  # seconds after which a comment shows that the stream is alive


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its place in the stream, its name, and its data."""

    number: int
    name: str
    data: Any


class Hub:
    """Takes events and passes them on to every page."""

    def __init__(self) -> None:
        self.server = secrets.token_hex(4)
        self._last = 0
        self._ring: deque[Event] = deque(maxlen=_KEPT)
        self._listening: set[asyncio.Queue[Event | None]] = set()
        self._closed = False

    def publish(self, name: str, data: Any) -> None:
        self._last += 1
        event = Event(self._last, name, data)
        self._ring.append(event)
        for queue in list(self._listening):
            if queue.qsize() >= _WAITING:  # it has fallen behind; it will come back and ask
                self._listening.discard(queue)
                queue.put_nowait(None)
            else:
                queue.put_nowait(event)

    def close(self) -> None:
        self._closed = True
        for queue in list(self._listening):
            queue.put_nowait(None)

    def missed(self, last_seen: str | None) -> list[Event] | None:
        """Return the events after the one that was seen last; None if they are no longer known."""
        if last_seen is None:
            return []
        server, _, number = last_seen.partition("-")
        if server != self.server or not (number.isascii() and number.isdigit() and len(number) < 16):
            return None
        after = int(number)
        if after > self._last or (self._ring and after < self._ring[0].number - 1):
            return None
        return [event for event in self._ring if event.number > after]

    async def follow(self, last_seen: str | None = None) -> AsyncIterator[Event | None]:
        """Yield what was missed, then each event as it comes; None where it has been quiet for a while."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        missed, last = self.missed(last_seen), self._last
        self._listening.add(queue)  # at the same moment: nothing falls between what was and what comes
        try:
            before = missed[0].number - 1 if missed else last
            yield Event(before, "hello", {"server": self.server})
            if missed is None:
                yield Event(last, "reset", {})
            for event in missed or ():
                yield event
            while not self._closed:
                try:
                    found = await asyncio.wait_for(queue.get(), _QUIET)
                except TimeoutError:
                    yield None
                    continue
                if found is None:
                    return
                yield found
        finally:
            self._listening.discard(queue)

    async def stream(self, last_seen: str | None) -> AsyncIterator[bytes]:
        """Yield the same in the form of server-sent events."""
        yield b"retry: 1000\n\n"
        async for event in self.follow(last_seen):
            if event is None:
                yield b": still here\n\n"
                continue
            data = json.dumps(event.data, allow_nan=False)
            yield f"id: {self.server}-{event.number}\nevent: {event.name}\ndata: {data}\n\n".encode()
