"""Public objects at the end of a notebook cell: a short line of text, a small table, and no training rows."""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

import supersparse
from supersparse import (
    Prepare,
    Problem,
    ScoringSystem,
    Settings,
    SLIMClassifier,
    datasets,
    frontier,
    item,
    one_digit,
    penalties,
    pool,
    solve,
    theory,
    trade_off,
    what_if,
)
from supersparse import constraints as c
from supersparse.engine.explain import explain_infeasible
from supersparse.show.report import Plan, make_report
from supersparse.table.small_table import SmallTable, Tabular, cell, table_html

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

PATIENT, NAME = 987654321, "Zebedee Quux"
HOSTILE = "<b onclick=alert(1)>&\"'</style>$x$\n\u202eevil"
N = 40


def columns():
    """Two columns that tell the class, and two that tell who it is."""
    rng = np.random.default_rng(0)
    age = rng.integers(20, 90, N)
    smoker = rng.integers(0, 2, N)
    y = np.where(age + 20 * smoker + rng.integers(-9, 9, N) > 65, "ill", "well")
    number = np.arange(PATIENT, PATIENT + N)
    return {"age": age, "smoker": smoker, "number": number, "name": [NAME] * N}, y


def problem(**settings):
    X, y = columns()
    numbers = np.column_stack([X["age"] >= 60, X["smoker"], X["number"]]).astype(np.int64)
    asked = {"C0": 0.03, "max_points": 2, "intercept": (-9, 9), "positive": "ill"} | settings
    return Problem.of(
        numbers,
        y,
        feature_names=["age >= 60", "smoker", "number"],
        rate_groups={"who": np.array([NAME, "other"])[np.arange(N) % 2]},
        constraints=[c.must_not_use("number"), *asked.pop("constraints", ())],
        **asked,
    )


def system(name="age", classes=("well", "ill")):
    items = [item(name, at_least=60, points=2, missing=0), item("smoker", equals=1, points=Fraction(1, 3), missing=0)]
    return ScoringSystem.of(items, above=2, classes=classes, risk={0: 0.1, Fraction(7, 3): 0.9})


@cache
def public_objects():
    """Everything that a function or method of the public face returns, by a name."""
    X, y = columns()
    asked = problem()
    solution = solve(asked, "exhaustive")
    sizes, card = frontier(asked, max_features=2, solver="exhaustive"), system()
    person = {"age": 70, "smoker": 1}
    evaluation, risk = card.evaluate(X, y), card.risk(X, y)
    model = SLIMClassifier(C0=0.05, max_points=2).fit(np.column_stack([X["age"] >= 60, X["smoker"]]), y)
    prepare = Prepare().fit({"age": X["age"], "smoker": X["smoker"]}, y)
    conflict = problem(constraints=[c.max_error(0.01), c.min_sensitivity(1), c.must_not_use("age*")])
    data = datasets.load("breast-cancer")
    rules = [
        item("a", points=1), item("a", equals="x", points=1), item("a", is_missing=True, points=1),
        item("a", at_least=0.5, below=1, points=1),
    ]  # fmt: skip
    levels = [([-1, 1], 0.01), ([-2, 2], 0.02)]
    found = {
        "problem": asked,
        "problem of the paper": problem(C0=None, max_points="auto", intercept="paper", levels=levels),
        "solution": solution,
        "points": solution.points,
        "many points": supersparse.Points(tuple(range(1000)), Fraction(-1, 2), 3),
        "coefficient set": one_digit(),
        "trace": solution.trace,
        "frontier": sizes,
        "path": sizes.path(),
        "pool": pool(asked, within=0.3, solver="exhaustive"),
        "edit": what_if(solution, pin={"smoker": 2}),
        "trade-off": trade_off(asked, solver="exhaustive"),
        "useful range": penalties.useful_range(asked),
        "settings": Settings.of(C0=0.1, points={"*": range(-5, 6), "age": [0, 0.5]}, max_features=3),
        "settings by position": Settings.of(C0=[0.1] * 500),
        "conflict": explain_infeasible(conflict, "exhaustive"),
        "bound": theory.generalization_bound(asked, training_error=0.02),
        "no bound": theory.generalization_bound(problem(intercept="free")),
        "one more digit": theory.one_more_digit(asked),
        "scoring system": card,
        "learned system": ScoringSystem.from_solution(solution),
        "card": card.card,
        "sheet": card.sheet(),
        "tree": card.tree(),
        "tree's root": card.tree().root,
        "explanation": card.explain(person),
        "flip": card.flips(person)[0],
        "reasons": card.reasons(X),
        "possible total": card.possible({"age": 70, "smoker": None}),
        "outside": ScoringSystem.of(rules[:1], above=0, domains={"a": [0, 1]}).outside({"a": [0, 7]})[0],
        "evaluation": evaluation,
        "thresholds": evaluation.thresholds,
        "subgroups": card.by_subgroup(X, y, "smoker"),
        "risk table": risk,
        "calibration": risk.calibration(),
        "decision curve": evaluation.forecasts.decision_curve(),
        "drift": card.drift(X, X),
        "remembering": card.remember(X).card,
        "scaling": card.scaled(),
        "logistic": card.recalibrate(X, y).card.risk,
        "dataset": data,
        "columns": data.columns,
        "plan": Plan.nothing(),
        "report": make_report(ScoringSystem.from_solution(solution).card, *of_report(), plan=Plan.nothing()),
        "classifier": model,
        "card of the classifier": model.scoring_system_.card,
        "prepare": prepare,
        "feature": prepare.features_[0],
        "constraint": c.budget({"age": 2.5}, at_most=4),
        "limit": c.max_difference("error", group="who", at_most=0.5),
    }
    return found | {f"rule {i}": one for i, one in enumerate(rules)}


def of_report():
    X, y = columns()
    return {"age >= 60": (X["age"] >= 60).astype(int), "smoker": X["smoker"]}, y


NAMES = [
    *("problem", "problem of the paper", "solution", "points", "many points", "coefficient set", "trace"),
    *("frontier", "path", "pool", "edit", "trade-off", "useful range", "settings", "settings by position"),
    *("conflict", "bound", "no bound", "one more digit", "scoring system", "learned system", "card", "sheet"),
    *("tree", "tree's root", "explanation", "flip", "reasons", "possible total", "outside", "evaluation", "thresholds"),
    *("subgroups", "risk table", "calibration", "decision curve", "drift", "remembering", "scaling"),
    *("logistic", "dataset", "columns", "plan", "report", "classifier", "card of the classifier", "prepare"),
    *("feature", "constraint", "limit", "rule 0", "rule 1", "rule 2", "rule 3"),
]


def test_the_list_is_complete():
    assert list(public_objects()) == NAMES


def parts(one, seen=None):
    """An object and the objects of this package that its fields hold."""
    seen = {} if seen is None else seen
    if id(one) in seen or isinstance(one, Enum | np.ndarray | str):
        return seen
    if isinstance(one, tuple | list | frozenset):
        for inner in one:
            parts(inner, seen)
    elif isinstance(one, Mapping) and not isinstance(one, Tabular):
        for inner in one.values():
            parts(inner, seen)
    elif is_dataclass(one) and type(one).__module__.startswith("supersparse."):
        seen[id(one)] = one
        for field in fields(one):
            parts(getattr(one, field.name), seen)
    else:
        return seen
    return seen


class Page(HTMLParser):
    """The texts of the cells, and the tags that are open."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)
        self.open.append(tag)
        self.tags.append(tag)
        if tag in ("td", "th", "caption"):
            self.texts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if {"td", "th", "caption"} & set(self.open):
            self.texts[-1] += data


def faces(one):
    names = ("_repr_html_", "_repr_svg_")
    return [getattr(one, name)() for name in names if hasattr(one, name)]


@pytest.mark.parametrize("name", NAMES)
def test_the_line_of_text_is_short_and_tells_of_no_row(name):
    one = public_objects()[name]
    for part in [one, *parts(one).values()]:
        text = repr(part)
        assert len(text) < 1500, type(part)
        assert not re.search(r"array\(|Fraction\(|object at 0x", text), (type(part), text)
        assert str(PATIENT)[:6] not in text, (type(part), text)
        assert NAME not in text, (type(part), text)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_shows_a_table_or_a_picture_and_no_row(name):
    one = public_objects()[name]
    shown = faces(one)
    assert shown
    for text in shown:
        assert str(PATIENT)[:6] not in text
        assert NAME not in text
        assert "Fraction(" not in text
        assert "array(" not in text


def tables():
    return [name for name in NAMES if name not in ("classifier", "prepare", "sheet", "tree")]


@pytest.mark.parametrize("name", tables())
def test_the_table_is_whole(name):
    page = Page(public_objects()[name]._repr_html_())
    assert "table" in page.tags
    assert len(page.texts) > 2 or name in ("points", "rule 0")


@pytest.mark.parametrize(
    "name", ["frontier", "path", "trade-off", "thresholds", "subgroups", "risk table", "calibration", "drift"]
)
def test_the_table_has_the_numbers_of_the_printed_result(name):
    one = public_objects()[name]
    page = " ".join(Page(one._repr_html_()).texts)
    for number in re.findall(r"\d+\.?\d*", str(one)):
        assert number in page


def test_an_explanation_has_the_points_of_every_line_and_the_total():
    texts = Page(public_objects()["explanation"]._repr_html_()).texts
    assert texts[4:] == ["Age 60 or older?", "70", "2", "Smoker: 1?", "1", "1/3", "Total", "", "7/3"]


def test_names_are_escaped_wherever_they_stand():
    card = system(HOSTILE, classes=("well", HOSTILE))
    X, y = columns()
    X = {HOSTILE: X["age"], "smoker": X["smoker"]}
    y = np.where(y == "ill", HOSTILE, "well")
    asked = Problem.of(np.column_stack(list(X.values())), y, feature_names=list(X), C0=0.01, max_points=1)
    solution = solve(asked, "exhaustive")
    person = {HOSTILE: 70, "smoker": 1}
    results = [
        asked, solution, frontier(asked, 2, "exhaustive"), pool(asked, 0.5, solver="exhaustive"),
        what_if(solution, forbid=[HOSTILE]), card.card, card.explain(person),
        card.evaluate(X, y), card.by_subgroup(X, y, [HOSTILE, "b"] * (N // 2)), card.risk(X, y),
        card.drift(X, X), card.reasons(X), card.flips(person)[0],
    ]  # fmt: skip
    for result in results:
        text = repr(result)
        assert len(text.splitlines()) == 1
        assert "\u202e" not in text
        html = result._repr_html_()
        Page(html)
        assert "<b onclick" not in html
        assert "\u202e" not in html
        assert html.count("</style>") == 1


def test_a_long_table_is_cut_and_says_so():
    html = table_html("Many", "", SmallTable(("n",), [(str(i),) for i in range(200)]))
    assert html.count("<tr>") == 51
    assert "and 150 more rows" in html


def test_the_page_cannot_change_the_table():
    style = re.search(r"<style>(.*?)</style>", table_html("T", "", SmallTable((), [])), re.DOTALL)[1]
    assert "all:revert!important" in style
    declared = re.findall(r"[{;]([^{};]+:[^{};]+)(?=[;}])", style)
    assert len(declared) > 20
    assert all(one.endswith("!important") for one in declared)


def test_what_has_no_better_face_shows_its_fields_and_counts_long_ones():
    assert cell(np.arange(10)) == "10 values"
    assert cell(tuple(range(100))) == "100 values"
    assert cell([[1, 2]]) == "1 value"
    assert cell(()) == "none"
    assert cell(True) == "yes"
    assert cell(1e6) == "1000000"
    assert cell(Fraction(10**12, 7)) == "1.42857e+11"
