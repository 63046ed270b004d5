"""The worked examples of CONTRIBUTING.md: each diff applies to the tree, and does what the guide says."""

import pytest

from worked_examples import ROOT, apply, diffs_of_the_guide, run_changed

EFFECTS = {
    "Adding a constraint": """
from supersparse import Problem, constraints, solve
from supersparse.learn.settings.settings import read_settings, schema, write_settings

X, y = [[0, 0, 0], [1, 0, 1], [1, 1, 0], [0, 1, 1]], [0, 1, 1, 0]
asked = dict(feature_names=["systolic", "diastolic", "age"], C0=0.25, max_points=3)
free = solve(Problem.of(X, y, **asked), "exhaustive").points.coefficients
assert [bool(points) for points in free] == [True, False, False]
settings = read_settings("constraints:\\n  - all_or_none: [systolic, diastolic]")
assert read_settings(write_settings(settings)) == settings
assert "all_or_none" in schema()["$defs"]
together = constraints.all_or_none(["systolic", "diastolic"])
assert settings.constraints == (together,)
found = solve(Problem.of(X, y, **asked, constraints=[together]), "exhaustive")
systolic, diastolic, _ = found.points.coefficients
assert found.proven_optimal and bool(systolic) == bool(diastolic)
""",
    "Adding a bound": """
from fractions import Fraction
from supersparse import Problem, solve
from supersparse.engine.exact.alike import AlikeRows
from supersparse.engine.exact.bounds import SHARES
from supersparse.engine.integer_form import integer_form
from supersparse.engine.presolve import presolve
from supersparse.engine.proving import run
from supersparse.engine.proving.proof import Budget

# of the first three rows one is wrong, of the next two one is, and the last is like no other
X, y = [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [1, 1]], [1, 1, 0, 1, 0, 1]
problem = Problem.of(X, y, C0=0.01, max_points=3)
best = solve(problem, "exhaustive").objective
bound = AlikeRows(integer_form(presolve(problem).problem))
assert bound.applies() and bound.bound == 0
bound.step(None, Budget(None, lambda: False))
assert bound.bound == Fraction(2, 6) <= best and bound.is_done
assert not AlikeRows(integer_form(presolve(Problem.of(X[3:4] + X[5:], [0, 1], C0=0.01)).problem)).applies()
steps, step = [], AlikeRows.step
AlikeRows.step = lambda self, *given: (steps.append(1), step(self, *given))
solution = solve(problem, "exact")
assert solution.proven_optimal and solution.objective == best
assert steps == [1] and list(SHARES)[0] == "alike"
""",
    "Adding an export": """
import subprocess, sys
from supersparse import ScoringSystem, item

system = ScoringSystem.of([item("age", at_least=65, points=2), item("grade", points=1)], threshold=2)
written = "line,question,answer,points\\n1,Age 65 or older?,yes,2\\n2,Grade,the number,1\\n"
assert system.export("csv") == written
system.save("card.json")
main = [sys.executable, "-c", "from supersparse.show.cli.app import main; main()", "export", "card.json"]
def run(*options):
    return subprocess.run([*main, "--to", "csv", *options], capture_output=True, text=True)

assert run("--set", "separator=;").stdout.strip() == written.replace(",", ";").strip()
wrong = run("--set", "separator=x")
assert "separator is 'x'" in wrong.stderr
""",
    "Adding a page of the report": """
from supersparse import ScoringSystem, item
from supersparse.show.report import make_report

items = [item("age", at_least=65, points=2), item("sick", equals=True, points=3)]
system = ScoringSystem.of(items, threshold=4)
report = make_report(
    system, {"age": [50, 70, 80, 70], "sick": [True, False, True, True]}, ["no", "no", "yes", "yes"]
)
(table,) = report.section("totals").blocks
assert [int(total) for total, _ in table.rows] == [0, 2, 3, 5]
assert [name for _, name in table.rows].index(table.rows[-1][1]) == 3
assert "Possible totals" in report.to_html()
""",
}


def test_the_guide_has_an_example_of_each():
    assert diffs_of_the_guide().keys() >= {"Adding a setting", *EFFECTS}


@pytest.mark.parametrize(("heading", "diffs"), diffs_of_the_guide().items())
def test_the_diffs_of_the_guide_apply_to_the_tree(heading, diffs):
    for diff in diffs:
        apply(diff, ROOT, "--check")


@pytest.mark.long
@pytest.mark.parametrize("heading", EFFECTS)
def test_the_diffs_of_the_guide_do_what_it_says(heading, tmp_path):
    run_changed(heading, EFFECTS[heading], tmp_path)
