"""Rows of one patient are in one fold, without being asked."""

import numpy as np
import pytest

from supersparse.learn.rows import TrainingRows
from supersparse.learn.splits import divided
from supersparse.table.roles import repeating_identifier, repeats
from supersparse.table.table import Column, Kind


def column(name, values, kind=Kind.NUMBER):
    array = np.array(values, dtype=object if kind is Kind.TEXT else None)
    return Column(name=name, kind=kind, values=array, n_missing=list(values).count(None))


def test_folds_keep_groups_together():
    groups = np.repeat([f"P{k}" for k in range(30)], 3)
    positive = np.arange(90) % 4 == 0
    weights = (np.arange(90) != 7).astype(int)
    rows = TrainingRows(X=positive[:, None], y=positive, sample_weight=weights, rate_groups=None, groups=groups)
    folds = divided(rows, 5)
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == np.flatnonzero(weights).tolist()
    for train, test in folds:
        assert not set(groups[train]) & set(groups[test])


@pytest.mark.parametrize(
    ("name", "values", "kind", "found"),
    [
        ("patient_id", [k // 3 for k in range(90)], Kind.NUMBER, True),
        ("PatientID", [f"P{k // 2}" for k in range(90)], Kind.TEXT, True),
        ("Patienten-Nr", [k // 2 for k in range(90)], Kind.NUMBER, True),
        ("Pat.-Nr.", [k // 2 for k in range(90)], Kind.NUMBER, True),
        ("mrn", [k // 2 for k in range(90)], Kind.NUMBER, True),
        ("patient_id", list(range(90)), Kind.NUMBER, False),  # no repeats
        ("site_id", [k % 4 for k in range(90)], Kind.NUMBER, False),  # few and large groups
        ("age", [k // 3 for k in range(90)], Kind.NUMBER, False),
        ("paid", [k // 3 for k in range(90)], Kind.NUMBER, False),
        ("patient_id", [k / 4 for k in range(45)] * 2, Kind.NUMBER, False),  # no whole numbers
    ],
)
def test_identifiers_that_repeat_are_seen(name, values, kind, found):
    assert repeats(column(name, values, kind)) is found


def test_people_go_before_other_identifiers():
    visits = column("visit_id", [k // 2 for k in range(90)])
    people = column("patient", [k // 3 for k in range(90)])
    assert repeating_identifier([visits, people]) is people
    assert repeating_identifier([visits]) is visits
    assert repeating_identifier([]) is None
