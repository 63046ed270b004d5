"""
A first scoring system
======================

Biopsies of breast tumours, each graded from 1 to 10 in nine ways: which of them are malignant? One solve
gives the best scoring system for one C0, one run over sizes the best of every size.
"""

import matplotlib.pyplot as plt

from supersparse import Problem, ScoringSystem, frontier, plot, solve
from supersparse.datasets import load_breast_cancer

data = load_breast_cancer()
problem = Problem.of(data.X, data.labels, feature_names=data.feature_names, C0=0.01, max_points=5)
solution = solve(problem)
system = ScoringSystem.from_solution(solution, title="breast tumours")
print(system)

# %%
# The numbers on the card were recomputed from the rows in exact arithmetic. That nothing better exists is
# what the solver has proven:

print(f"F = {float(solution.objective):.6f}, proven bound {float(solution.lower_bound):.6f}")

# %%
# How many errors does each further feature save? Filled marks are proven.

found = frontier(problem, max_features=5)
print(found)

_, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
plot(found, ax=axes)

# %%
# A card scores a table or one person, and explains itself.

person = {"UniformityOfCellSize": 3, "BareNuclei": 4}
print(system.predict(person))
for reason in system.explain(person).reasons:
    print(reason.item.asks, "gives", reason.points)
