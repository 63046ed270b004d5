from importlib.util import find_spec
from xml.etree import ElementTree

import pytest

from paper_study.results.made import fits
from study.page.comparison_plots import accuracy_against_sparsity, slim_against_lasso
from study.results.study import Study
from study.setting import Setting

pytestmark = pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")


def test_models_of_no_rule_and_of_a_thousand_coefficients_fit_one_picture():
    study = Study(
        [
            *fits("internet-ads", "SLIM", [4, 5], [13, 14], Setting.of(C0=0.001, work=1)),
            *fits("internet-ads", "Lasso", [3, 3], [118, 120], Setting.of(penalty=0.01)),
            *fits("internet-ads", "C50R", [6, 6], [-1, -1], Setting.of(confidence=0.25)),  # made: size 0
            *fits("internet-ads", "SVM", [4, 3], [1430, 1430], Setting.of(cost=1.0)),
        ]
    )
    text = accuracy_against_sparsity(study)
    ElementTree.fromstring(text)
    for name in ("SLIM", "Lasso", "C50R", "SVM", "1000"):
        assert name in text
    assert "Lasso" in slim_against_lasso(study)
