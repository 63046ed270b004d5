import numpy as np
import pytest

from paper_study.tiny import tiny_data
from study.applications import (
    CRIME_FILE,
    PAPER_RATIO,
    RATIOS,
    crime,
    formula,
    load_crime,
    mammogram,
    one_se_lasso,
    weighted,
)
from study.methods.contract import Linear
from study.study_data import HOLD_OUT, split_rows
from supersparse.errors import MissingDataError

# 48 rows are few for the paper's C0
pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def test_the_card_and_its_errors_are_of_the_rows_of_the_split():
    data = tiny_data()
    (card,) = mammogram(data, 0)
    split = split_rows(data.y, HOLD_OUT, 0)
    assert (card.train.rows, card.test.rows) == (48, 12)
    assert card.test.positives == data.y[split.test].sum()
    assert "malignant" in card.text
    assert card.proof == "proven optimal"


def test_cards_and_trees_over_all_weights_say_their_sizes_and_rates():
    models = {shown.model: shown for shown in crime(tiny_data(), 0)}
    assert list(models) == [f"{kind}, W+/W- {float(r):g}" for r in RATIOS for kind in ("SLIM", "tree")]
    assert PAPER_RATIO in RATIOS
    for kind in ("SLIM", "tree"):
        own = [models[weighted(kind, ratio)] for ratio in RATIOS]
        sensitivities = [1 - shown.train.positive / shown.train.positives for shown in own]
        assert sensitivities[-1] > sensitivities[0]
    assert all(models[weighted("tree", r)].size % 2 == 1 for r in RATIOS)  # two-way questions
    assert all("violent" in models[weighted("SLIM", r)].text for r in RATIOS)


def test_the_lasso_within_one_standard_error_is_no_larger_than_the_whole_path():
    linear = one_se_lasso(tiny_data(), 0)
    assert 1 <= linear.size.features <= 2  # the third column is noise
    assert linear.coefficients[0] > 0 > linear.coefficients[1] or linear.size.features == 1


def test_a_model_without_features_is_written_as_its_intercept():
    assert formula(Linear(np.zeros(2), -0.5), ("a", "b")) == "Score = - 0.50"


def test_the_substitute_data_are_read_with_the_target_first(tmp_path):
    with pytest.raises(MissingDataError, match=r"docs/applications\.md"):
        load_crime(tmp_path)
    (tmp_path / CRIME_FILE).write_text("target,a,b\n1,0,3\n0,1,2\n", encoding="utf-8")
    data = load_crime(tmp_path)
    assert data.feature_names == ("a", "b")
    assert data.X.tolist() == [[0, 3], [1, 2]]
    assert data.y.tolist() == [True, False]
