import json
import signal
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path

import joblib
import pytest

from paper_study.tiny import tiny_data, tiny_plan
from study.fitting import run_task
from study.methods.c50 import C50Trees
from study.methods.logistic import LogisticRegression
from study.record_file import in_order, read_records
from study.records import Machine, Record, Skipped
from study.running import run
from supersparse.errors import MissingDataError

# what differs from run to run
TIMES = ("seconds", "history")


def load(name):
    assert name == "tiny"
    return tiny_data()


def comparable(path):
    """The records without their times, in order."""
    found = []
    for line in in_order(read_records(path)):
        if isinstance(line, Record):
            proof = line.proof and [getattr(line.proof, n) for n in line.proof.__slots__ if n not in TIMES]
            found.append([getattr(line, n) for n in line.__slots__ if n not in (*TIMES, "proof")] + [proof])
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "records.jsonl"
    run(tiny_plan(), load, path)
    return path


def quick():
    """Methods without compiled kernels, for what starts other processes."""
    return tiny_plan(methods=tiny_plan().methods[:3])


def quick_part(path):
    names = {method.name for method in quick().methods}
    return [record for record in comparable(path) if record[2] in names]


def test_a_plan_makes_a_record_of_every_fit(whole):
    records = [line for line in read_records(whole) if isinstance(line, Record)]
    assert len({r.key for r in records}) == len(records)
    counts = {}
    for r in records:
        kind = "contour" if r.setting.has("C1") else "nested" if ":" in r.split else "fold"
        counts[r.method, kind] = counts.get((r.method, kind), 0) + 1
    assert counts == {
        ("LR", "fold"): 2,
        ("CART", "fold"): 26,
        ("Lasso", "fold"): 12,
        ("Lasso", "nested"): 24,
        ("SLIM", "fold"): 4,
        ("SLIM", "nested"): 8,
        ("SLIM", "contour"): 16,
    }


def test_a_record_is_enough_to_make_its_fit_again(whole):
    plan = tiny_plan()
    data = tiny_data()
    for record in [line for line in read_records(whole) if isinstance(line, Record)][::7]:
        assert record.fingerprint == data.fingerprint
        method = next(m for m in plan.methods if m.name == record.method)
        task = next(t for t in plan.tasks(data, method) if t.split == record.split and record.setting in t.settings)
        again = next(r for r in run_task(task) if r.setting == record.setting)
        assert (again.train, again.test, again.size) == (record.train, record.test, record.size)


def test_a_second_run_fits_nothing_anew(whole, monkeypatch):
    before = whole.read_bytes()
    monkeypatch.setattr("study.running.run_task", None)
    run(tiny_plan(), load, whole)
    assert whole.read_bytes() == before


@pytest.mark.long
def test_a_run_cut_off_anywhere_goes_on_to_the_same_records(whole, tmp_path):
    content = whole.read_bytes()
    for share in (0.3, 0.97):
        path = tmp_path / f"{share}.jsonl"
        path.write_bytes(content[: int(share * len(content))])
        run(tiny_plan(), load, path)
        assert comparable(path) == comparable(whole)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_process_leaves_records_that_the_next_one_completes(whole, tmp_path):
    path = tmp_path / "killed.jsonl"
    script = f"""
        import os, signal, sys
        sys.path.insert(0, {str(Path(__file__).parents[1])!r})
        from paper_study.tiny import tiny_data
        from paper_study.test_running import quick
        from study import running
        write, calls = running.append_records, []
        def write_and_die(path, lines):
            write(path, lines)
            calls.append(1)
            if len(calls) == 9:
                with open(path, "ab") as file:
                    file.write(b'{{"kind":"Rec')
                os.kill(os.getpid(), signal.SIGKILL)
        running.append_records = write_and_die
        from pathlib import Path
        running.run(quick(), lambda name: tiny_data(), Path({str(path)!r}))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    left = [line for line in read_records(path) if isinstance(line, Record)]
    assert 0 < len(left) < 64
    run(quick(), load, path)
    assert comparable(path) == quick_part(whole)
    assert all(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


@pytest.mark.long
def test_two_processes_give_the_records_of_one(whole, tmp_path):
    path = tmp_path / "two.jsonl"
    run(quick(), load, path, n_jobs=2)
    assert comparable(path) == quick_part(whole)


@pytest.mark.long
@pytest.mark.skipif(find_spec("distributed") is None, reason="dask's distributed is not installed")
@pytest.mark.filterwarnings("ignore")  # what dask says of its own start and end
def test_a_dask_cluster_gives_the_records_of_one_process(whole, tmp_path):
    from distributed import Client, LocalCluster

    path = tmp_path / "dask.jsonl"
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        run(quick(), load, path)
    assert comparable(path) == quick_part(whole)


def test_a_table_and_a_method_that_are_missing_are_said_and_left_out(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("study.methods.c50.find_spec", lambda name: None)

    def partly(name):
        if name == "ads":
            raise MissingDataError("/a/folder/of/mine has no ads")
        return load(name)

    path = tmp_path / "records.jsonl"
    plan = tiny_plan(datasets=("tiny", "ads"), methods=(LogisticRegression(), C50Trees()))
    with caplog.at_level("INFO", logger="study"):
        run(plan, partly, path)
    left_out = [line for line in read_records(path) if isinstance(line, Skipped)]
    assert {(s.dataset, s.method) for s in left_out} == {("ads", ""), ("tiny", "C50T")}
    assert "/a/folder" not in path.read_text(encoding="utf-8")  # of this machine only
    assert "left out: tiny C50T: c50py is not installed" in caplog.text
    assert sum(isinstance(line, Record) for line in read_records(path)) == 2


class Broken(LogisticRegression):
    """A method whose fits fail."""

    def fit(self, train, settings, seed):
        raise ArithmeticError("no fit today")


def test_a_fit_that_fails_is_recorded_and_tried_again(tmp_path):
    path = tmp_path / "records.jsonl"
    run(tiny_plan(methods=(Broken(),)), load, path)
    failed = [line for line in read_records(path) if isinstance(line, Skipped)]
    assert [(s.split, s.reason) for s in failed] == [
        ("1/2", "ArithmeticError: no fit today"),
        ("2/2", "ArithmeticError: no fit today"),
    ]
    run(tiny_plan(methods=(LogisticRegression(),)), load, path)
    assert not [line for line in in_order(read_records(path)) if isinstance(line, Skipped)]


def test_the_machine_and_the_versions_stand_before_the_records(whole):
    first, *others = read_records(whole)
    assert isinstance(first, Machine)
    assert dict(first.versions)["supersparse"] != "-"
    assert not any(isinstance(line, Machine) for line in others)
