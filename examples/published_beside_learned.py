"""A published score, written by hand, evaluated beside learned ones on the same rows.

    python examples/published_beside_learned.py

BI-RADS is the scale on which radiologists grade what they see on a mammogram; 4 is called suspicious and 5
highly suggestive of malignancy (American College of Radiology). It is one column of the raw mammography data,
so both readings are cards of one item. Beside them stands a card learned from half of the rows without that
column. All three are judged on the other half.
"""

import sys

import numpy as np

from supersparse import Prepare, ScoringSystem, SLIMClassifier, item
from supersparse.datasets import load_mammography

CLASSES = ("benign", "malignant")
SOURCE = "American College of Radiology: Breast Imaging Reporting and Data System"


def published(limit: int) -> ScoringSystem:
    """Malignant from this assessment on."""
    return ScoringSystem.of(
        [item("BIRADS", at_least=limit, points=1)], above=0, classes=CLASSES, title="a mass", source=SOURCE
    )


def learned(columns: dict[str, np.ndarray], labels: np.ndarray) -> ScoringSystem:
    """Four questions at most, of up to 5 points, from what else was recorded."""
    model = SLIMClassifier(
        C0=0.005,
        max_points=5,
        max_features=4,
        prepare=Prepare(cut_points={"Age": [45, 55, 65]}),
        node_limit=20_000,
        time_limit=None,
    )
    return model.fit(columns, labels).scoring_system_


def main() -> int:
    """Learn, evaluate, and print what each does on the rows kept aside."""
    data = load_mammography().raw
    half = np.random.default_rng(0).permutation(data.n_rows) < data.n_rows // 2
    train, test = data.part(np.flatnonzero(half)), data.part(np.flatnonzero(~half))
    own = {name: train[name] for name in ("Age", "Shape", "Margin", "Density")}
    systems = {
        "BI-RADS 4 or more": published(4),
        "BI-RADS 5 or more": published(5),
        "learned, without BI-RADS": learned(own, train["severity"]),
    }
    sys.stdout.write(f"{systems['learned, without BI-RADS']}\n\n{test.n_rows} rows kept aside\n")
    for name, system in systems.items():
        found = system.evaluate(test, test["severity"])
        c = found.confusion
        sys.stdout.write(
            f"{name:<25} {c.predicted_errors} errors; sensitivity {c.sensitivity}; "
            f"specificity {c.specificity}; AUC {found.auc}\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
