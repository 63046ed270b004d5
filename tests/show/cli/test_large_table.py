"""A large table goes to a card within two minutes of one core and two gigabytes."""

import os

import pytest

from benchmarks.large_table import measure, write_table


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "wait4"), reason="the system does not tell a child's peak memory")
def test_a_million_rows_and_thirty_columns(tmp_path):
    write_table(tmp_path / "table.csv", 10**6)
    found = measure(tmp_path / "table.csv")
    assert found.card["provenance"]["n_rows"] == 10**6
    assert found.card["items"]
    assert found.cpu_seconds < 120
    assert found.peak_bytes < 2e9
