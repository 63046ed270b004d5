"""Fit imodels' FastRiskScoreClassifier; runs in an environment of its own, and knows nothing of supersparse.

Usage: ``python fastrisk_fit.py DATA.npz SIZE LARGEST [DATA.npz SIZE LARGEST ...]``, with X (columns used as
they are) and y (0 or 1). Prints one line of JSON for each table: version, CPU seconds without those of a
first fit that compiles, and the model: coefficients, scale and intercept.
"""

import json
import sys
import time
from importlib.metadata import version

import numpy as np
from imodels import FastRiskScoreClassifier


def main() -> None:
    """Compile on a few rows, then fit and print one table after the other."""
    first = FastRiskScoreClassifier(k=2, max_points=2, binarize=False)
    first.fit(np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 5), np.array([0, 1, 1, 0] * 5))
    given = sys.argv[1:]
    for path, size, largest in zip(given[::3], given[1::3], given[2::3]):  # noqa: B905
        data = np.load(path)
        model = FastRiskScoreClassifier(k=int(size), max_points=int(largest), binarize=False)
        began = time.process_time()
        model.fit(data["X"].astype(float), data["y"].astype(int))
        seconds = time.process_time() - began
        found = {"coef": model.coef_.tolist(), "scale": float(model.scale_), "intercept": float(model.intercept_)}
        print(json.dumps({"version": version("imodels"), "seconds": seconds, **found}), flush=True)


if __name__ == "__main__":
    main()
