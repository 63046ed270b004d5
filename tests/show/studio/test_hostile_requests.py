"""Requests that cannot be kept: refused in a line, and whatever fails changes nothing."""

import asyncio
import errno
import json
import os

import pytest

from supersparse.show.studio import tables
from supersparse.show.studio.app import object_of
from supersparse.show.studio.choices import changed, no_choices
from supersparse.show.studio.folder import KINDS, Folder, Limits, Records
from supersparse.show.studio.studio import Edits
from supersparse.show.studio.tables import shown_name
from supersparse.show.studio.texts import StudioError

HALF = json.loads('"\\ud800"')
DEEP = "[" * 60 + "]" * 60
POISON = {
    "half of a pair of characters": '"\\ud800"',
    "half of a pair as a key": '{"\\udfff": 1}',
    "half of a pair within": '[{"a": ["b\\ud83d"]}]',
    "infinity": "1e999",
    "minus infinity": "-1e999",
    "infinity by name": "Infinity",
    "no number": "NaN",
    "hundreds of digits": "1" * 400,
    "hundreds of decimals": "0." + "1" * 400,
    "thousands of digits": "1" * 5000,
    "lists in lists": DEEP,
    "objects in objects": '{"a": ' * 60 + "1" + "}" * 60,
    "lists in lists without end": "[" * 100_000,
}
ROUTES = {
    "PATCH /api/tables/t1": ["target", "positive", "drop", "cut_points", "units", "answers", "reading", "none"],
    "PUT /api/tables/t1/plan": ["settings", "validate", "none"],
    "PUT /api/tables/t1/favourites": ["cards"],
    "POST /api/tables/t1/cuts": ["column", "cuts"],
    "POST /api/tables/t1/check": ["settings", "validate"],
    "POST /api/tables/t1/conflicts": ["settings", "validate"],
    "POST /api/tables/demo": ["none"],
    "POST /api/runs": ["kind", "table", "name", "plan", "time_limit", "max_size", "within", "card", "bootstrap"],
    "PATCH /api/runs/r1": ["name", "favourite", "none"],
    "POST /api/runs/r1/continue": ["time_limit"],
    "POST /api/compare": ["cards"],
    "POST /api/edits": ["card"],
    "POST /api/edits/e1/preview": ["change"],
    "POST /api/edits/e1/steps": ["change", "reason"],
    "POST /api/edits/e1/repair": ["time_limit", "name"],
}
TABLE = b"a,ill\n" + b"1,no\n2,yes\n" * 9


@pytest.fixture
def filled(open_page, monkeypatch):
    """A page of a studio with a table, whose profile nobody makes."""

    async def profile(self, table_id, before):
        self._known[table_id]["state"] = "ready"

    monkeypatch.setattr(tables.Tables, "_profile", profile)
    page = open_page(running=0)
    assert page.post("/api/tables?name=t.csv", content=TABLE).status_code == 201
    assert page.patch("/api/tables/t1", json={"target": "ill"}).status_code == 200
    run = page.post("/api/runs", json={"table": "t1", "name": "first"})
    assert (run.status_code, run.json()["id"]) == (201, "r1")
    return page


def state(page):
    return [page.get(path).json() for path in ("/api/tables", "/api/tables/t1", "/api/tables/t1/plan", "/api/runs")]


def test_what_could_not_be_kept_is_refused_by_every_route(filled):
    before = state(filled)
    for route, names in ROUTES.items():
        method, path = route.split()
        for name in names:
            some = POISON if name == "target" else ("half of a pair within", "infinity")
            for poison in map(POISON.get, some):
                body = f'{{"{name}": {poison}}}'
                sent = filled.request(method, path, content=body, headers={"content-type": "application/json"})
                error = sent.json()["error"]
                assert (sent.status_code, error["code"]) == (422, "input"), (route, name, poison[:40], error)
                assert error["remedy"]
                assert len(error["message"]) < 200
    assert state(filled) == before


def test_the_session_takes_no_deep_nest_either(open_page):
    page = open_page(session=False)
    sent = page.post("/api/session", content=b"[" * 4000, headers={"content-type": "application/json"})
    assert sent.status_code == 401


@pytest.mark.parametrize("body", ['{"a": 1e308, "b": -12.5, "c": 0, "d": "\\ud83d\\ude00", "e": [[1]]}', "{}"])
def test_what_can_be_kept_is_read_as_it_is(body):
    assert object_of(body) == json.loads(body)


def test_the_bytes_of_half_a_pair_are_refused():
    with pytest.raises(StudioError, match="half of a pair of characters; send the whole character"):
        object_of(json.dumps({"a": HALF}, ensure_ascii=False).encode("utf-8", "surrogatepass"))


CHANGES = [
    ("PATCH", "/api/tables/t1", {"positive": "yes"}),
    ("PUT", "/api/tables/t1/plan", {"settings": {"max_features": 2}}),
    ("PUT", "/api/tables/t1/plan", {"settings": {"sample_weight": "a"}}),
    ("PUT", "/api/tables/t1/favourites", {"cards": ["r1.best"]}),
    ("POST", "/api/runs", {"table": "t1", "name": "second"}),
    ("PATCH", "/api/runs/r1", {"name": "renamed", "favourite": True}),
    ("POST", "/api/tables?name=b.csv", TABLE),
]


def test_a_full_disk_changes_nothing(filled, monkeypatch, tmp_path):
    def full(self, record):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for method, path, body in CHANGES:
        before, places = state(filled), places_in(tmp_path)
        content = {"content": body} if isinstance(body, bytes) else {"json": body}
        with monkeypatch.context() as patch:
            patch.setattr(Records, "_write", full)
            sent = filled.request(method, path, **content)
            assert (sent.status_code, sent.json()["error"]["code"]) == (500, "failed")
            assert "No space left" in sent.json()["error"]["message"]
            assert (state(filled), places_in(tmp_path)) == (before, places)
        assert filled.request(method, path, **content).status_code in (200, 201)
        assert state(filled) != before


def places_in(tmp_path):
    return sorted(place.name for kind in KINDS.values() for place in (tmp_path / "studio" / kind).iterdir())


def test_a_run_is_stopped_on_a_full_disk_too(filled, monkeypatch):
    monkeypatch.setattr(Records, "_write", lambda self, record: (_ for _ in ()).throw(OSError("full")))
    assert filled.post("/api/runs/r1/stop", json={}).json()["state"] == "cancelled"


def test_an_edit_that_cannot_be_written_stays_as_it_is(monkeypatch, tmp_path):
    async def shown(self, edit, change=None):
        return {"position": edit["position"], "change_text": "said"}

    monkeypatch.setattr(Edits, "_shown", shown)
    written = []
    monkeypatch.setattr(Records, "_write", lambda self, record: written.append(record["position"]))
    folder = Folder(tmp_path)
    mine = Edits(folder, None, Limits(), lambda name, data: None, None)
    mine._known["e1"] = {"id": "e1", "steps": [], "position": 0, "from": "r1.best", "table": "t1", "base": {}}

    async def go():
        await asyncio.gather(*(mine.step("e1", {"n": n}, "why") for n in range(3)))
        assert [one["change"]["n"] for one in mine._known["e1"]["steps"]] == [0, 1, 2]
        await asyncio.gather(mine.undo("e1"), mine.undo("e1"))
        assert mine._known["e1"]["position"] == 1
        monkeypatch.setattr(Records, "_write", lambda self, record: (_ for _ in ()).throw(OSError("full")))
        for change in (mine.undo("e1"), mine.redo("e1"), mine.step("e1", {}, "why")):
            with pytest.raises(OSError, match="full"):
                await change
        assert mine._known["e1"]["position"] == 1
        assert len(mine._known["e1"]["steps"]) == 3

    asyncio.run(go())
    folder.close()
    assert written == [1, 2, 3, 2, 1]


def test_a_file_whose_name_is_no_text_gets_one():
    assert shown_name(os.fsdecode(b"patients\xff.csv")) == "patients?.csv"


@pytest.mark.parametrize(
    ("name", "value"),
    [("update", "/etc/passwd"), ("changes", 3), ("event", "died"), ("time", "days"), ("horizon", 365)],
)
def test_what_the_studio_does_not_ask_is_refused_and_no_file_is_opened(name, value):
    with pytest.raises(StudioError, match=f"{name} is .*; known: candidates, category, cut_points") as refused:
        changed(no_choices(), {name: value})
    assert name not in refused.value.remedy.split(": ")[1].split(", ")
