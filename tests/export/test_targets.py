"""Exports by name: what is returned, what is written, and what is refused."""

import subprocess
import sys

import pytest

from supersparse import ScoringSystem, item
from supersparse.errors import InvalidOptionError, PackageNotInstalledError
from supersparse.export import TARGETS

SYSTEM = ScoringSystem.of([item("age", at_least=65, points=1, unit="years")], threshold=0)
NEEDS = {"xlsx": "xlsxwriter", "onnx": "onnx"}


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_returned_is_what_is_written(target, tmp_path):
    if target in NEEDS:
        pytest.importorskip(NEEDS[target], reason=f"{NEEDS[target]} is not installed")
    made = SYSTEM.export(target, tmp_path / "file")
    content = (tmp_path / "file").read_bytes()
    assert content == (made if isinstance(made, bytes) else made.encode("utf-8"))


@pytest.mark.parametrize("target", TARGETS)
def test_a_card_without_items_is_exported_or_refused_in_words(target):
    from supersparse.errors import UnsupportedCardError

    if target in NEEDS:
        pytest.importorskip(NEEDS[target], reason=f"{NEEDS[target]} is not installed")
    try:
        assert ScoringSystem.of([], threshold=0).export(target)
    except UnsupportedCardError:
        assert target in ("pmml", "onnx")


def test_unknown_targets_and_options_are_refused():
    with pytest.raises(InvalidOptionError, match="did you mean 'javascript'"):
        SYSTEM.export("javascrip")
    with pytest.raises(InvalidOptionError, match="has no option 'dialekt'; did you mean 'dialect'"):
        SYSTEM.export("sql", dialekt="duckdb")


@pytest.mark.parametrize("target", NEEDS)
def test_a_missing_package_is_named(target, monkeypatch):
    monkeypatch.setitem(sys.modules, NEEDS[target], None)
    with pytest.raises(PackageNotInstalledError, match=f"pip install {NEEDS[target]}"):
        SYSTEM.export(target)


def test_an_export_loads_only_what_it_needs():
    code = (
        "import sys; from supersparse import ScoringSystem, item; "
        "s = ScoringSystem.of([item('a', points=1)], threshold=0); "
        "[s.export(t) for t in ('python', 'sql', 'javascript', 'pmml')]; s.calculator(); "
        "heavy = ('xlsxwriter', 'onnx', 'skops', 'sklearn', 'matplotlib', 'duckdb'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
