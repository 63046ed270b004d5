"""Every face, read back: what it shows gives what `predict` gives, and hostile text stays text."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt

from cards import HOSTILE, any_cards, names
from counts import examples
from reading_faces import READERS, assert_shows, expected_texts, unescaped, untex
from supersparse import ScoringSystem, item
from supersparse.card.provenance import CardEdit, CertificateFile, Provenance, Suppressed
from supersparse.card.risk import LogisticRisk
from supersparse.card.rules import Domain
from supersparse.errors import InvalidOptionError
from supersparse.show.document import latex
from supersparse.show.document import text as markdown
from supersparse.show.document.calculator import calculator
from supersparse.show.document.content import content_of
from supersparse.table.plain import visible

WIDE = {"to_text": {"columns": 100_000}}


@pytest.mark.parametrize("style", ["card", "paper"])
@pytest.mark.parametrize("face", READERS)
@settings(max_examples=examples(25))
@given(card=any_cards(worded=True))
def test_every_face_shows_the_same_lines_numbers_and_words(face, style, card):
    made = getattr(ScoringSystem(card), face)(style=style, **WIDE.get(face, {}))
    expected = expected_texts(card, style)
    assert_shows(READERS[face](made), expected)


@pytest.mark.parametrize("face", READERS)
def test_hostile_names_stay_in_their_lines(face):
    items = [item(name, points=(-1) ** i * (i + 1), missing=[0, "refuse", 3][i % 3]) for i, name in enumerate(HOSTILE)]
    system = ScoringSystem.of(items, above=2, classes=("a\nb|c", "</td><script>alert(1)</script>"), title="&<")
    texts = READERS[face](getattr(system, face)(**WIDE.get(face, {})))
    assert_shows(texts, expected_texts(system.card))


MADE = Provenance(
    version="1.0", solver="exact", minimised="error rate", allowed="points from -5_5 to 5 & 6",
    objective=Fraction(1, 4), lower_bound=Fraction(1, 4), proven_smallest=True, training_errors=Fraction(3),
    predicted_errors=Fraction(2), total_weight=Fraction(20), n_rows=20, size=2, stop="OPTIMAL", seconds=0.1,
    nodes=7, signed=False, certificate=CertificateFile(file="a_b.cert", sha256="0f" * 32),
    edits=(CardEdit(change="points of {x} from 2 to 1", reason="50 % of $"),),
    suppressed=Suppressed(left_out=4),
)  # fmt: skip


@pytest.mark.parametrize("style", ["card", "paper"])
def test_every_face_says_what_was_proven_checked_missing_and_edited(style):
    items = [item("a", equals=True, points=1), item("b", equals=True, points=2)]
    system = ScoringSystem(replace(ScoringSystem.of(items, above=1).card, provenance=MADE))
    told = dict(content_of(system.card, style).facts)
    sheet = system.sheet(style=style)
    shown = {face: READERS[face](getattr(system, face)(style=style, **WIDE.get(face, {}))) for face in READERS}
    shown["sheet as HTML"] = READERS["to_html"](sheet.to_html())
    shown["sheet as SVG"] = READERS["to_svg"](sheet.to_svg())
    for face, texts in shown.items():
        drawn = face in ("to_svg", "sheet as SVG")
        labels = ("Proof", "Errors", "Counts", "Certificate", "Edited") if drawn else tuple(told)
        assert_shows(texts, [told[label] for label in labels])
    assert "not signed" in told["Proof"]
    assert "predicted errors 2 of 20" in told["Errors"]


def test_the_risk_table_of_latex_fits_the_width_of_a_page():
    items = [item(f"x{i}", equals=True, points=101) for i in range(30)]
    system = ScoringSystem.of(items, above=1400, risk=LogisticRisk(slope=0.003, offset=-4.5))
    tables = system.to_latex().split(r"\begin{tabular}")[2:]
    rows = [line for table in tables for line in table.split("\n") if " & " in line]
    assert all(len(row.replace("\\textendash{}", "-").replace("\\", "")) < 90 for row in rows)
    assert sum(row.count("%") for row in rows) == len(content_of(system.card).risks) > 3


@given(names)
def test_escapes_of_markdown_and_latex_lose_nothing(name):
    rendered = MarkdownIt("commonmark").enable("table").render(f"x {markdown.markdown_escaped(visible(name))} y")
    text = re.fullmatch(r"<p>x (.*) y</p>\n", rendered, re.DOTALL)[1]
    assert unescaped(ET.fromstring(f"<p>{text}</p>").text or "") == name
    assert unescaped(untex(latex.latex_escaped(visible(name)))) == name


def test_links_and_math_are_not_made_of_names():
    name = "http://x.y www.x.y $a$ `b` ![i](j) [k](l) <https://m.n> a^b ~~c~~"
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render(markdown.markdown_escaped(name))
    assert not set(re.findall(r"<(\w+)", rendered)) - {"p"}
    assert "http\\://" in markdown.markdown_escaped(name)
    assert "www\\." in markdown.markdown_escaped(name)


def test_html_does_not_let_notebooks_typeset_math():
    html = ScoringSystem.of([item("$x$", points=1)], above=0)._repr_html_()
    assert "tex2jax_ignore mathjax_ignore" in html


def criminology():
    """The paper's figure: items 1 to 9 are Total A, 10 to 14 Total B."""
    up = [10, 5, 5, 5, 5, 1, 1, 1, 1]
    down = [-10, -5, -1, -1]
    items = [item(f"q{i}", equals=True, points=p) for i, p in enumerate([*up, *down], start=1)]
    likely = item("likelihood", points=-1)
    domain = Domain(column="likelihood", low=1, high=4, whole=True)
    return ScoringSystem.of([*items, likely], above=0, domains={"likelihood": domain})


def test_the_papers_figure_with_totals_a_b_and_c():
    text = criminology().to_latex(style="paper")
    for row in (
        r" & \textbf{Add points from 1 to 9} & \textbf{Total A} & $\cdots\cdots$ \\",
        r"14) & Likelihood (1 to 4) & $\times$ 1 & $\cdots\cdots$ \\",
        r" & \textbf{Add points from 10 to 14} & \textbf{Total B} & $\cdots\cdots$ \\",
        r" & \textbf{Subtract Total B from Total A} & \textbf{Total C} & $\cdots\cdots$ \\",
    ):
        assert row in text.split("\n")
    assert [line for line in text.split("\n") if "rule" in line] == [r"\toprule", *[r"\midrule"] * 5, r"\bottomrule"]


def test_markdown_reads_well():
    system = ScoringSystem.of(
        [
            item("heart_failure", equals=True, points=1),
            item("age", at_least=75, points=2, missing=0),
            item("smoker", equals="former", points=1),
            item("smoker", equals="yes", points=2),
        ],
        threshold=2,
        classes=("low", "high"),
        title="stroke",
        source="Nobody 2020",
        risk={0: 0.01, 1: 0.02, 2: 0.04, 3: 0.1, 4: 0.3, 5: 0.6},
    )
    assert (
        system.to_markdown()
        == """\
### Stroke: high or low

For each question, choose one answer and write down its points.

| | | points | |
|--:|:--|--:|:-:|
| 1. | Heart failure? | | |
| | - yes | 1 |  |
| | - no | 0 | ...... |
| 2. | Age | | |
| | - under 75 | 0 |  |
| | - 75 or older | 2 |  |
| | - not known | 0 | ...... |
| 3. | Smoker | | |
| | - any other | 0 |  |
| | - former | 1 |  |
| | - yes | 2 | ...... |
| | **Add up the points** | **Total** | ...... |

**Predict high if the total is 2 or more, otherwise low.**

| Total, and risk (high) | 0 | 1 | 2 | 3 | 4 | 5 |
|:--|--:|--:|--:|--:|--:|--:|
| Risk | 1 % | 2 % | 4 % | 10 % | 30 % | 60 % |

Questions 1 and 3 cannot be left blank.

Source: Nobody 2020
"""
    )


@pytest.mark.parametrize("rule", [{"threshold": 4}, {"above": 3}, {"above": 3.5}, {"threshold": 3.5}], ids=str)
def test_every_face_says_four_or_more_of_whole_totals(rule):
    items = [item("a", equals=True, points=2), item("b", equals=True, points=3)]
    system = ScoringSystem.of(items, **rule)
    assert system.threshold == 4
    shown = [getattr(system, face)() for face in READERS]
    shown += [system.sheet().to_html(), system.sheet().to_svg(), calculator(system.card), system.export("python")]
    for text in shown:
        assert "4 or more" in text
        assert "more than" not in text
    assert repr(system).endswith(" >= 4>")


def test_lines_that_read_the_same_are_told_apart():
    system = ScoringSystem.of([item("a_b", equals=True, points=1), item("a b", equals=True, points=2)], above=0)
    assert {"A b? (a_b = true)", "A b? (a b = true)"} <= set(READERS["to_html"](system.to_html()))


def test_questions_by_hand_show_what_they_stand_for():
    system = ScoringSystem.of(
        [item("age", at_least=75, points=1, question="Old?"), item("chf", equals=True, points=1, question="Heart?")],
        above=0,
    )
    assert {"Old? (age >= 75)", "Heart?"} <= set(READERS["to_svg"](system.to_svg()))


@pytest.mark.parametrize("ending", ["txt", "md", "html", "tex", "svg"])
def test_saving_writes_the_face_that_the_name_asks_for(ending, tmp_path):
    system = criminology()
    system.save(tmp_path / f"card.{ending}")
    text = (tmp_path / f"card.{ending}").read_text(encoding="utf-8")
    face = {"txt": "text", "md": "markdown", "html": "html", "tex": "latex", "svg": "svg"}[ending]
    shown = getattr(system, f"to_{face}")().strip()
    assert shown.replace("h3", "h1") in text  # a page of its own has the title of its own
    assert ("<!DOCTYPE html>" in text) == (ending == "html")


def test_an_unknown_ending_is_refused_and_no_ending_is_json(tmp_path):
    with pytest.raises(InvalidOptionError, match=r"did you mean '.json'"):
        criminology().save(tmp_path / "card.jsn")
    criminology().save(tmp_path / "card")
    assert ScoringSystem.load(tmp_path / "card") == criminology()


def test_a_card_without_items_has_every_face():
    system = ScoringSystem.of([], threshold=-1)
    for face, reader in READERS.items():
        assert "No question is asked: predict yes for everyone." in reader(getattr(system, face)())
    assert Fraction(-1) == system.threshold


def test_what_a_page_says_of_its_tables_does_not_reach_the_card():
    style = re.search(r"<style>(.*?)</style>", criminology().to_html(), re.DOTALL)[1]
    assert ".supersparse-card *{all:revert!important;direction:ltr!important}" in style
    declarations = [d for block in re.findall(r"\{([^{}]*)\}", style) for d in block.split(";") if d.strip()]
    assert len(declarations) > 100
    assert all(d.endswith("!important") for d in declarations)
