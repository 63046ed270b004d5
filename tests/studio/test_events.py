"""The stream of events: nothing is lost, and what is no longer known is said so."""

import asyncio

from supersparse.studio import events
from supersparse.studio.events import Hub


async def heard(hub, last_seen, count):
    found = []
    async for event in hub.follow(last_seen):
        found.append(event)
        if len(found) == count:
            break
    return [(event.name, event.data) for event in found]


def test_a_page_hears_what_happens_after_it_came():
    async def scene():
        hub = Hub()
        hub.publish("run", {"id": "r1"})
        listening = asyncio.create_task(heard(hub, None, 3))
        await asyncio.sleep(0)
        hub.publish("run", {"id": "r2"})
        hub.publish("run", {"id": "r3"})
        return await listening

    assert [data.get("id") for _, data in asyncio.run(scene())] == [None, "r2", "r3"]


def test_a_page_that_was_away_gets_what_it_missed_in_order():
    async def scene():
        hub = Hub()
        for k in range(5):
            hub.publish("progress", {"n": k})
        return await heard(hub, f"{hub.server}-2", 4)

    assert asyncio.run(scene())[1:] == [("progress", {"n": k}) for k in (2, 3, 4)]


def test_what_is_no_longer_known_is_asked_for_again():
    hub = Hub()
    for _ in range(events._KEPT + 5):
        hub.publish("progress", {})
    assert hub.missed(f"{hub.server}-2") is None  # fallen out of the ring
    assert hub.missed("another-2") is None  # of a server that has ended
    assert hub.missed(f"{hub.server}-999999") is None
    assert hub.missed(f"{hub.server}-x") is None
    assert asyncio.run(heard(hub, "another-2", 2))[1][0] == "reset"


def test_a_page_that_reads_too_slowly_is_let_go():
    async def scene():
        hub = Hub()
        following = hub.follow()
        await anext(following)
        for _ in range(events._WAITING + 10):
            hub.publish("progress", {})
        return [event async for event in following]

    assert len(asyncio.run(scene())) == events._WAITING


def test_the_stream_is_in_the_form_that_browsers_read():
    async def scene():
        hub = Hub()
        stream = hub.stream(f"{hub.server}-0")
        hub.publish("card", {"text": "two\nlines </script>"})
        return hub.server, [await anext(stream) for _ in range(3)]

    server, (retry, hello, card) = asyncio.run(scene())
    assert retry.startswith(b"retry: ")
    assert b"event: hello\n" in hello
    assert card == f'id: {server}-1\nevent: card\ndata: {{"text": "two\\nlines </script>"}}\n\n'.encode()
