"""The front page and the table of sizes tell of one proof: what either knows, both say."""

from dataclasses import replace
from fractions import Fraction

import pytest

from show.report.small import learned, read_page, table
from supersparse import ScoringSystem, SLIMClassifier
from supersparse.errors import SolverFailedError
from supersparse.show.report import Plan, make_report, proofs

pytestmark = pytest.mark.usefixtures("without_matplotlib")

COLUMNS, Y = table()
SYSTEM = learned(COLUMNS, Y)
PLAN = Plan(repeats=1, folds=0, ratios=0, bootstrap=0, larger=2, time_limit=None)


def unproven(system, bound=Fraction(0)):
    made = replace(system.card.provenance, lower_bound=bound, proven_smallest=False, stop="TIME_LIMIT")
    return ScoringSystem(replace(system.card, provenance=made))


def told(system, columns=COLUMNS, y=Y):
    """What the front page says of the proof, by size what the table says, and all texts."""
    page = read_page(make_report(system, columns, y, plan=PLAN).to_html())
    front = next(row[1] for row in page.tables["At a glance"] if row[0] == "Proven?")
    (rows,) = [rows for caption, rows in page.tables.items() if caption == "The best card of each size"]
    return front, {int(row[1]): row[-1] for row in rows[1:]}, page.texts


def test_a_card_that_its_file_does_not_prove_is_proven_by_the_sizes():
    front, proven, texts = told(unproven(SYSTEM))
    assert set(proven.values()) == {"yes"}
    assert front.startswith("Proven optimal")
    assert any("The card's file claims less" in text for text in texts)
    front, _, texts = told(SYSTEM)
    assert front.startswith("Proven optimal")
    assert not any("The card's file claims less" in text for text in texts)


def test_a_card_that_is_proven_is_proven_in_the_table_and_not_searched_again(monkeypatch):
    asked = []

    def nothing(problem, **_):
        asked.append(problem.max_features)
        raise SolverFailedError("the solver found nothing; raise the limits")

    monkeypatch.setattr(proofs, "solve", nothing)
    front, proven, _ = told(SYSTEM)
    size = SYSTEM.card.provenance.size
    assert front.startswith("Proven optimal")
    assert proven[size] == "yes"
    assert size not in asked
    assert asked


def test_a_better_card_in_the_table_is_named_on_the_front_page():
    made = SYSTEM.card.provenance
    constant = learned(COLUMNS, Y, max_features=0)
    settings = {**constant.card.provenance.settings, "max_features": made.size}
    worse = replace(constant.card.provenance, settings=settings)
    worse = unproven(ScoringSystem(replace(constant.card, provenance=worse)))
    front, _, _ = told(worse)
    assert front.startswith("Not proven: ")
    assert front.endswith("One was found for this report: see the table of sizes")


def test_other_rows_prove_nothing_of_the_card():
    columns = {name: column[::-1] for name, column in COLUMNS.items()}
    system = unproven(SYSTEM)
    made = replace(system.card.provenance, projected="in about 40 min")
    front, _, texts = told(ScoringSystem(replace(system.card, provenance=made)), columns, Y[1:] + Y[:1])
    assert front.startswith("Not proven")
    assert any("the proof was to be expected in about 40 min." in text for text in texts)


@pytest.mark.parametrize("forget", [False, True])
def test_a_card_of_questions_is_told_of_alike(forget):
    model = SLIMClassifier(C0=0.04, max_points=1, max_features=2, prepare="auto").fit(COLUMNS, Y)
    system = model.scoring_system_
    front, proven, _ = told(unproven(system) if forget else system)
    assert front.startswith("Proven optimal")
    assert set(proven.values()) == {"yes"}
