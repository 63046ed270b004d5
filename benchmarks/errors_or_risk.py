"""Cards for fewest errors beside cards for least log loss, judged on rows left out.

    python -m benchmarks.errors_or_risk

Both goals have the same folds, at most 5 features and points from -5 to 5. The risks of a card for errors
are logistic in its total, fitted to the training rows. The table goes to
``benchmarks/results/errors_or_risk.md``.
"""

import sys
import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.data import ROOT, read
from supersparse import RiskScoreClassifier, SLIMClassifier

TABLES = ("breastcancer.csv", "haberman.csv", "tictactoe.csv", "spambase.csv")
RESULTS = ROOT / "benchmarks" / "results" / "errors_or_risk.md"
SECONDS = 10.0
FEATURES = 5


def judged(model: SLIMClassifier | RiskScoreClassifier, X: NDArray, y: NDArray) -> list[float]:  # type: ignore[type-arg]
    """Mean test AUC, log loss and error over five folds, and how many cards were proven."""
    found = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X[train], y[train])
        seen, unseen = (model.decision_function(X[rows]).reshape(-1, 1) for rows in (train, test))
        if isinstance(model, RiskScoreClassifier):
            risk = model.predict_proba(X[test])[:, 1]
        else:
            risk = LogisticRegression(C=1e6).fit(seen, y[train]).predict_proba(unseen)[:, 1]
        found.append(
            (
                roc_auc_score(y[test], unseen[:, 0]),
                log_loss(y[test], risk),
                float(np.mean(model.predict(X[test]) != y[test])),
                float(model.proven_optimal_),
            )
        )
    return [float(v) for v in np.mean(found, axis=0)[:3]] + [float(np.sum([f[3] for f in found]))]


def main() -> int:
    """Print and store the table."""
    lines = ["| table | goal | test AUC | test log loss | test error | proven |", "|---|---|---|---|---|---|"]
    for file in TABLES:
        table = read(file)
        X, y = np.asarray(table.X), np.asarray(table.y).astype(int)
        y = (y == y.max()).astype(int)
        own = {"max_points": 5, "max_features": FEATURES, "positive": 1, "time_limit": SECONDS}
        for goal, model in (
            ("errors", SLIMClassifier(C0=0.0005, **own)),  # type: ignore[arg-type]
            ("risk", RiskScoreClassifier(C0=0, **own)),  # type: ignore[arg-type]
        ):
            auc, loss, error, proven = judged(model, X, y)
            lines.append(
                f"| {file[:-4]} | {goal} | {auc:.3f} | {loss:.3f} | {error:.3f} | {proven:.0f} of 5 |"
            )
            print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
