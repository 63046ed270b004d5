"""The LaTeX face, typeset: what the page shows is what the card says, whatever the names."""

import re
import shutil
import subprocess

import pytest

from cards import HOSTILE
from supersparse import ScoringSystem, item
from supersparse.data.plain import visible

TYPESET = [name for name in HOSTILE if name.isascii()] + [
    "~^|{}$&#_%\\", "-- --- ,, ?` !` << >>", "\\end{document}", "\\input{x}", "% no comment", "[x] * y",
    "Größe é ß", "snake_case_" * 9,
]  # fmt: skip


@pytest.fixture(scope="module")
def tools():
    for tool in ("pdflatex", "pdftotext"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed: the LaTeX face is not typeset")


def typeset(system, folder):
    """Return the pages as text, and the log."""
    source = rf"""\documentclass{{article}}
\usepackage[T1]{{fontenc}}
\IfFileExists{{lmodern.sty}}{{\usepackage{{lmodern}}}}{{}}
\usepackage{{booktabs}}
\begin{{document}}
{system.to_latex()}
\end{{document}}
"""
    (folder / "card.tex").write_text(source, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "card.tex"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    log = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, log[-2000:]
    text = subprocess.run(["pdftotext", "-raw", "card.pdf", "-"], cwd=folder, capture_output=True, check=True)
    return text.stdout.decode().split("\f")[:-1], log


def squeezed(text):
    return re.sub(r"\s", "", text)


@pytest.mark.usefixtures("tools")
def test_hostile_names_are_typeset_as_they_are(tmp_path):
    items = [item(name, points=(-1) ** i * (i + 1)) for i, name in enumerate(TYPESET)]
    system = ScoringSystem.of(
        items, threshold=2, classes=("a\nb|c", "</td>\\bye"), title="&<", source="50 % of \\LaTeX{}"
    )
    pages, log = typeset(system, tmp_path)
    shown = squeezed("".join(pages))
    for text in (*(visible(name) for name in TYPESET), visible("a\nb|c"), visible("</td>\\bye")):
        assert squeezed(text) in shown
    assert "Missing character" not in log


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize(("n", "words"), [(3, 2), (20, 2), (20, 8)])
def test_up_to_twenty_items_fit_a_page(n, words, tmp_path):
    items = [
        item(f"x{i}", equals=True, points=1 - 2 * (i % 2), question=f"Number {i}, {'some word ' * words}?")
        for i in range(n)
    ]
    system = ScoringSystem.of(items, threshold=0, source="Nobody et al. 2020")
    pages, log = typeset(system, tmp_path)
    assert len(pages) == 1
    assert "Overfull" not in log
