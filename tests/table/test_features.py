"""Columns that are no features say why."""

import numpy as np
import pytest

from supersparse.table.roles import why_no_feature
from supersparse.table.table import Column, Kind

N = 30


def column(values, kind=Kind.NUMBER, name="x", missing=0):
    array = np.array(values) if kind is Kind.NUMBER else np.array(values, dtype=object)
    return Column(name=name, kind=kind, values=array, n_missing=missing)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (column(range(1, N + 1)), "numbers the rows"),
        (column([*np.arange(N - 9), *range(9)], name="Id"), "21 of 30 numbers differ"),
        (column(np.arange(N) * 7 + 1000, name="patient_id"), "name looks like an identifier"),
        (column(np.arange(N) * 7 + 1000, name="patientID"), "name looks like an identifier"),
        (column([f"p{i}" for i in range(N)], Kind.TEXT), "all texts differ, like identifiers"),
        (column([f"{i} kg" for i in range(N)], Kind.TEXT), "all texts differ, numbers with 'kg': write them"),
        (column([f"${i}" for i in range(N)], Kind.TEXT), "all texts differ, numbers with '$': write them"),
        (column(["2024-01-01"] * N, Kind.DATE), "dates"),
        (column([], Kind.EMPTY, missing=N), "blank or missing"),
        (column([], Kind.TOO_MANY), "too many different texts"),
    ],
)
def test_left_out(given, why):
    assert why in why_no_feature(given, N)


@pytest.mark.parametrize(
    "given",
    [
        column(np.arange(N) * 7 + 1000),  # a measurement may differ in all rows
        column(np.arange(N) / 8, name="id"),
        column([*range(N // 2), *range(N // 2)], name="id"),
        column([*np.arange(N - 1.0), np.nan], name="grid", missing=1),
        column([f"p{i % 29}" for i in range(N)], Kind.TEXT),
        column([True, False] * 15, Kind.TRUTH),
        column([*range(N - 1), 0], name="video"),
    ],
)
def test_fit_for_use(given):
    assert why_no_feature(given, N) is None


def test_a_few_rows_say_nothing():
    assert why_no_feature(column([1, 2, 3], name="id"), 3) is None
