"""
A clinical example, from raw data to report
===========================================

Masses on mammograms, as they were recorded: an age in years, words for shape and margin, a density from 1 to
4. This example goes the whole way: rows kept aside, features made from raw columns, a penalty chosen by
cross-validation, the card, its risks, how it does on the rows kept aside, and the report to file.
"""

import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from supersparse import Plan, Prepare, SLIMClassifierCV, make_report, plot_evaluation
from supersparse.datasets import load_mammography

data = load_mammography()
columns = ["Age", "Shape", "Margin", "Density"]  # BI-RADS, a radiologist's own assessment, is left out
order = np.random.default_rng(0).permutation(data.raw.n_rows)
train, test = data.raw.part(np.sort(order[:600])), data.raw.part(np.sort(order[600:]))
print(train)

# %%
# Ages are cut where the user says; what else is offered as a feature is left to the preparation. It happens
# inside each fold, so that nothing of the held-out rows reaches the cut points. A higher age may not take
# points away.

prepare = Prepare(cut_points={"Age": [45, 55, 65]}, units={"Age": "years"}, direction={"Age": "+"})
model = SLIMClassifierCV(
    Cs=[0.005, 0.01, 0.02], cv=5, rule="one_se", prepare=prepare, calibrate="isotonic", max_points=5,
    max_features=5,
)  # fmt: skip
X_train = {name: train[name] for name in columns}
model.fit(X_train, train["severity"])
print(*model.prepare_.notes_, sep="\n")
print("C0 chosen:", model.C0_)

# %%
# The card speaks of raw columns, in questions. Its risks were learned from rows that their fits had not seen.

system = model.scoring_system_
print(system)

# %%
# The rows kept aside have the last word. Their number is small, so the intervals are wide.

evaluation = system.evaluate(test, test["severity"])
print(textwrap.fill(str(evaluation), 100))

# %%
# Does the risk that the card states come true on them? The bars are what was observed; a total of 2 was
# called riskier than it turned out to be.

risk = system.risk(test, test["severity"])
print(risk)

_, axes = plt.subplots(figsize=(6, 4), layout="constrained")
plot_evaluation(risk, ax=axes)
stated = sorted(set(zip(system.total(test), system.predict_risk(test), strict=True)))
axes.plot(range(len(stated)), [risk for _, risk in stated], "x", color="C3", label="stated by the card")
axes.legend()

# %%
# One person, item by item, and the smallest changes that would change the answer:

person = {"Age": 61, "Shape": "oval", "Margin": "spiculated", "Density": 3}
print(system.predict(person), f"with a risk of {system.predict_risk(person):.0%}")
for reason in system.explain(person).reasons:
    print(reason.item.asks, "gives", reason.points)
for flip in system.flips(person)[:2]:
    print([f"{change.column}: {change.before} -> {change.after}" for change in flip.changes])

# %%
# What somebody who has to answer for the card will want to file: how it was made, what was proven, how it
# does when it is learned again on parts of the rows, how often its items return, and its limits. The command
# ``supersparse report card.json masses.csv`` writes the same from files.

plan = Plan(folds=5, ratios=0, bootstrap=10, larger=1)
report = make_report(system, X_train, train["severity"], target="severity", plan=plan)
report.save(Path(tempfile.mkdtemp()) / "report.html")  # or .pdf
print(*(section.title for section in report.sections), sep="\n")

# %%
# From here the card goes where it is needed: ``system.save("card.json")``, ``system.sheet()`` to fill in by
# hand, ``system.calculator("calculator.html")`` for a tablet, ``system.export("sql")`` for a database. In a
# notebook it shows itself:

system
