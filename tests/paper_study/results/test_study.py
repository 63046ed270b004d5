from statistics import stdev

import pytest

from paper_study.results.made import fits, record
from study.results.study import Study
from study.setting import Setting

SMALL, MIDDLE, LARGE = (Setting.of(C0=v, work=9) for v in (0.1, 0.01, 0.001))


def slim_study():
    return Study(
        [
            *fits("haberman", "SLIM", [10, 14], [6, 7], LARGE),
            *fits("haberman", "SLIM", [12, 13], [3, 3], MIDDLE),
            *fits("haberman", "SLIM", [15, 17], [1, 1], SMALL),
        ]
    )


def test_means_and_deviations_are_those_of_the_folds():
    result = slim_study().chosen("haberman", "SLIM", "best")
    assert result.setting == LARGE
    assert result.test.mean == 12
    assert result.test.sd == pytest.approx(stdev([10, 14]))  # of a sample, as R's sd
    assert (result.sizes(), result.sizes(with_intercept=False), result.size) == ([7, 8], [6, 7], 7.5)


def test_the_sparser_rules_take_the_sparsest_model_that_is_near_enough():
    # folds of the best: 10 and 14, so the deviation is 2 and the error 1.41 around 12
    study = slim_study()
    assert study.chosen("haberman", "SLIM", "one_sd").setting == MIDDLE
    assert study.chosen("haberman", "SLIM", "one_se").setting == MIDDLE


def test_methods_without_a_sparser_choice_keep_the_least_error():
    lines = [
        *fits("haberman", "CART", [10, 14], [6, 7], Setting.of(pruning=0.0)),
        *fits("haberman", "CART", [11, 14], [1, 1], Setting.of(pruning=0.1)),
    ]
    assert Study(lines).chosen("haberman", "CART", "one_sd").setting == Setting.of(pruning=0.0)


def test_a_setting_without_all_folds_is_left_out():
    lines = [*fits("haberman", "SLIM", [10, 14], [6, 7], LARGE), record("haberman", "SLIM", "1/2", 0, 1, SMALL)]
    assert [r.setting for r in Study(lines).results("haberman", "SLIM")] == [LARGE]


def test_contours_stay_apart_from_the_grid():
    lines = [
        *fits("haberman", "SLIM", [10, 14], [6, 7], LARGE),
        *fits("haberman", "SLIM", [1, 1], [1, 1], Setting.of(C0=0.1, work=1, C1=0.5)),
    ]
    study = Study(lines)
    assert study.chosen("haberman", "SLIM", "best").setting == LARGE
    assert len(study.results("haberman", "SLIM", contour=True)) == 1


def test_nested_folds_choose_without_the_rows_they_are_tested_on():
    # by the reported errors LARGE wins (12); inside, fold 1 prefers MIDDLE and fold 2 LARGE
    lines = [*fits("haberman", "SLIM", [10, 14], [6, 7], LARGE), *fits("haberman", "SLIM", [12, 13], [3, 3], MIDDLE)]
    short = {LARGE: Setting.of(C0=0.001, work=2), MIDDLE: Setting.of(C0=0.01, work=2)}
    for outer, better in (("1/2", MIDDLE), ("2/2", LARGE)):
        for setting, inner in short.items():
            errors = 5 if setting == better else 9
            lines += [record("haberman", "SLIM", f"{outer}:{k}/2", errors, 3, inner) for k in (1, 2)]
    study = Study(lines)
    assert study.nested("haberman", "SLIM").mean == (12 + 14) / 2
    assert study.nested("haberman", "CART") is None
    del lines[-3]  # of LARGE in the second fold, which is not whole then
    assert Study(lines).nested("haberman", "SLIM").mean == (12 + 13) / 2


def test_datasets_and_methods_come_in_the_papers_order():
    lines = [
        *fits("spambase", "SLIM", [1, 1], [1, 1], LARGE),
        *fits("haberman", "LR", [1, 1], [1, 1]),
        *fits("haberman", "CART", [1, 1], [1, 1]),
        *fits("haberman", "Unit", [1, 1], [1, 1]),
    ]
    study = Study(reversed(lines))
    assert study.datasets == ["haberman", "spambase"]
    assert study.methods("haberman") == ["LR", "CART", "Unit"]
