"""Draw the card and the frontier that the README shows: `make pictures`."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from supersparse import Problem, ScoringSystem, frontier, plot
from supersparse.datasets import load_breast_cancer, load_mammography
from supersparse.show.cli.app import app

FOLDER = Path(__file__).resolve().parent.parent / "pictures"


def card() -> ScoringSystem:
    """Learn from raw mammograms as `supersparse fit` does when nothing is asked."""
    with TemporaryDirectory() as folder:
        table, made = Path(folder) / "masses.csv", Path(folder) / "card.json"
        load_mammography().raw.write_csv(table)
        words = ["fit", table, "--target", "severity", "--title", "Mass on a mammogram", "--units", "Age=years"]
        app([*map(str, words), "--time-limit", "inf", "--quiet", "--out", str(made)], standalone_mode=False)
        return ScoringSystem.load(made)


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
