"""The stream of events: nothing is lost, and what is no longer known is said so."""

import asyncio

from supersparse.show.studio import studio as events
from supersparse.show.studio.studio import Hub


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


def test_a_browser_that_comes_back_names_the_last_event_that_it_has_seen(page):
    def events(wanted, **headers):
        found, name = [], None
        with page.http.stream("GET", "/api/events", headers=headers) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            for line in stream.iter_lines():
                kind, _, text = line.partition(": ")
                if kind == "id":
                    name = text
                elif kind == "event":
                    found.append((name, text))
                    if len(found) == wanted:
                        return found

    ((first, hello),) = events(1)
    assert hello == "hello"
    page.post("/api/tables?name=a.csv", content=b"x,y\n1,a\n2,b\n")
    seen = events(2, **{"last-event-id": first})
    assert [name for _, name in seen] == ["hello", "table"]
    assert events(2, **{"last-event-id": "lost-1"})[1][1] == "reset"
