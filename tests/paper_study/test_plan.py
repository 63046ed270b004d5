from fractions import Fraction

import pytest

from paper_study.tiny import tiny_data, tiny_plan
from study.contour_grid import CONTOUR_C0, paper_end, safe_end
from study.fitting import KINDS
from study.plan import DATASETS, full
from study.results.conventions import RANGES, where_is
from study.study_data import load_study_data
from supersparse.errors import InvalidOptionError


def kinds_of(plan):
    data = tiny_data()
    return {(m.name, task.kind) for m in plan.methods for task in plan.tasks(data, m)}


def test_a_part_of_a_plan_has_its_methods_and_kinds_of_fit():
    plan = tiny_plan()
    part = plan.part(methods=["SLIM", "LR"], kinds=["fold"])
    assert kinds_of(part) == {("LR", "fold"), ("SLIM", "fold")}
    assert kinds_of(plan.part(kinds=["contour"])) == {("SLIM", "contour")}
    assert kinds_of(plan.part(kinds=[])) == set()
    assert kinds_of(plan.part()) == kinds_of(plan)
    assert {kind for _, kind in kinds_of(plan)} == set(KINDS)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"methods": ["SLIM b"]}, "no method 'SLIM b'; did you mean 'SLIM'"),
        ({"datasets": ["tony"]}, "no dataset 'tony'; did you mean 'tiny'"),
        ({"kinds": ["inner"]}, "no kind of fit 'inner'; known: contour, fold, nested"),
    ],
)
def test_names_that_the_plan_does_not_have_are_refused(wanted, words):
    with pytest.raises(InvalidOptionError, match=words):
        tiny_plan().part(**wanted)


def test_contours_are_drawn_on_all_six_datasets():
    assert full(None).contour == DATASETS
    assert len(DATASETS) == 6


@pytest.mark.parametrize("name", ["breast-cancer", "haberman", "spambase", "tic-tac-toe"])
def test_each_contour_has_two_l1_prices_in_the_papers_range_for_all_folds(name):
    plan, data = full(None).part(methods=["SLIM"], kinds=["contour"]), load_study_data(name)
    seen = {}
    for task in plan.tasks(data, plan.methods[0]):
        (setting,) = task.settings
        C0, C1 = setting.number("C0"), setting.number("C1")
        n_rows = len(data.y) - len(data.y) // 5 - (1 if int(task.split[0]) <= len(data.y) % 5 else 0)
        seen.setdefault((task.split, C0), []).append(where_is(C1, n_rows, data.paper_columns, C0))
    assert len(seen) == 5 * len(CONTOUR_C0)
    for first, second, *others in seen.values():
        assert first == RANGES[0]
        assert second in RANGES[:2]  # the larger C0 is, the further C1 is safe
        assert others[1:] == [RANGES[2]] * 3
    assert any(second == RANGES[1] for _, second, *_ in seen.values())


def test_a_safe_l1_price_is_too_small_to_change_the_objective():
    # errors of 1/6 = 125/750 and terms of 0.004 = 3/750: F is a multiple of 1/750, and of nothing larger
    assert safe_end(6, 10, 0.004) * 100 * 10 == Fraction(1, 750)
    assert paper_end(6, 10, 0.004) * 100 * 10 == Fraction("0.004")
    assert paper_end(6, 10, 0.5) * 100 * 10 == Fraction(1, 6)
