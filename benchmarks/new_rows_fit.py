"""Fit one method to tables and predict others; runs in an environment of its own, and knows nothing of supersparse.

Usage: ``python new_rows_fit.py METHOD TRAIN.csv TEST.csv ...``, pairs of files with raw columns and the outcome `y` (0
or 1). Prints a line of JSON for each: the risks of the test rows, the number of columns that the model asks for, CPU
seconds.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

Fit = tuple[np.ndarray, int]  # risks of the test rows, columns asked for


def encoder() -> object:
    """Return standardised numbers with a column for missing values, and one column for each frequent level."""
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    levels = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=0.02, sparse_output=False)
    return make_column_transformer(
        (numbers, make_column_selector(dtype_include=np.number)),
        (levels, make_column_selector(dtype_exclude=np.number)),
    )


def ridge(X: pd.DataFrame, y: pd.Series, new: pd.DataFrame) -> Fit:
    """Ridge logistic regression on all columns."""
    model = LogisticRegressionCV(Cs=np.logspace(-4, 2, 10), cv=5, scoring="neg_log_loss", max_iter=300)
    pipe = make_pipeline(encoder(), model).fit(X, y)
    return pipe.predict_proba(new)[:, 1], X.shape[1]


def lasso(X: pd.DataFrame, y: pd.Series, new: pd.DataFrame) -> Fit:
    """L1 logistic regression: the best penalty by five folds among those that use at most ten columns."""
    coded = encoder().fit(X)
    A, B, owner = coded.transform(X), coded.transform(new), columns_of(coded, X)
    grid = [c for c in np.logspace(-3, 1, 25) if used(A, y, c, owner) <= 10]
    search = LogisticRegressionCV(
        Cs=grid, l1_ratios=[1], solver="liblinear", intercept_scaling=100, cv=5, scoring="neg_log_loss"
    )
    search.fit(A, y)
    return search.predict_proba(B)[:, 1], len(set(owner[search.coef_[0] != 0]))


def used(A: np.ndarray, y: pd.Series, C: float, owner: np.ndarray) -> int:
    """Return how many raw columns L1 logistic regression uses with a penalty."""
    model = LogisticRegression(l1_ratio=1, C=C, solver="liblinear", intercept_scaling=100)  # a free intercept, nearly
    return len(set(owner[model.fit(A, y).coef_[0] != 0]))


def columns_of(coded: object, X: pd.DataFrame) -> np.ndarray:
    """Return the raw column behind each column of the encoder."""
    raw = sorted(X.columns, key=len, reverse=True)
    names = [name.split("__", 1)[1].removeprefix("missingindicator_") for name in coded.get_feature_names_out()]
    return np.array([next(c for c in raw if name == c or name.startswith(f"{c}_")) for name in names])


def stumps(X: pd.DataFrame, y: pd.Series, new: pd.DataFrame) -> Fit:
    """Boosted stumps of scikit-learn on all columns."""
    model = HistGradientBoostingClassifier(
        max_depth=1, learning_rate=0.05, max_iter=300, early_stopping=True, n_iter_no_change=15,
        min_samples_leaf=max(5, len(y) // 50), random_state=0,
    )  # fmt: skip
    pipe = make_pipeline(encoder(), model).fit(X, y)
    return pipe.predict_proba(new)[:, 1], X.shape[1]


def fast_risk_score(size: int) -> Callable[[pd.DataFrame, pd.Series, pd.DataFrame], Fit]:
    """imodels' FastRiskScoreClassifier with its own thresholds."""

    def fit(X: pd.DataFrame, y: pd.Series, new: pd.DataFrame) -> Fit:
        from imodels import FastRiskScoreClassifier

        if not hasattr(fit, "seconds"):
            tiny = pd.DataFrame({"a": [0.0, 1.0] * 20, "b": [0.0, 0.0, 1.0, 1.0] * 10})
            FastRiskScoreClassifier(k=1).fit(tiny, np.array([0, 1, 1, 1] * 10))  # compiles
        began = time.process_time()
        model = FastRiskScoreClassifier(k=size, max_points=10).fit(X, y)
        fit.seconds = time.process_time() - began
        raw = sorted(X.columns, key=len, reverse=True)
        asked = {next(c for c in raw if name.startswith(c)) for name in model.points_}
        return model.predict_proba(new)[:, 1], len(asked)

    return fit


def autoscore(X: pd.DataFrame, y: pd.Series, new: pd.DataFrame) -> Fit:
    """As AutoScore: six columns by a forest's importance, cuts at 5, 20, 80 and 95 %, points scaled to 100."""
    filled = {c: SimpleImputer(strategy="median").fit(X[[c]]) for c in X.select_dtypes(np.number)}
    forest_rows = pd.DataFrame(
        {c: filled[c].transform(X[[c]])[:, 0] if c in filled else pd.factorize(X[c])[0] for c in X}
    )
    importance = RandomForestClassifier(100, random_state=0).fit(forest_rows, y).feature_importances_
    best = [X.columns[j] for j in np.argsort(-importance, kind="stable")[:6]]
    cuts = {c: np.unique(np.nanquantile(X[c].astype(float), [0.05, 0.2, 0.8, 0.95])) for c in best if c in filled}

    def bands(rows: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({
            c: np.digitize(filled[c].transform(rows[[c]])[:, 0], cuts[c]).astype(str)
            if c in cuts else rows[c].astype(str).to_numpy() for c in best
        })  # fmt: skip

    levels = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(bands(X))
    A, B = levels.transform(bands(X)), levels.transform(bands(new))
    weights = LogisticRegression(C=1.0, max_iter=1000).fit(A, y).coef_[0]
    owner = np.repeat(np.arange(len(best)), [len(c) for c in levels.categories_])
    weights = np.concatenate([weights[owner == k] - weights[owner == k].min() for k in range(len(best))])
    most = sum(weights[owner == k].max() for k in range(len(best)))
    points = np.round(100 * weights / most) if most > 0 else weights
    line = LogisticRegression(C=np.inf).fit((A @ points)[:, None], y)
    return line.predict_proba((B @ points)[:, None])[:, 1], len(best)


def scorecard(X: pd.DataFrame, y: pd.Series, new: pd.DataFrame) -> Fit:
    """optbinning's scorecard on optimal bins of all columns, with logistic regression."""
    from optbinning import BinningProcess, Scorecard

    texts = [c for c in X if not pd.api.types.is_numeric_dtype(X[c])]
    binning = BinningProcess(list(X.columns), categorical_variables=texts, max_n_bins=4)
    card = Scorecard(binning, LogisticRegression(max_iter=1000), scaling_method="min_max",
                     scaling_method_params={"min": 0, "max": 100}, rounding=True)  # fmt: skip
    card.fit(X, y)
    line = LogisticRegression(C=np.inf).fit(card.score(X)[:, None], y)
    asked = card.table(style="summary")["Variable"].nunique()
    return line.predict_proba(card.score(new)[:, None])[:, 1], int(asked)


def boosting_machine(X: pd.DataFrame, y: pd.Series, new: pd.DataFrame) -> Fit:
    """An explainable boosting machine on all columns."""
    from interpret.glassbox import ExplainableBoostingClassifier

    model = ExplainableBoostingClassifier(random_state=0, n_jobs=1).fit(X, y)
    return model.predict_proba(new)[:, 1], X.shape[1]


METHODS = {
    "ridge, all columns": ridge,
    "L1, at most ten columns": lasso,
    "boosted stumps": stumps,
    "FastRiskScore 5": fast_risk_score(5),
    "FastRiskScore 10": fast_risk_score(10),
    "AutoScore-like, 6": autoscore,
    "optbinning scorecard": scorecard,
    "EBM": boosting_machine,
}


def main() -> None:
    """Fit, predict and print."""
    warnings.simplefilter("ignore")
    method, *paths = sys.argv[1:]
    fit = METHODS[method]
    for train, test in zip(paths[::2], paths[1::2]):  # noqa: B905
        rows, new = pd.read_csv(train), pd.read_csv(test)
        began = time.process_time()
        risks, asked = fit(rows.drop(columns="y"), rows["y"], new.drop(columns="y"))
        seconds = getattr(fit, "seconds", time.process_time() - began)
        print(json.dumps({"risks": [float(r) for r in risks], "questions": asked, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
