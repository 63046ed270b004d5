"""Some of the stored fits of SLIM made again: on every machine they must come out exactly as recorded."""

from pathlib import Path

import pytest

from study.plan import full
from study.record_file import read_records
from study.records import Record
from study.repeating import choose_tasks, repeat
from study.study_data import load_study_data
from supersparse.base.stop import Stop

STORED = Path(__file__).parents[2] / "study" / "stored" / "full.jsonl.gz"
# proven at once, proven after some work, and stopped by the limit on it
QUICK = {
    ("haberman", "SLIM", "2/5", 0.001): True,
    ("haberman", "SLIM", "4/5:3/5", 0.005): True,
    ("haberman", "SLIM free", "3/5", 0.002): True,
}
SLOW = {
    ("breast-cancer", "SLIM", "3/5", 0.05): True,
    ("breast-cancer", "SLIM", "1/5:1/5", 0.005): False,
    ("breast-cancer", "SLIM", "1/5:2/5", 0.005): False,
}


@pytest.fixture(scope="module")
def records():
    return [line for line in read_records(STORED) if isinstance(line, Record) and line.proof is not None]


def name_of(record):
    return record.dataset, record.method, record.split, record.setting.number("C0")


@pytest.mark.long
@pytest.mark.parametrize("wanted", [QUICK, pytest.param(SLOW, marks=pytest.mark.long)], ids=["quick", "slow"])
def test_points_bounds_and_work_are_those_of_the_records(records, wanted):
    chosen = [r for r in records if name_of(r) in wanted and not r.setting.has("C1")]
    assert {name_of(r): r.proof.proven for r in chosen} == wanted
    plan = full(None).part(datasets=["haberman", "breast-cancer"], methods=["SLIM", "SLIM free"])
    tasks = choose_tasks(plan, [load_study_data(name) for name in plan.datasets], chosen, len(wanted))
    assert len(tasks) == len(wanted)  # the rows and the settings of the plan are those of the records
    outcomes = [outcome for outcomes in repeat(tasks) for outcome in outcomes]
    assert [str(outcome) for outcome in outcomes if not outcome.is_same] == []


@pytest.mark.long  # reads all records for seconds; they change only when the study is run again
def test_every_stored_fit_ended_by_proof_or_by_its_limit_on_work(records):
    assert {r.proof.stop for r in records} <= {stop.name for stop in (Stop.OPTIMAL, Stop.BOUND, Stop.NODE_LIMIT)}
    assert all(r.proof.proven == (r.proof.stop != Stop.NODE_LIMIT.name) for r in records)
