"""Draw the card and the frontier that the README shows: `make pictures`."""

import sys
from dataclasses import replace
from pathlib import Path

from supersparse import Prepare, Problem, ScoringSystem, SLIMClassifier, frontier, plot
from supersparse.datasets import load_breast_cancer, load_mammography

FOLDER = Path(__file__).resolve().parent.parent / "pictures"


def card() -> ScoringSystem:
    """Learn from raw mammograms, with the ages cut where a user says."""
    raw = load_mammography().raw
    prepare = Prepare(cut_points={"Age": [45, 55, 65]}, units={"Age": "years"})
    model = SLIMClassifier(C0=0.002, max_points=3, max_features=5, prepare=prepare, calibrate="logistic")
    model.fit({name: raw[name] for name in ("Age", "Shape", "Margin", "Density")}, raw["severity"])
    return ScoringSystem(replace(model.scoring_system_.card, title="Mass on a mammogram"))


def main(folder: Path = FOLDER) -> None:
    """Write both pictures."""
    card().save(folder / "first-card.svg")
    data = load_breast_cancer()
    problem = Problem.of(data.X, data.labels, feature_names=data.feature_names, max_points=5)
    found = frontier(problem, max_features=5)
    axes = plot(found)
    for row in found.table():
        place = (row["size"], row["errors"])
        axes.annotate(f"{row['errors']:g}", place, xytext=(6, 6), textcoords="offset points")
    axes.spines[["top", "right"]].set_visible(False)
    axes.figure.set_size_inches(6.4, 3.4)
    axes.figure.savefig(folder / "frontier.png", dpi=120)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
