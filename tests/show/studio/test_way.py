"""The whole way, with real workers: from a messy table to a card with its files, and back after a kill."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.long
SETTINGS = {"max_features": 3, "max_points": 3, "solve": {"time_limit": 20}}


def hostile_table(rows=240):
    random = np.random.default_rng(1)
    age, score = random.integers(20, 80, rows), random.integers(0, 9, rows)
    ill = (age + 5 * score + random.normal(0, 12, rows) > 70).astype(int)
    lines = ["age,<b>score</b>,outcome"]
    lines += [f"{a},{s},{'<i>ill</i>' if y else 'well'}" for a, s, y in zip(age, score, ill, strict=True)]
    return ("\n".join(lines) + "\n").encode()


def ready_table(page, content=None, target="outcome"):
    content = hostile_table() if content is None else content
    table = page.post("/api/tables?name=../my%20table.csv", content=content).json()
    assert table["name"] == "my table.csv"
    assert page.table(table["id"])["state"] == "ready"
    page.patch(f"/api/tables/{table['id']}", json={"target": target, "positive": "<i>ill</i>"})
    found = page.table(table["id"])
    assert found["problem"] is None
    return found


def test_from_a_table_to_a_card_and_its_files(page):
    table = ready_table(page)
    own = table["id"]
    assert table["classes"]["positive"] == "<i>ill</i>"
    plan = {"settings": SETTINGS, "validate": {"cv": 2, "repeats": 1}}
    assert page.put(f"/api/tables/{own}/plan", json=plan).json() == plan
    checked = page.post(f"/api/tables/{own}/check", json=plan).json()
    assert checked["rows"] == 240
    run = page.post("/api/runs", json={"table": own}).json()
    run = page.ended(run["id"])
    assert (run["state"], run["error"]) == ("done", None)
    card = page.get(f"/api/cards/{run['card']}").json()
    assert 0 < len(card["lines"]) <= 3
    assert "<i>ill</i>" in card["positive"]
    assert card["cross_validated"]["folds"] == 2
    assert card["risks"]
    assert sum(one["rows"] for one in card["observed"]) == 240
    trace = page.get(f"/api/runs/{run['id']}/trace").json()
    assert {"first", "final"} & {stage["stage"] for stage in trace["stages"]}
    for stage in trace["stages"]:
        bounds = [point[2] for point in stage["points"]]
        assert bounds == sorted(bounds)
    last = trace["stages"][-1]["points"][-1]
    assert (last[1], last[2]) == (card["proof"]["objective"], card["proof"]["bound"])  # as the proof says

    files = page.get(f"/api/cards/{run['card']}/files").json()["files"]
    for one in files:
        answer = page.get(f"/api/cards/{run['card']}/files/{one['key']}")
        assert (answer.status_code == 200) == one["available"], answer.text
        if one["available"]:
            assert answer.headers["content-disposition"] == f'attachment; filename="{one["key"]}"'
    saved = page.get(f"/api/cards/{run['card']}/files/card.json").json()
    assert saved["provenance"]["n_rows"] == 240
    drawn = page.get(f"/api/cards/{run['card']}.svg")
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert "<i>" not in drawn.text
    everything = page.get(f"/api/cards/{run['card']}/files/all.zip")
    names = zipfile.ZipFile(BytesIO(everything.content)).namelist()
    assert {"card.json", "sheet.html", "calculator.html", "settings.yaml"} <= set(names)
    shown = page.get(f"/api/cards/{run['card']}/files/calculator.html?show=1")
    assert shown.headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert shown.headers["content-disposition"].startswith("inline")

    edit = page.post("/api/edits", json={"card": run["card"]}).json()
    question = edit["card"]["items"][0]["question"]
    path = f"/api/edits/{edit['id']}"
    seen = page.post(f"{path}/preview", json={"change": {"drop": question}}).json()
    assert seen["price"]["errors_more"] >= 0
    assert page.get(path).json()["position"] == 0
    step = {"change": {"drop": question}, "reason": "<script>costly</script>"}
    stepped = page.post(f"{path}/steps", json=step).json()
    assert (stepped["position"], stepped["can_undo"]) == (1, True)
    assert "<script>costly</script>" in dict(map(tuple, stepped["card"]["facts"]))["Edited"]
    assert page.post(f"{path}/undo", json={}).json()["card"]["numbers"] == edit["card"]["numbers"]
    assert page.post(f"{path}/redo", json={}).json()["card"]["numbers"] == seen["card"]["numbers"]
    repair = page.post(f"{path}/repair", json={"time_limit": 10}).json()
    assert (repair["kind"], repair["of"]) == ("repair", edit["id"])
    assert page.ended(repair["id"])["state"] == "done"
    repaired = page.get(f"/api/cards/{repair['id']}.best").json()
    assert question not in [item["question"] for item in repaired["items"]]
    compared = page.post("/api/compare", json={"cards": [run["card"], edit["id"]]}).json()
    assert compared["agree"] + compared["disagree"] == 240
    assert page.delete(f"/api/tables/{own}").status_code == 409
    assert page.delete(f"/api/tables/{own}?runs=1").status_code == 204
    assert page.get("/api/runs").json() == {"runs": []}


def messy_table():
    """Codes for missing values, an identifier that repeats, semicolons, and a script tag in a name."""
    random = np.random.default_rng(3)
    lines = ["patient;<b>age</b>;score;dose;site;outcome"]
    for k in range(240):
        age, score, dose = random.integers(20, 80), random.integers(0, 9), random.integers(1, 5)
        ill = age + 5 * score + random.normal(0, 12) > 70
        shown = "-99" if k % 17 == 0 else age
        site, outcome = "north" if k % 3 else "south", "ill" if ill else "well"
        lines.append(f"P{k // 2:03};{shown};{score};{dose},5;{site};{outcome}")
    return ("\n".join(lines) + "\n").encode()


def by_the_command_line(folder):
    """Learn from the settings file alone, as its head says."""
    head = (folder / "settings.yaml").read_text(encoding="utf-8").splitlines()
    words = shlex.split(next(line for line in head if "supersparse fit" in line).removeprefix("#"))
    assert words == ["supersparse", "fit", "my table.csv", "--settings", "settings.yaml", "--out", "card.json"]
    code = "from supersparse.show.cli.app import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *words[1:]], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads((folder / "card.json").read_bytes())


def test_one_settings_file_repeats_everything_from_the_command_line(page, tmp_path):
    (tmp_path / "my table.csv").write_bytes(messy_table())
    own = page.post("/api/tables?name=my%20table.csv", content=messy_table()).json()["id"]
    noticed = {one["kind"]: one["id"] for one in page.table(own)["noticed"]}
    page.patch(
        f"/api/tables/{own}",
        json={
            "target": "outcome",
            "positive": "ill",
            "cut_points": {"<b>age</b>": [41, 59]},
            "direction": {"score": "+"},
            "units": {"score": "points"},
            "max_cuts": 4,
            "per_variable": None,
            "intervals": True,
            "answers": {noticed["code"]: "yes", noticed["repeated"]: "yes"},
        },
    )
    assert page.table(own)["problem"] is None
    plan = {"settings": SETTINGS, "validate": {"cv": 3, "repeats": 1}}
    run = page.ended(page.post("/api/runs", json={"table": own, "plan": plan}).json()["id"])
    assert run["ended_why"] == "proven optimal"

    def taken(card):
        for key in ("settings.yaml", "card.json"):
            (tmp_path / key).write_bytes(page.get(f"/api/cards/{card}/files/{key}").content)
        return json.loads((tmp_path / "card.json").read_bytes())

    mine, theirs = taken(run["card"]), by_the_command_line(tmp_path)
    for name in ("items", "threshold", "classes", "learned", "risks", "performance", "reading"):
        assert mine.get(name) == theirs.get(name), name

    edit = page.post("/api/edits", json={"card": run["card"]}).json()
    path, items = f"/api/edits/{edit['id']}", edit["card"]["items"]
    changes = [{"points": {"question": items[0]["question"], "to": 3}}]
    cut = next((one for one in items if one["cut"] is not None), None)
    if cut is not None:
        changes.append({"cut": {"question": cut["question"], "to": cut["cut"] + 0.5}})
    changes += [{"threshold": edit["card"]["threshold"] + 1}]
    for k, change in enumerate(changes):
        answer = page.post(f"{path}/steps", json={"change": change, "reason": f"reason {k}: ß"})
        assert answer.status_code == 200, answer.text
    mine, theirs = taken(edit["id"]), by_the_command_line(tmp_path)
    for name in ("items", "threshold", "classes", "learned", "performance"):
        assert mine.get(name) == theirs.get(name), name
    assert mine["provenance"]["edits"] == theirs["provenance"]["edits"]
    assert mine["provenance"]["objective"] == theirs["provenance"]["objective"]

    pool = page.post("/api/runs", json={"table": own, "kind": "pool", "within": 0.1, "plan": plan}).json()
    assert page.ended(pool["id"])["state"] == "done"
    cards = page.get(f"/api/runs/{pool['id']}/pool").json()["cards"]
    mine, theirs = taken(cards[-1]["card"]), by_the_command_line(tmp_path)
    assert mine["items"] == theirs["items"]
    assert mine["threshold"] == theirs["threshold"]


def test_sizes_and_a_pool_to_choose_from(page):
    own = ready_table(page)["id"]
    plan = {"settings": {**SETTINGS, "C0": 0.02}, "validate": {"cv": 2, "repeats": 1}}
    sizes = page.post("/api/runs", json={"table": own, "kind": "frontier", "max_size": 3, "plan": plan}).json()
    pool = page.post("/api/runs", json={"table": own, "kind": "pool", "within": 0.2, "plan": plan}).json()
    assert page.ended(sizes["id"])["state"] == "done"
    found = page.get(f"/api/runs/{sizes['id']}/frontier").json()["sizes"]
    errors = [one["errors"] for one in found]
    assert errors == sorted(errors, reverse=True)
    assert all(one["cross_validated"]["folds"] == 2 for one in found)
    assert page.get(f"/api/cards/{found[1]['card']}").json()["proof"]["proven"] == found[1]["proven"]
    assert page.ended(pool["id"])["state"] == "done"
    path = f"/api/runs/{pool['id']}/pool"
    every = page.get(path).json()
    assert every["count"] == every["total"] > 1
    question = every["questions"][0]["name"]
    without = page.get(path, params={"without": question}).json()
    assert all(question not in card["points"] for card in without["cards"])
    assert without["count"] < every["count"] or question not in every["always"]
    cheap = page.get(path, params={"cheaper_than": 3, "monotone": 1, "count": 200}).json()
    assert all(card["l1"] < 3 and card["monotone"] for card in cheap["cards"])
    ids = [card["card"] for card in every["cards"][:2]]
    compared = page.post("/api/compare", json={"cards": ids}).json()
    assert compared["disagree"] == sum(g["positive"] + g["negative"] for g in compared["groups"]) > 0


def test_wishes_that_cannot_hold_together_are_named(page):
    own = ready_table(page)["id"]
    settings = {"max_features": 1, "max_points": 2, "constraints": [{"min_sensitivity": 1}, {"min_specificity": 1}]}
    plan = {"settings": settings, "validate": None}
    conflict = page.post(f"/api/tables/{own}/conflicts", json=plan, timeout=120).json()["conflict"]
    assert {0, 1} <= {wish["index"] for wish in conflict["wishes"]}
    run = page.ended(page.post("/api/runs", json={"table": own, "plan": plan, "time_limit": 30}).json()["id"])
    assert (run["state"], run["error"]["code"]) == ("failed", "infeasible")
    assert run["error"]["conflict"]["wishes"]


def test_runs_are_queued_stopped_and_cancelled(open_page, biopsies):
    page = open_page(running=1)
    own = page.post("/api/tables?name=biopsies.csv", content=biopsies.read_bytes()).json()["id"]
    page.table(own)
    page.patch(f"/api/tables/{own}", json={"target": "diagnosis"})
    page.table(own)
    plan = {"settings": {"C0": 0.001}, "validate": None}
    first, second, third = (
        page.post("/api/runs", json={"table": own, "plan": plan, "time_limit": 300}).json()["id"] for _ in range(3)
    )
    assert page.get(f"/api/runs/{third}").json()["place"] == 2
    assert page.post(f"/api/runs/{third}/cancel").json()["state"] == "cancelled"
    page.until(f"/api/runs/{first}", lambda run: run["card"] is not None and run["progress"]["size"])
    page.post(f"/api/runs/{first}/stop")
    stopped = page.ended(first)
    assert (stopped["state"], stopped["can_continue"]) == ("stopped", True)
    assert page.get(f"/api/cards/{first}.best").json()["lines"]
    page.until(f"/api/runs/{second}", lambda run: run["state"] == "running")
    assert page.post(f"/api/runs/{second}/cancel").json()["state"] == "cancelled"
    assert page.post(f"/api/runs/{second}/cancel").status_code == 409
    before = stopped["progress"]
    page.post(f"/api/runs/{first}/continue", json={"time_limit": 3})
    went_on = page.ended(first)
    assert went_on["progress"]["objective"] <= before["objective"]
    assert went_on["progress"]["bound"] >= before["bound"]


def test_the_proof_of_a_messy_table_is_checked_by_the_checker(page, tmp_path):
    lines = hostile_table().decode().replace("<b>score</b>", "score").splitlines()
    lines[3:6] = [line.replace(line.partition(",")[0], "-99", 1) for line in lines[3:6]]
    messy = "\n".join([lines[0], *(line.replace(",", ";") for line in lines[1:])]).replace(",", ";")
    table = ready_table(page, messy.encode())
    assert any(one["kind"] == "code" for one in table["noticed"])
    plan = {"settings": {"C0": 0.05, "max_features": 2, "max_points": 2}, "validate": None}
    run = page.ended(page.post("/api/runs", json={"table": table["id"], "plan": plan}).json()["id"])
    assert run["ended_why"] == "proven optimal"
    proof = page.post("/api/runs", json={"kind": "certificate", "card": run["card"]}).json()
    proof = page.ended(proof["id"])
    assert (proof["state"], proof["error"]) == ("done", None)
    for key in ("table-as-read.csv", "card.json", "certificate.gz"):
        (tmp_path / key).write_bytes(page.get(f"/api/cards/{run['card']}/files/{key}").content)
    checker = Path(__file__).parents[3] / "checker" / "supersparse_check.py"
    words = [sys.executable, str(checker), "table-as-read.csv", "card.json", "certificate.gz"]
    checked = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


class Killable:
    """The command in a process of its own."""

    def __init__(self, folder):
        code = "from supersparse.show.cli.app import main; main()"
        words = ["studio", "--no-browser", "--folder", str(folder)]
        self.process = subprocess.Popen([sys.executable, "-c", code, *words], stderr=subprocess.PIPE, text=True)
        said = self.process.stderr.readline()
        found = re.search(r"(http://127\.0\.0\.1:\d+)/#token=([\w-]+)", said)
        assert found, said
        self.address, self.token = found.groups()


@pytest.mark.skipif(os.name != "posix", reason="kills a process by a signal")
def test_a_killed_server_goes_on_with_its_runs(tmp_path, biopsies, page_at):
    server = Killable(tmp_path / "studio")
    try:
        page = page_at(server.address, server.token)
        own = page.post("/api/tables?name=b.csv", content=biopsies.read_bytes()).json()["id"]
        page.table(own)
        page.patch(f"/api/tables/{own}", json={"target": "diagnosis"})
        page.table(own)
        plan = {"settings": {"C0": 0.0005, "max_features": 12}, "validate": None}  # minutes of proof
        run = page.post("/api/runs", json={"table": own, "plan": plan, "time_limit": 300}).json()["id"]
        checkpoint = tmp_path / "studio" / "runs" / run / "checkpoint"
        ends = time.monotonic() + 120
        while not checkpoint.exists() and time.monotonic() < ends:
            time.sleep(0.2)
        assert checkpoint.exists()
        before = page.get(f"/api/runs/{run}").json()["progress"]
        cards = [f"{run}.best"]
        assert page.put(f"/api/tables/{own}/favourites", json={"cards": cards}).json()["favourites"] == cards
        assert page.put(f"/api/tables/{own}/favourites", json={"cards": ["../x"]}).status_code == 422
    finally:
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        server.process.stderr.close()
    time.sleep(4)  # workers notice that the server is gone
    server = Killable(tmp_path / "studio")
    try:
        page = page_at(server.address, server.token)
        assert page.get(f"/api/tables/{own}").json()["state"] == "ready"
        assert page.get(f"/api/tables/{own}").json()["favourites"] == cards
        resumed = page.until(
            f"/api/runs/{run}", lambda one: one["state"] == "running" and (one["progress"]["n"] > before["n"] + 3)
        )
        assert resumed["progress"]["bound"] >= before["bound"] * 0.9  # the checkpoint is some seconds old
        assert resumed["progress"]["objective"] <= before["objective"]
        page.post(f"/api/runs/{run}/stop")
        assert page.ended(run)["state"] == "stopped"
    finally:
        server.process.send_signal(signal.SIGINT)
        server.process.wait(30)
        server.process.stderr.close()
