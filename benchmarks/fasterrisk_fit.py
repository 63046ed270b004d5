"""Fit FasterRisk; runs in FasterRisk's own environment, so it knows nothing of supersparse.

Usage: ``python fasterrisk_fit.py DATA.npz SIZE LARGEST``, with X (the intercept's column of ones
first) and y (-1 or 1). Prints one line of JSON: version, CPU seconds, and the models as rows of
coefficients over their multiplier, intercept first.
"""

import json
import sys
import time
from importlib.metadata import version

import numpy as np
from fasterrisk.fasterrisk import RiskScoreOptimizer


def main() -> None:
    """Fit and print."""
    path, size, largest = sys.argv[1:]
    data = np.load(path)
    began = time.process_time()
    optimizer = RiskScoreOptimizer(
        X=data["X"].astype(float), y=data["y"].astype(float), k=int(size), lb=-int(largest), ub=int(largest)
    )
    optimizer.optimize()
    _, intercepts, coefficients = optimizer.get_models()
    seconds = time.process_time() - began
    models = [[float(b), *map(float, row[1:])] for b, row in zip(intercepts, coefficients)]  # noqa: B905
    print(json.dumps({"version": version("fasterrisk"), "seconds": seconds, "models": models}))


if __name__ == "__main__":
    main()
