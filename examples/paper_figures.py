"""The figures of the paper's section 5, drawn from its printed models.

    python examples/paper_figures.py [folder]

writes each card in the look of the paper and as supersparse prints it today, the breast cancer sheet, the
mammography tree, and the criminology sheet with Totals A, B and C, as SVG and as text, LaTeX or HTML; the
folder is build/examples/figures unless given.
"""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from supersparse import Domain, ScoringSystem, item, printed

FOLDER = Path(__file__).resolve().parents[1] / "build" / "examples" / "figures"
SOURCE = "Ustun, Tracà, Rudin: Supersparse Linear Integer Models for Interpretable Classification"


def breast_cancer() -> ScoringSystem:
    """Section 5.1: three values from a biopsy, malignant above 10."""
    columns = ["Clump Thickness", "Uniformity of Cell Size", "Bare Nuclei"]
    return ScoringSystem.of(
        [item(column, points=1) for column in columns],
        above=10,
        classes=("benign", "malignant"),
        title="breast cancer",
        source=SOURCE,
        domains={c: Domain(column=c, low=1, high=10, whole=True) for c in columns},
    )


def mammography() -> ScoringSystem:
    """Section 5.2: two findings on a mammogram."""
    return ScoringSystem.of(
        [
            item("OvalShape", equals=True, points=-2, question="Is the shape oval?"),
            item("CircumscribedMargin", equals=True, points=-2, question="Is the margin circumscribed?"),
        ],
        above=-1,
        classes=("benign", "malignant"),
        title="mammography",
    )


def criminology() -> ScoringSystem:
    """Section 5.3: fourteen questions, positive points less negative ones."""
    asked = {
        "Does the person have a mental health problem?": 10,
        "Has the person ever used or threatened to use a weapon?": 5,
        "Has the person ever shot or stabbed someone?": 5,
        "Has the person ever stolen something worth over $50?": 5,
        "Is the person male and distanced from his dad?": 5,
        "Does the person not have a dad or stepdad?": 1,
        "Is the person male and not have a dad or stepdad?": 1,
        "Does the person not have a mom or stepmom?": 1,
        "Is the person male and not have a mom or stepmom?": 1,
        "Is the person female and not have a dad or stepdad?": -10,
        "Does the person have college plans?": -5,
        "Is the person employed?": -1,
        "Is the person in school and employed?": -1,
    }
    items = [
        item(f"q{number}", equals=True, points=points, question=question)
        for number, (question, points) in enumerate(asked.items(), start=1)
    ]
    welfare = "Likelihood to use child welfare system"
    return ScoringSystem.of(
        [*items, item(welfare, points=-1)],
        above=0,
        classes=("no", "yes"),
        title="violent crime",
        domains={welfare: Domain(column=welfare, low=1, high=4, whole=True)},
    )


def write(folder: Path) -> list[Path]:
    """Write all figures, and return their files."""
    folder.mkdir(parents=True, exist_ok=True)
    cancer, tree, crime = breast_cancer(), mammography().tree(), criminology()
    crime_sheet = crime.sheet(style="paper")
    made = {
        "breast-cancer.tex": partial(cancer.save, style="paper"),
        "breast-cancer-sheet.svg": cancer.sheet(style="paper").save,
        "mammography-tree.svg": tree.save,
        "mammography-tree.txt": tree.save,
        "criminology.tex": partial(crime.save, style="paper"),
        "criminology-sheet.svg": crime_sheet.save,
        "criminology-sheet.html": crime_sheet.save,
    }
    for name, system in {"breast-cancer": cancer, "mammography": mammography(), "criminology": crime}.items():
        made[f"{name}-card.svg"] = ScoringSystem(printed(system.card)).save  # for a reader of today
        made[f"{name}-paper.svg"] = partial(system.save, style="paper")
    for name, save in made.items():
        save(folder / name)
    return [folder / name for name in made]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    given = sys.argv[1:] if arguments is None else arguments
    for path in write(Path(given[0]) if given else FOLDER):
        sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
