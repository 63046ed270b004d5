"""What the pages say of the paper: the right one is cited, and its quoted words are its own."""

import re
from inspect import signature
from operator import attrgetter
from pathlib import Path

import pytest

import supersparse

ROOT = Path(__file__).parents[1]
PAPER = ROOT.parent / "shared" / "paper" / "slim-paper.tex"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MISPRINTS = ROOT / "docs" / "misprints.md"
QUOTED = re.compile(r'"([^"\n]+)"')
SAID_BY_THE_PAPER = re.compile(r'\bpaper says[^."]*"([^"]+)"')


def text(path):
    return path.read_text(encoding="utf-8")


def prose(page):
    """The page without what is code: blocks, and spans in backticks."""
    without_blocks = re.sub(r"^```.*?^```$", "", text(page), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`]*`", "", without_blocks)


def quotations():
    """Quoted phrases with their page: all of the misprints, elsewhere those introduced as the paper's."""
    own_words = {"auto"}  # the value of a parameter
    for page in PAGES:
        pattern = QUOTED if page == MISPRINTS else SAID_BY_THE_PAPER
        for phrase in pattern.findall(prose(page)):
            if phrase not in own_words:
                yield page.name, phrase


def plain(words):
    return " ".join(words.split())


@pytest.mark.shared_data
@pytest.mark.parametrize(("page", "phrase"), quotations(), ids=str)
def test_words_quoted_from_the_paper_are_its_words(page, phrase):
    if not PAPER.is_file():
        pytest.skip("reads shared/paper, which stands beside a development checkout only")
    assert plain(phrase) in plain(text(PAPER)), page


def test_the_misprints_page_quotes_the_paper_in_several_places():
    assert sum(page == MISPRINTS.name for page, _ in quotations()) >= 8


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/misprints.md"])
def test_the_paper_that_is_cited_is_the_one_implemented(page):
    cited = plain(text(ROOT / page))
    assert "Ustun, Tracà and Rudin, *Supersparse Linear Integer Models for Interpretable Classification*" in cited
    assert "https://arxiv.org/abs/1306.6677" in cited


def test_no_page_or_source_names_another_paper_on_slim():
    other = "Optimized Medical " + "Scoring Systems"
    files = [
        p
        for folder in ("src", "docs", "examples", "benchmarks", "tests")
        for p in (ROOT / folder).rglob("*")
        if not any(part.startswith(".") for part in p.relative_to(ROOT).parts)  # environments of the peers
    ]
    wrong = [
        p.relative_to(ROOT).as_posix()
        for p in [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "pyproject.toml", *files]
        if p.suffix in {".md", ".py", ".toml", ".txt", ".rst"} and other in plain(text(p))
    ]
    assert wrong == []


SECTIONS = ROOT / "docs" / "paper.md"
HOMES = (supersparse, supersparse.constraints, supersparse.theory)


def named_there():
    """What the page of sections names in its last column: attributes, and parameters with an equals sign."""
    cells = [line.split("|")[3] for line in text(SECTIONS).splitlines() if line.startswith("|")]
    return sorted({name for cell in cells for name in re.findall(r"`([A-Za-z_][\w.]*=?)`", cell)})


@pytest.mark.parametrize("name", named_there())
def test_what_the_page_of_sections_names_is_there(name):
    if name.endswith("="):
        takers = (supersparse.Problem.of, supersparse.solve, supersparse.SLIMClassifier)
        assert any(name[:-1] in signature(one).parameters for one in takers)
    else:
        found = [home for home in HOMES if hasattr(home, name.partition(".")[0])]
        assert found, name
        assert attrgetter(name)(found[0]) is not None


def test_every_numbered_part_of_the_paper_has_a_line():
    first = [line.split("|")[1] for line in text(SECTIONS).splitlines() if line.startswith("|")]
    for part in ("2.1", "3.1", "3.2", "3.3", "3.4", "3.5", "4", "5.1", "5.2", "5.3", "6", *"ABCD"):
        assert any(re.search(rf"(?<![\w.]){re.escape(part)}(?![\w.])", cell) for cell in first), part
