"""A small study: one table of 60 rows, quick methods, two folds."""

import numpy as np

from study.methods.logistic import LogisticRegression
from study.methods.penalised import Lasso
from study.methods.scikit import Cart
from study.methods.slim import Slim
from study.plan import Plan
from study.study_data import StudyData


def tiny_data(name="tiny", n_rows=60, seed=3):
    draw = np.random.default_rng(seed)
    X = draw.integers(0, 5, (n_rows, 3))
    y = 2 * X[:, 0] - X[:, 1] + draw.integers(-2, 3, n_rows) > 2
    return StudyData(name=name, X=X, y=y, feature_names=("a", "b", "c"))


def tiny_plan(**changes):
    return Plan(
        **{
            "name": "tiny",
            "datasets": ("tiny",),
            "methods": (LogisticRegression(), Cart(), Lasso(count=6), Slim({"tiny": 200}, values=(0.01, 0.05))),
            "folds": 2,
            "nested": ("SLIM", "Lasso"),
            "contour": ("tiny",),
            "contour_C0": (0.01, 0.05),
            "contour_C1": (0.0001, 0.01),
            **changes,
        }
    )
