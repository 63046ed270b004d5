"""The paper's applications (section 5), each beside what the paper compares it with."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from study.fitting import count_wrong
from study.methods.contract import Linear
from study.methods.paths import path_of_lambdas, penalised_path
from study.methods.slim import positive_rows
from study.records import Shown
from study.study_data import HOLD_OUT, StudyData, fold_names, split_rows
from supersparse.base.errors import MissingDataError
from supersparse.engine.solve import solve
from supersparse.learn.choice import Candidate, choose_penalty
from supersparse.problem.problem import Problem
from supersparse.show.document import ScoringSystem
from supersparse.table.datasets.originals import data_folder

BREAST, MAMMOGRAM, CRIME = "breast cancer, biopsy", "breast cancer, mammogram", "violent crime"
FEW_VALUES = tuple(sign * v for v in (1, 5, 10, 50, 100, 500) for sign in (-1, 1))
CRIME_FILE = "recidivism_violent_558.csv"
RATIOS = tuple(Fraction(r) for r in ("1/4", "1/2", "1", "3/2", "2", "3", "4", "6", "8", "12", "16", "32"))
TUMOURS, CRIMES = ("benign", "malignant"), ("not violent", "violent")
PAPER_RATIO = Fraction("1.2") / Fraction("0.8")
_WORK = 400_000


def biopsy(data: StudyData, seed: int) -> Iterator[Shown]:
    """Section 5.1: the card, and the lasso's sparsest model within one standard error."""
    train, test = _halves(data, seed)
    yield _card(BREAST, train, test, seed, TUMOURS, C0=0.006, points=[0, *FEW_VALUES])
    linear = one_se_lasso(train, seed)
    yield Shown(
        application=BREAST,
        model="Lasso",
        text=formula(linear, data.feature_names),
        size=linear.size.with_intercept,
        train=count_wrong(linear.predict(train.X), train.y),
        test=count_wrong(linear.predict(test.X), test.y),
    )


def mammogram(data: StudyData, seed: int) -> Iterator[Shown]:
    """Section 5.2: the card."""
    train, test = _halves(data, seed)
    yield _card(MAMMOGRAM, train, test, seed, TUMOURS, C0=0.002, max_points=100)


def crime(data: StudyData, seed: int) -> Iterator[Shown]:
    """Section 5.3 on substitute data: cards and trees over the whole range of the weights."""
    train, test = _halves(data, seed)
    for ratio in RATIOS:
        negative, positive = float(2 / (1 + ratio)), float(2 * ratio / (1 + ratio))
        card = _card(
            CRIME, train, test, seed, CRIMES,
            C0=0.01, points=[0, *FEW_VALUES],
            class_weight=dict(zip(CRIMES, (negative, positive), strict=True)),
        )  # fmt: skip
        yield replace(card, model=weighted("SLIM", ratio))
        # classregtree's own: no pruning, splits of at least 10 rows
        tree = DecisionTreeClassifier(
            min_samples_split=10, class_weight={False: negative, True: positive}, random_state=seed
        )
        tree.fit(train.X, train.y)
        yield Shown(
            application=CRIME,
            model=weighted("tree", ratio),
            text="",
            size=int(tree.tree_.node_count),
            train=count_wrong(tree.predict(train.X), train.y),
            test=count_wrong(tree.predict(test.X), test.y),
        )


def weighted(model: str, ratio: Fraction) -> str:
    """Name a model of section 5.3 by its weights.

    >>> weighted("tree", Fraction(3, 2))
    'tree, W+/W- 1.5'
    """
    return f"{model}, W+/W- {float(ratio):g}"


APPLICATIONS: dict[str, tuple[str, Callable[[StudyData, int], Iterator[Shown]]]] = {
    BREAST: ("breast-cancer", biopsy),
    MAMMOGRAM: ("mammography", mammogram),
    CRIME: ("recidivism", crime),
}


def load_crime(folder: Path | None = None) -> StudyData:
    """Read the substitute of section 5.3 from the data folder: the target first, all whole numbers."""
    path = (data_folder() if folder is None else folder) / CRIME_FILE
    if not path.is_file():
        raise MissingDataError(f"{CRIME_FILE} is not in {str(path.parent)!r}; see docs/applications.md")
    header, *rows = (line.split(",") for line in path.read_text(encoding="utf-8").splitlines())
    table = np.array(rows, dtype=np.int64)
    return StudyData(name="recidivism", X=table[:, 1:], y=table[:, 0] == 1, feature_names=tuple(header[1:]))


def one_se_lasso(train: StudyData, seed: int) -> Linear:
    """The sparsest model of the path within one standard error of the least 5-fold error, as cv.glmnet's."""
    X, y = train.X.astype(np.float64), train.y.astype(np.float64)
    lambdas = path_of_lambdas(X, y, 1.0)
    errors: list[list[Fraction]] = []
    sizes: list[list[int]] = []
    for name in fold_names():
        split = split_rows(train.y, name, seed + 1)
        models = penalised_path(X[split.train], y[split.train], lambdas, 1.0)
        wrong = [count_wrong(m.predict(X[split.test]), train.y[split.test]).errors for m in models]
        errors.append([Fraction(count, len(split.test)) for count in wrong])
        sizes.append([model.size.features for model in models])
    candidates = [
        Candidate(C0=value, errors=tuple(e), sizes=tuple(s))
        for value, e, s in zip(lambdas, zip(*errors, strict=True), zip(*sizes, strict=True), strict=True)
    ]
    return penalised_path(X, y, lambdas, 1.0)[choose_penalty(candidates, "one_se", may_be_empty=True)]


def formula(linear: Linear, names: tuple[str, ...]) -> str:
    """Write a linear model as the paper does.

    >>> formula(Linear(np.array([0.241, 0.0]), -4.98), ("Clump", "Size"))
    'Score = 0.24 x Clump - 4.98'
    """
    terms = [(float(linear.coefficients[j]), f" x {names[j]}") for j in np.flatnonzero(linear.coefficients)]
    text = ""
    for value, name in [*terms, (linear.intercept, "")]:
        sign = " - " if value < 0 else " + " if text else ""
        text += f"{sign.lstrip() if not text else sign}{abs(value):.2f}{name}"
    return f"Score = {text}"


def _halves(data: StudyData, seed: int) -> tuple[StudyData, StudyData]:
    split = split_rows(data.y, HOLD_OUT, seed)
    return data.part(split.train), data.part(split.test)


def _card(
    application: str, train: StudyData, test: StudyData, seed: int, classes: tuple[str, str], **asked: Any
) -> Shown:
    """Learn with the paper's intercept, which is a coefficient like the others."""
    problem = Problem.of(
        train.X,
        np.where(train.y, classes[1], classes[0]),
        feature_names=train.feature_names,
        positive=classes[1],
        intercept="paper",
        **asked,
    )
    solution = solve(problem, "exact", node_limit=_WORK, random_state=seed)
    points = solution.points
    proof = "proven optimal" if solution.proven_optimal else f"gap {solution.gap:.1%}"
    return Shown(
        application=application,
        model="SLIM",
        text=ScoringSystem.from_solution(solution).to_text(style="paper"),
        size=solution.evaluation.size,
        train=count_wrong(positive_rows(points, train.X), train.y),
        test=count_wrong(positive_rows(points, test.X), test.y),
        proof=proof,
    )
