from dataclasses import replace

import pytest

from paper_study.tiny import tiny_data, tiny_plan
from study.fitting import run_task
from supersparse.base.stop import Stop
from supersparse.engine.solve import solve


def slim_record():
    plan, data = tiny_plan(nested=(), contour=()), tiny_data()
    (record,) = run_task(next(plan.tasks(data, plan.methods[3])))
    return record


def test_the_search_over_time_ends_at_the_model_of_the_record():
    record = slim_record()
    moments = record.proof.history
    assert [m.seconds for m in moments] == sorted(m.seconds for m in moments)
    last = [m for m in moments if m.size is not None][-1]
    assert (last.train_errors, last.test_errors) == (record.train.errors, record.test.errors)
    assert last.size == record.size_with_intercept
    gaps = [m.gap for m in moments if m.gap is not None]
    assert gaps[-1] <= gaps[0]


def test_a_proof_names_the_points_by_their_features():
    record = slim_record()
    names = [name for name, _ in record.proof.coefficients]
    assert len(names) == record.size
    assert set(names) <= {"a", "b", "c"}
    # a score of 0 is wrong for both classes in what is optimised
    assert record.proof.training_errors >= record.train.errors


def test_a_fit_that_was_interrupted_is_no_record(monkeypatch):
    def interrupted(*given, **options):
        return replace(solve(*given, **options), stop=Stop.INTERRUPTED)

    monkeypatch.setattr("study.methods.slim.solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        slim_record()
