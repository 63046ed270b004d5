"""A few kills and mutations by default; many in the long tests. Both as programs: kills.py and fuzz.py."""

import sys

import pytest

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks, and reads /proc"),
]


@pytest.fixture(scope="module")
def readers(tmp_path_factory):
    from robustness.readers import all_readers

    return list(all_readers(tmp_path_factory.mktemp("fuzz")))


def test_mutations_are_refused_or_mean_something(readers):
    from robustness.fuzz import fuzz

    found = fuzz(readers, 300)
    assert found["mutations"] >= 300
    assert {"CSV", "card", "settings", "checkpoint", "counts", "certificate", "study file"} <= set(found["by reader"])
    refused = {name: row["refused"] for name, row in found["by reader"].items()}
    assert all(refused.values()), "each reader refuses something"


def test_a_reader_that_breaks_is_noticed(readers):
    from dataclasses import replace

    from robustness.fuzz import fuzz

    def breaks(data):
        return {}[data]

    def takes_too_much(data):
        return bytearray(2**32)

    for read, told in ((breaks, "KeyError"), (takes_too_much, "MemoryError")):
        with pytest.raises(AssertionError, match=told):
            fuzz([replace(readers[0], read=read)], 2)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 5))
def test_many_mutations(readers, seed):
    from robustness.fuzz import fuzz

    assert fuzz(readers, 25_000, seed)["mutations"] >= 25_000


def test_killed_writers_leave_whole_files_and_go_on():
    from robustness.kills import run_trials

    assert run_trials(2, seed=1, only=["counts"])["trials"] == 2


def test_a_writer_that_halves_files_is_noticed(tmp_path):
    import random

    from robustness.kills import Trials
    from robustness.tasks import Task

    def act():
        import os
        from pathlib import Path

        with Path("card.json").open("w") as file:
            file.write("{")
            file.flush()
            os.fsync(file.fileno())
            file.write("}")

    (tmp_path / "all").mkdir()
    trials = Trials.of(Task("halves", lambda folder: None, act, lambda folder: 0), tmp_path / "all")

    def many():
        for k in range(30):
            trials.trial(tmp_path / str(k), random.Random(k))

    with pytest.raises((AssertionError, ValueError)):
        many()


@pytest.mark.long
def test_many_kills():
    from robustness.kills import run_trials

    assert run_trials(1000, seed=2)["trials"] == 1000


def test_the_page_of_what_was_tried_shows_the_figures_of_its_files():
    import importlib.util
    import json
    from pathlib import Path

    root = Path(__file__).parents[2]
    spec = importlib.util.spec_from_file_location("trust_page", root / "docs" / "scripts" / "trust_page.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.PAGE.read_text(encoding="utf-8") == script.page(), "run docs/scripts/trust_page.py"
    for path in script.FOLDER.glob("*.json"):
        content = json.loads(path.read_text(encoding="utf-8"))
        assert {"command", "date", "version", "figures"} <= set(content), path.name
        assert content["command"].startswith(("python ", "make ")), path.name


@pytest.mark.long
def test_faults_put_in_on_purpose_are_handled():
    from robustness.faults import all_cases, run_case

    for case in all_cases():
        run_case(case)


def test_a_full_disk_and_bytes_that_are_no_text():
    from robustness.faults import all_cases, run_case

    quick = [case for case in all_cases() if case.kind in ("full disk", "no UTF-8")]
    for case in quick[::4]:
        run_case(case)
