"""Models of one feature: moves of two features at once may leave none in use, and the search still ends."""

import numpy as np
import pytest

from supersparse import Problem, solve


@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
@pytest.mark.parametrize("seed", range(3))
def test_the_best_single_question_is_found(seed):
    random = np.random.default_rng(seed)
    y = random.random(300) < 0.5
    X = np.where(random.random((300, 40)) < 0.35, ~y[:, None], y[:, None]).astype(int)
    found = solve(Problem.of(X, y, C0=0, max_features=1), random_state=seed)
    wrong = [min(int((X[:, j] != y).sum()), int((X[:, j] == y).sum())) for j in range(X.shape[1])]
    assert found.proven_optimal
    assert found.evaluation.training_errors == min([*wrong, int(y.sum()), int((~y).sum())])
