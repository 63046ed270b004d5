"""Orders that the words of categories show, and numbers with an open end."""

import numpy as np
import pytest

from supersparse import Prepare
from supersparse.table.cells import beyond, limit_of
from supersparse.table.orders import order_of


@pytest.mark.parametrize(
    "order",
    [
        ["I", "II", "III", "IV"], ["Stage I", "Stage IIa", "Stage IIb", "Stage III"], ["1st", "2nd", "3rd"],
        ["low", "medium", "high"], ["keine", "leicht", "mittel", "schwer"], ["nie", "selten", "oft"],
        ["jamais", "parfois", "souvent"], ["nunca", "a veces", "siempre"], ["mai", "talvolta", "spesso", "sempre"],
        ["nooit", "soms", "vaak"], ["A11", "A12", "A13", "A14"], ["T1", "T2", "T3"], ["Jan", "Feb", "Mar", "Dec"],
        ["enero", "marzo", "diciembre"], ["none", "stupor", "coma"], ["Strongly disagree", "Neutral", "Strongly agree"],
        ["<=20", "20-50", ">50"], ["<21", "21-49", "50+"], ["Low", "Medium", "High", "Very_High"],
        ["negative", "trace", "+", "++", "+++"], ["XS", "S", "M", "L", "XL"], ["baixo", "médio", "alto"],
    ],
    ids=str,
)  # fmt: skip
def test_words_that_tell_their_order_are_put_in_order(order):
    for shuffled in (order[::-1], sorted(order), order[1:] + order[:1]):
        assert order_of(shuffled) == tuple(order)


@pytest.mark.parametrize(
    "names",
    [
        ["red", "green", "blue"], ["no", "yes"], ["low", "high"], ["low", "medium", "unknown"], ["A40", "A41", "A410"],
        ["1", "2", "3"], ["none", "No", "mild"], ["Berlin", "Paris", "Rom"], ["x", "y", "z"], ["1-3", "2-4", "5-6"],
    ],
    ids=str,
)  # fmt: skip
def test_other_categories_are_not(names):
    assert order_of(names) is None


def test_points_rise_or_fall_along_a_recognised_order():
    rng = np.random.default_rng(1)
    grade = rng.choice(["none", "stupor", "coma"], 300, p=[0.5, 0.25, 0.25])
    y = rng.random(300) < np.array([{"none": 0.1, "stupor": 0.5, "coma": 0.45}[g] for g in grade])
    prepared = Prepare().fit({"coma": grade.tolist()}, y)
    assert "coma: 3 levels in order" in prepared.notes_
    assert {f.rule.values for f in prepared.features_} <= {("stupor", "coma"), ("coma",)}
    told = Prepare(categorical=["coma"]).fit({"coma": grade.tolist()}, y)
    assert not any("in order" in note for note in told.notes_)


@pytest.mark.parametrize(
    "cell", ["3+", "3 +", "3 or more", "3 oder mehr", "3 et plus", "3 o más", "3 o più", "3 ou mais", "3 of meer"]
)
def test_an_open_end_stands_above_every_number(cell):
    assert limit_of(cell) == (False, "3")
    assert beyond(cell, ".") == np.inf
