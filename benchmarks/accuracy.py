"""How good are default cards on rows they were not learned from? Beside logistic regression and risk scores.

``python -m benchmarks.accuracy run`` learns on each of five folds of each bundled table and adds to
``benchmarks/results/accuracy.jsonl``; ``... table`` puts the tables into docs/accuracy.md. Every method sees
the same folds. The peers choose among the questions that `Prepare` made of the same training rows, as many of
them as the default card has, with the same points. Logistic regression takes all raw columns.
"""

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.data import ROOT
from benchmarks.peers import fast_risk, faster_risk
from benchmarks.processes import FailedError
from supersparse import datasets
from supersparse.learn.fit import Fitted, fit
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings
from supersparse.learn.splits import Folds, repeated_splits

RESULTS = ROOT / "benchmarks" / "results" / "accuracy.jsonl"
PAGE = ROOT / "docs" / "accuracy.md"
FOLDS, LIMIT = 5, 30.0  # seconds for each default card
TABLES = {
    "breast-cancer": (datasets.load_breast_cancer, ("Id",)),
    "haberman": (datasets.load_haberman, ()),
    "mammography": (datasets.load_mammography, ()),
    "tic-tac-toe": (datasets.load_tic_tac_toe, ()),
    "spambase": (datasets.load_spambase, ()),
}
RISK_CARD = "default card, goal risk"
DEFAULTS = [(5, 5), (5, 10), (10, 5), (10, 10), (10, 20), (100, 10)]  # largest points, questions


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One method on one fold; measures on the held-out rows."""

    table: str
    fold: int
    method: str
    features: int
    error: float
    auc: float
    log_loss: float | None
    seconds: float  # of CPU time
    version: str = ""


def folds_of(table: str) -> Iterator[tuple[int, TrainingRows, TrainingRows]]:
    """Yield the number, the training rows and the test rows of each fold of a bundled table."""
    load, dropped = TABLES[table]
    data = load()
    names = [name for name in data.raw if name != data.target and name not in dropped]
    y = np.asarray(data.raw[data.target])
    rows = TrainingRows(
        X={name: np.asarray(data.raw[name]) for name in names}, y=y, sample_weight=None, rate_groups=None
    )
    shuffled = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for k, (train, test) in enumerate(shuffled.split(np.zeros(len(y)), y)):
        yield k, rows.take(train), rows.take(test)


def default_card(train: TrainingRows, limit: float = LIMIT, **asked: Any) -> tuple[Fitted, float]:
    """Learn a card of features as `supersparse fit --goal errors` does by default, and count its CPU seconds."""
    began = time.process_time()
    asked |= {"questions": False} if asked.get("goal") == "risk" else {}
    recipe = Recipe(settings=Settings.of(**asked), prepare=Prepare(), options={"time_limit": limit, "random_state": 0})
    question = recipe.question(train)
    fitted = fit(question, train, Folds(splits=repeated_splits(train.y, 5, 2), repeats=2))
    return fitted, time.process_time() - began


def measured_card(table: str, fold: int, method: str, fitted: Fitted, seconds: float, test: TrainingRows) -> Measured:
    """Judge a card on the test rows of a fold."""
    positive = fitted.question.problem.rows.classes[1]
    scores = fitted.question.scores(fitted.solution, test.X)
    truth = test.y == positive
    risk = fitted.card.risk
    chances = None if risk is None else risk.of(scores + float(fitted.card.threshold))
    return Measured(
        table=table,
        fold=fold,
        method=method,
        features=len(fitted.solution.points.support),
        error=float(np.mean((scores > 0) != truth)),
        auc=float(roc_auc_score(truth, scores)),
        log_loss=None if chances is None else float(log_loss(truth, np.clip(chances, 1e-6, 1 - 1e-6))),
        seconds=seconds,
    )


def compare(table: str) -> Iterator[Measured]:
    """Yield the default card and its peers on each fold."""
    for k, train, test in folds_of(table):
        fitted, seconds = default_card(train)
        yield measured_card(table, k, "default card", fitted, seconds, test)
        prepare, problem = fitted.question.prepare, fitted.question.problem
        assert prepare is not None
        positive = problem.rows.classes[1]
        X, X_test = (prepare.transform(part.X).astype(float) for part in (train, test))
        y, truth = (train.y == positive).astype(int), test.y == positive
        size = max(1, len(fitted.solution.points.support))
        for method, peer in (("FasterRisk", faster_risk), ("FastRiskScore", fast_risk)):
            try:
                score = peer(X, y, size, 10)
            except FailedError as error:
                print(f"{table}, fold {k}: {method} failed: {error}", file=sys.stderr)
                continue
            yield _of_odds(table, k, method, int((score.points != 0).sum()), score.log_odds(X_test), truth,
                           score.seconds, score.version)  # fmt: skip
        yield _logistic(table, k, train, test, positive)


def compare_risk(table: str) -> Iterator[Measured]:
    """Yield the default card for the goal of risk on each fold."""
    for k, train, test in folds_of(table):
        fitted, seconds = default_card(train, goal="risk")
        yield measured_card(table, k, RISK_CARD, fitted, seconds, test)


def _logistic(table: str, fold: int, train: TrainingRows, test: TrainingRows, positive: object) -> Measured:
    import pandas as pd
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    frames = [pd.DataFrame(part.X).convert_dtypes() for part in (train, test)]
    numbers = make_column_selector(dtype_include="number")
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    )
    began = time.process_time()
    model = make_pipeline(columns, LogisticRegression(max_iter=5000)).fit(frames[0], train.y == positive)
    seconds = time.process_time() - began
    odds = model.decision_function(frames[1])
    used = model[-1].coef_.size
    return _of_odds(table, fold, "logistic regression", used, odds, test.y == positive, seconds)


def _of_odds(
    table: str,
    fold: int,
    method: str,
    features: int,
    odds: NDArray[Any],
    truth: NDArray[np.bool_],
    seconds: float,
    version: str = "",
) -> Measured:
    chances = np.clip(1 / (1 + np.exp(-np.clip(odds, -500, 500))), 1e-6, 1 - 1e-6)
    return Measured(
        table=table,
        fold=fold,
        method=method,
        features=features,
        error=float(np.mean((odds > 0) != truth)),
        auc=float(roc_auc_score(truth, odds)),
        log_loss=float(log_loss(truth, chances)),
        seconds=seconds,
        version=version,
    )


def compare_defaults(table: str) -> Iterator[Measured]:
    """Yield cards with other largest points and numbers of questions, on each fold."""
    for k, train, test in folds_of(table):
        for points, size in DEFAULTS:
            fitted, seconds = default_card(train, LIMIT / 3, max_points=points, max_features=size)
            yield measured_card(table, k, f"points to {points}, {size} questions", fitted, seconds, test)


def recorded() -> list[Measured]:
    """Return what has been measured so far."""
    if not RESULTS.exists():
        return []
    return [Measured(**json.loads(line)) for line in RESULTS.read_text().splitlines()]


def shown(found: list[Measured], methods: list[str], tables: list[str]) -> str:
    """Return a table in Markdown: error and AUC on held-out rows, mean over the folds."""
    lines = ["| table | method | questions | error | AUC | log loss | CPU s |", "|---|---|---|---|---|---|---|"]
    for table in tables:
        for method in methods:
            rows = [m for m in found if (m.table, m.method) == (table, method)]
            if len(rows) < FOLDS:
                continue
            losses = [m.log_loss for m in rows if m.log_loss is not None]
            loss = f"{mean(losses):.3f}" if len(losses) == len(rows) else "-"
            lines.append(
                f"| {table} | {method} | {mean(m.features for m in rows):.1f} | "
                f"{100 * mean(m.error for m in rows):.1f} % | {mean(m.auc for m in rows):.3f} | {loss} | "
                f"{mean(m.seconds for m in rows):.1f} |"
            )
    return "\n".join(lines)


def with_tables(page: str) -> str:
    """Return the page with the tables of what is recorded between its marks."""
    found = recorded()
    tables = [t for t in TABLES if any(m.table == t for m in found)]
    peers = ["default card", RISK_CARD, "FasterRisk", "FastRiskScore", "logistic regression"]
    defaults = [f"points to {points}, {size} questions" for points, size in DEFAULTS]
    for name, methods in (("peers", peers), ("defaults", defaults)):
        head, begin, rest = page.partition(f"<!-- {name}: begin -->\n")
        _, end, tail = rest.partition(f"<!-- {name}: end -->")
        assert begin, f"docs/accuracy.md has no place for the table of {name}"
        assert end, f"docs/accuracy.md has no end of the table of {name}"
        page = f"{head}{begin}{shown(found, methods, tables)}\n{end}{tail}"
    return page


def _kind(method: str) -> str:
    """Return the word of the command that measures a method."""
    return "defaults" if "questions" in method else "risk" if method == RISK_CARD else "run"


def main() -> None:
    """Measure what is asked for, or print the tables."""
    what = sys.argv[1] if len(sys.argv) > 1 else "table"
    if what == "table":
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        return
    measure = {"run": compare, "risk": compare_risk, "defaults": compare_defaults}[what]
    for table in sys.argv[2:] or TABLES:
        kept = [m for m in recorded() if m.table != table or _kind(m.method) != what]
        for one in measure(table):
            kept.append(one)
            print(json.dumps(asdict(one)), flush=True)
            RESULTS.write_text("".join(json.dumps(asdict(m)) + "\n" for m in kept))


if __name__ == "__main__":
    main()
