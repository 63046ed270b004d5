"""The studio without a port, as a notebook's widget uses it, and the page's modules joined into one."""

import asyncio
import subprocess
import threading

import pytest

pytest.importorskip("starlette", reason="the studio needs starlette")

from programs import command, needs
from supersparse.show.studio.notebook import Channel, joined_module


class Answers:
    """Collects what a channel sends."""

    def __init__(self):
        self.messages = []
        self.changed = threading.Condition()

    def send(self, content, buffers):
        with self.changed:
            self.messages.append((content, buffers))
            self.changed.notify_all()

    def until(self, wanted):
        def found():
            return [message for message in self.messages if wanted(message[0])]

        with self.changed:
            assert self.changed.wait_for(found, 600)
            return found()[0]

    def of(self, own, kind="response"):
        return self.until(lambda m: m["id"] == own and m["kind"] == kind)


def test_requests_and_events_go_over_messages(tmp_path):
    channel, page = Channel(tmp_path / "studio", ahead=False), Answers()
    try:
        channel.hear({"kind": "request", "id": 1, "method": "GET", "path": "/api/about"}, [], page.send)
        content, buffers = page.of(1)
        assert (content["status"], buffers) == (200, [])
        assert content["body"]["folder"] == str(tmp_path / "studio")
        channel.hear({"kind": "subscribe", "id": 2}, [], page.send)
        assert page.of(2, "event")[0]["event"]["event"] == "hello"
        table = {"kind": "request", "id": 3, "method": "POST", "path": "/api/tables?name=a%20b.csv", "body": None}
        channel.hear(table, [memoryview(b"x,y\n1,a\n2,b\n")], page.send)
        assert page.of(3)[0]["status"] == 201
        assert page.of(3)[0]["body"]["name"] == "a b.csv"
        page.until(lambda m: m["kind"] == "event" and m["event"]["event"] == "table")
        channel.hear({"kind": "unsubscribe", "id": 2}, [], page.send)
        channel.hear({"kind": "request", "id": 4, "method": "GET", "path": "/api/runs/../x"}, [], page.send)
        assert page.of(4)[0]["status"] == 404
        channel.hear({"kind": "request", "id": 5, "method": "GET", "path": "/static/icon.svg"}, [], page.send)
        content, buffers = page.of(5)
        assert (content["body"], content["type"]) == (None, "image/svg+xml")
        assert buffers[0].startswith(b"<svg")
    finally:
        channel.close()


@needs("node")
def test_the_modules_of_the_page_join_into_one(tmp_path):
    text = joined_module()
    assert "export default" in text
    assert not [line for line in text.splitlines() if line.startswith("import ")]
    path = tmp_path / "studio.mjs"
    path.write_text(text, encoding="utf-8")
    subprocess.run([command("node"), "--check", str(path)], check=True)


def test_modules_are_joined_in_the_order_of_their_needs(tmp_path):
    (tmp_path / "studio.js").write_text('import { b } from "./b.js";\nexport default b;\n')
    (tmp_path / "b.js").write_text('import { a } from "./a-x.js";\nexport const b = a + 1;\n')
    (tmp_path / "a-x.js").write_text("export const a = 1;\n")
    text = joined_module(tmp_path)
    assert text.index("const a = 1") < text.index("const b = a + 1") < text.index("export default b")
    assert "const { a } = m_a_x;" in text
    (tmp_path / "a-x.js").write_text('import { b } from "./b.js";\nexport const a = b;\n')
    with pytest.raises(ValueError, match="circle"):
        joined_module(tmp_path)
    (tmp_path / "a-x.js").write_text("export { a };\n")
    with pytest.raises(ValueError, match="cannot be joined"):
        joined_module(tmp_path)


@pytest.mark.long
def test_a_classifier_opens_the_studio_with_its_table_and_settings(tmp_path):
    pytest.importorskip("anywidget", reason="the widget needs anywidget")
    from supersparse import SLIMClassifier

    table = {"age": [30, 40, None, 60] * 10, "sex": ["m", "f", "f", "m"] * 10}
    widget = SLIMClassifier(max_features=2, C0=0.1).studio(
        table, ["no", "no", "yes", "yes"] * 10, folder=tmp_path / "s"
    )
    try:
        studio = widget.channel.studio
        own = studio.about()["open"]["table"]
        assert studio.tables.table(own)["choices"]["target"] == "target"
        plan = studio.tables.plan(own)
        asked = {name: plan["settings"].get(name) for name in ("goal", "max_questions", "max_features", "C0")}
        assert asked == {"goal": "errors", "max_questions": None, "max_features": 2, "C0": 0.1}
        assert plan["validate"] is None  # a classifier learns one card
        assert "export default" in widget._esm
    finally:
        widget.channel.close()


def test_a_closed_channel_leaves_its_folder_to_others(tmp_path):
    Channel(tmp_path / "studio", ahead=False).close()
    again = Channel(tmp_path / "studio", ahead=False)
    assert again.run(asyncio.sleep(0, "ready")) == "ready"
    again.close()
