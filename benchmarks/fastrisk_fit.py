"""Fit imodels' FastRiskScoreClassifier; runs in an environment of its own, and knows nothing of supersparse.

Usage: ``python fastrisk_fit.py DATA.npz SIZE LARGEST``, with X (columns used as they are) and y (0 or 1).
Prints one line of JSON: version, CPU seconds without those of a first fit that compiles, and the model:
coefficients, scale and intercept.
"""

import json
import sys
import time
from importlib.metadata import version

import numpy as np
from imodels import FastRiskScoreClassifier


def main() -> None:
    """Compile on a few rows, fit and print."""
    path, size, largest = sys.argv[1:]
    data = np.load(path)
    model = FastRiskScoreClassifier(k=int(size), max_points=int(largest), binarize=False)
    model.fit(np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 5), np.array([0, 1, 1, 0] * 5))
    began = time.process_time()
    model.fit(data["X"].astype(float), data["y"].astype(int))
    seconds = time.process_time() - began
    found = {"coef": model.coef_.tolist(), "scale": float(model.scale_), "intercept": float(model.intercept_)}
    print(json.dumps({"version": version("imodels"), "seconds": seconds, **found}))


if __name__ == "__main__":
    main()
