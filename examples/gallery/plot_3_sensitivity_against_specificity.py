"""
Sensitivity against specificity
===============================

Missing a malignant tumour is worse than a false alarm, but how much worse? Each ratio of the two costs gives
a scoring system that is optimal for it; together they are the choice there is.
"""

import matplotlib.pyplot as plt

from supersparse import Problem, constraints, plot, solve, trade_off
from supersparse.datasets import load_mammography

data = load_mammography()
problem = Problem.of(data.X, data.labels, feature_names=data.feature_names, C0=0.01, max_points=5, max_features=3)
curve = trade_off(problem, [0.5, 1, 2, 8])
print(curve)

_, axes = plt.subplots(figsize=(5, 4.2), layout="constrained")
plot(curve, ax=axes)

# %%
# Instead of a price one can state a limit, which is then obeyed exactly on the training rows.

asked = [constraints.min_sensitivity(0.92)]
solution = solve(problem.asking(constraints=asked))
found = solution.evaluation
print(f"sensitivity {float(found.sensitivity):.3f}, specificity {float(found.specificity):.3f}")
