"""Cut points chosen together with the points, against cut points fixed beforehand.

Every column is cut in four ways, and the best scoring system of at most so many features is learned from
each: at its median; at its quartiles; at the one point that tells the classes apart best; or with six
candidates, of which the scoring system may use two for each column ("together", the default of `Prepare`).
The third is contained in the fourth, so there the training errors can only fall. Run as a script, it
prints the table of docs/prepare.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_breast_cancer as load_diagnostic
from sklearn.model_selection import StratifiedKFold

from supersparse import Prepare, SLIMClassifier
from supersparse.datasets import load_breast_cancer, load_haberman, load_mammography

WAYS = {
    "median": Prepare(cuts="quantile", max_cuts=1),
    "quartiles": Prepare(cuts="quantile", max_cuts=3),
    "best single cut": Prepare(max_cuts=1),
    "together": Prepare(),
}
SIZES = (2, 3)
NODES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one way of cutting gave."""

    data: str
    n_rows: int
    way: str
    most_features: int
    training_errors: int
    proven: bool
    test_error: float  # mean over the folds of two repetitions of 5-fold cross-validation
    deviation: float


def tables() -> Iterator[tuple[str, dict[str, np.ndarray], np.ndarray]]:
    """Yield the data as raw columns."""
    for data in (load_breast_cancer(), load_haberman(), load_mammography()):
        yield data.name, dict(zip(data.feature_names, data.X.T, strict=True)), data.y
    diagnostic = load_diagnostic()
    columns = dict(zip(map(str, diagnostic.feature_names), diagnostic.data.T, strict=True))
    yield "breast cancer (diagnostic)", columns, diagnostic.target


def compare(
    name: str, columns: dict[str, np.ndarray], y: np.ndarray, most_features: int, repetitions: int = 2
) -> Iterator[Outcome]:
    """Learn from columns cut in each way."""
    for way, prepare in WAYS.items():
        model = SLIMClassifier(
            C0=1 / len(y),  # a feature must save more than one row
            max_points=5,
            max_features=most_features,
            prepare=prepare,
            time_limit=None,
            node_limit=NODES,
        )
        model.fit(columns, y)
        errors, proven = int(model.training_errors_), model.proven_optimal_
        tested = []
        for seed in range(repetitions):
            for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(y, y):
                model.fit({n: c[train] for n, c in columns.items()}, y[train])
                tested.append(np.mean(model.predict({n: c[test] for n, c in columns.items()}) != y[test]))
        yield Outcome(
            data=name,
            n_rows=len(y),
            way=way,
            most_features=most_features,
            training_errors=errors,
            proven=proven,
            test_error=float(np.mean(tested)),
            deviation=float(np.std(tested)),
        )


def main() -> None:
    """Print the table."""
    lines = ["| data | features | cut points | training errors | test error |", "|---|---|---|---|---|"]
    for name, columns, y in tables():
        for size in SIZES:
            for found in compare(name, columns, y, size):
                mark = "" if found.proven else " (not proven)"
                lines.append(
                    f"| {name} | {size} | {found.way} | {found.training_errors} of {found.n_rows}{mark} "
                    f"| {100 * found.test_error:.1f} ± {100 * found.deviation:.1f} % |"
                )
    print(*lines, sep="\n")  # noqa: T201


if __name__ == "__main__":
    main()
