"""Exports by name: what is returned, what is written, and what is refused."""

import subprocess
import sys

import pytest

from supersparse import ScoringSystem, item
from supersparse.card.export import TARGETS
from supersparse.errors import InvalidOptionError, PackageNotInstalledError

SYSTEM = ScoringSystem.of([item("age", at_least=65, points=1, unit="years")], above=0)
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
        assert ScoringSystem.of([], above=0).export(target)
    except UnsupportedCardError:
        assert target in ("pmml", "onnx")


def test_unknown_targets_and_options_are_refused():
    with pytest.raises(InvalidOptionError, match="did you mean 'javascript'"):
        SYSTEM.export("javascrip")
    with pytest.raises(InvalidOptionError, match="has no option 'dialekt'; did you mean 'dialect'"):
        SYSTEM.export("sql", dialekt="duckdb")


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("sql", {"dialect": 3}, "dialect is 3; known: bigquery"),
        ("sql", {"gives": "totals"}, "gives is 'totals'; did you mean 'total'"),
        ("sql", {"table": 3}, "table is 3; give a string"),
        ("sql", {"table": "t", "gives": "all", "keep": 3}, "keep is 3; give a string, or a list of strings"),
        ("sql", {"table": "t", "gives": "all", "keep": ["id", 3]}, "a part of keep is 3; give a string"),
        ("sql", {"quoted": "no"}, "quoted is 'no'; give True or False"),
        ("sql", {"decimals": "x"}, "decimals is 'x'; give a whole number from 0 to 15"),
        ("pmml", {"decimals": {"age": -1}}, "decimals is -1; give a whole number from 0 to 15"),
        ("xlsx", {"rows": -5}, "rows is -5; give a whole number from 0 to 1048575"),
        ("xlsx", {"rows": 2_000_000}, "rows is 2000000; give a whole number from 0 to 1048575"),
        ("xlsx", {"people": 3}, "people is not a list of dictionaries"),
        ("xlsx", {"people": [3]}, "people is not a list of dictionaries"),
    ],
)
def test_a_wrong_value_of_an_option_is_named(target, options, message):
    if target in NEEDS:
        pytest.importorskip(NEEDS[target], reason=f"{NEEDS[target]} is not installed")
    with pytest.raises(InvalidOptionError, match=message):
        SYSTEM.export(target, **options)


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
