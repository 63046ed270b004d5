"""The paper's figures come out of one command, and a published score is judged beside a learned one."""

from pathlib import Path

import numpy as np
import paper_figures
import published_beside_learned

from seen import assert_same_picture
from supersparse.datasets import load_breast_cancer, load_mammography

LOOKS = ("card", "paper")
PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


def test_the_command_draws_the_figures_of_the_documentation(tmp_path, capsys):
    assert paper_figures.main([str(tmp_path)]) == 0
    made = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert all(path.is_file() for path in made)
    cards = [f"{n}-{look}.svg" for n in ("breast-cancer", "mammography", "criminology") for look in LOOKS]
    for name in (*cards, "criminology-sheet.svg", "mammography-tree.svg"):
        assert_same_picture((tmp_path / name).read_text("utf-8"), (PICTURES / name).read_text("utf-8"))
    assert "Total C" in (tmp_path / "criminology.tex").read_text(encoding="utf-8")


def test_the_breast_cancer_figure_makes_the_errors_that_the_paper_reports():
    data = load_breast_cancer()
    columns = dict(zip(data.feature_names, np.asarray(data.X).T, strict=True))
    names = {"".join(c.title().split()): c for c in paper_figures.breast_cancer().card.columns}
    rows = {own: columns[name] for name, own in names.items()}
    found = paper_figures.breast_cancer().evaluate(rows, np.asarray(data.labels))
    counted = dict(zip(found.tally.totals, found.tally.negatives, strict=True))
    ties = counted[10]  # a score of 0, which the paper counts as wrong for both classes
    assert (found.confusion.predicted_errors + ties, found.confusion.n) == (23, 683)


def test_published_and_learned_scores_are_judged_on_the_same_rows(capsys):
    assert published_beside_learned.main() == 0
    lines = capsys.readouterr().out.splitlines()
    kept = next(int(line.split()[0]) for line in lines if line.endswith("rows kept aside"))
    errors = {line[:25].strip(): int(line[25:].split()[0]) for line in lines[-3:]}
    raw = load_mammography().raw
    assert kept == raw.n_rows - raw.n_rows // 2
    wrong = (raw["BIRADS"] >= 5) != (raw["severity"] == "malignant")
    half = np.random.default_rng(0).permutation(raw.n_rows) < raw.n_rows // 2
    assert errors["BI-RADS 5 or more"] == wrong[~half].sum()
    assert errors["learned, without BI-RADS"] < errors["BI-RADS 4 or more"]
