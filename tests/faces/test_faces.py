"""Every face, read back: what it shows gives what `predict` gives, and hostile text stays text."""

import re
import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from cards import HOSTILE, any_cards, names
from reading_faces import (
    assert_same,
    people_for,
    read_html,
    read_latex,
    read_svg,
    read_text,
    unescaped,
    untex,
)
from supersparse import ScoringSystem, item
from supersparse.card.risk import LogisticRisk
from supersparse.card.rules import Domain
from supersparse.data.plain import visible
from supersparse.errors import InvalidOptionError
from supersparse.faces import latex
from supersparse.faces import text as markdown
from supersparse.faces.calculator import calculator


def read_markdown(text):
    return read_html(MarkdownIt("commonmark").enable("table").render(text))


READERS = {
    "to_text": read_text,
    "to_markdown": read_markdown,
    "to_html": read_html,
    "to_latex": read_latex,
    "to_svg": read_svg,
}


@pytest.mark.parametrize("face", READERS)
@given(data=st.data())
def test_a_reader_predicts_what_the_card_predicts(face, data):
    card = data.draw(any_cards())
    shown = READERS[face](getattr(ScoringSystem(card), face)())
    assert_same(card, shown, data.draw(st.lists(people_for(card), min_size=1, max_size=4)))


@pytest.mark.parametrize("face", READERS)
def test_hostile_names_stay_in_their_lines(face):
    items = [
        item(name, points=(-1) ** i * (i + 1), missing=[0, "refuse", 3][i % 3])
        for i, name in enumerate(HOSTILE)
    ]
    system = ScoringSystem.of(
        items, threshold=2, classes=("a\nb|c", "</td><script>alert(1)</script>"), title="&<"
    )
    shown = READERS[face](getattr(system, face)())
    assert [text for text, _, _ in shown.lines] == [n or '""' for n in HOSTILE[::2] + HOSTILE[1::2]]
    assert (shown.negative, shown.positive) == ("a\nb|c", "</td><script>alert(1)</script>")


@given(names)
def test_escapes_of_markdown_and_latex_lose_nothing(name):
    rendered = (
        MarkdownIt("commonmark").enable("table").render(f"x {markdown.markdown_escaped(visible(name))} y")
    )
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
    html = ScoringSystem.of([item("$x$", points=1)], threshold=0)._repr_html_()
    assert "tex2jax_ignore mathjax_ignore" in html


def criminology():
    """The paper's figure: items 1 to 9 are Total A, 10 to 14 Total B."""
    up = [10, 5, 5, 5, 5, 1, 1, 1, 1]
    down = [-10, -5, -1, -1]
    items = [item(f"q{i}", equals=True, points=p) for i, p in enumerate([*up, *down], start=1)]
    likely = item("likelihood", points=-1)
    domain = Domain(column="likelihood", low=1, high=4, whole=True)
    return ScoringSystem.of([*items, likely], threshold=0, domains={"likelihood": domain})


def test_the_papers_figure_with_totals_a_b_and_c():
    text = criminology().to_latex()
    for row in (
        r" & \textbf{Add points from 1 to 9} & \textbf{Total A} & $\cdots\cdots$ \\",
        r"14) & likelihood (1 to 4) & $\times$ 1 & $\cdots\cdots$ \\",
        r" & \textbf{Add points from 10 to 14} & \textbf{Total B} & $\cdots\cdots$ \\",
        r" & \textbf{Subtract Total B from Total A} & \textbf{Total C} & $\cdots\cdots$ \\",
    ):
        assert row in text.split("\n")
    assert [line for line in text.split("\n") if "rule" in line] == [
        r"\toprule",
        *[r"\midrule"] * 5,
        r"\bottomrule",
    ]


def test_markdown_reads_well():
    system = ScoringSystem.of(
        [item("heart_failure", equals=True, points=1), item("age", at_least=75, points=2, missing=0)],
        positive_from=2,
        classes=("low", "high"),
        title="stroke",
        source="Nobody 2020",
    )
    assert (
        system.to_markdown()
        == """\
### Scoring system for stroke: high or low

| | feature | points | |
|--:|:--|--:|:-:|
| 1. | Heart failure? | 1 | ...... |
| 2. | Age 75 or older? | 2 | ...... |
| | **Add points from 1 to 2** | **Total** | ...... |

Take the points of the lines that apply.
Predict high if the total is 2 or more, otherwise low.

A missing value counts as 0 in line 2.
A value must be known in line 1.
Source: Nobody 2020
"""
    )


@pytest.mark.parametrize("threshold", [3, 3.5])
def test_every_face_says_four_or_more_of_whole_totals(threshold):
    items = [item("a", equals=True, points=2), item("b", equals=True, points=3)]
    system = ScoringSystem.of(items, threshold=threshold)
    shown = [getattr(system, face)() for face in READERS]
    shown += [
        system.sheet().to_html(),
        system.sheet().to_svg(),
        calculator(system.card),
        system.export("python"),
    ]
    for text in shown:
        assert "4 or more" in text
        assert "more than" not in text
    assert repr(system).endswith(" >= 4>")


def test_lines_that_read_the_same_are_told_apart():
    system = ScoringSystem.of(
        [item("a_b", equals=True, points=1), item("a b", equals=True, points=2)], threshold=0
    )
    assert [t for t, _, _ in read_html(system.to_html()).lines] == ["A b? (a_b = true)", "A b? (a b = true)"]


def test_questions_by_hand_show_what_they_stand_for():
    system = ScoringSystem.of(
        [
            item("age", at_least=75, points=1, question="Old?"),
            item("chf", equals=True, points=1, question="Heart?"),
        ],
        threshold=0,
    )
    assert [t for t, _, _ in read_svg(system.to_svg()).lines] == ["Old? (age >= 75)", "Heart?"]


@pytest.mark.parametrize("ending", ["txt", "md", "html", "tex", "svg"])
def test_saving_writes_the_face_that_the_name_asks_for(ending, tmp_path):
    system = criminology()
    system.save(tmp_path / f"card.{ending}")
    text = (tmp_path / f"card.{ending}").read_text(encoding="utf-8")
    face = {"txt": "text", "md": "markdown", "html": "html", "tex": "latex", "svg": "svg"}[ending]
    assert getattr(system, f"to_{face}")().strip() in text
    assert ("<!DOCTYPE html>" in text) == (ending == "html")


def test_an_unknown_ending_is_refused_and_no_ending_is_json(tmp_path):
    with pytest.raises(InvalidOptionError, match=r"did you mean '.json'"):
        criminology().save(tmp_path / "card.jsn")
    criminology().save(tmp_path / "card")
    assert ScoringSystem.load(tmp_path / "card") == criminology()


def test_a_card_without_items_has_every_face():
    system = ScoringSystem.of([], threshold=-1)
    for face, reader in READERS.items():
        assert reader(getattr(system, face)()).positive == "yes"
    assert Fraction(-1) == system.threshold


def test_risks_are_shown_where_the_card_has_them():
    made = {"classes": ("low", "high"), "threshold": 1}
    system = ScoringSystem.of(
        [item("a", equals=True, points=1), item("b", equals=True, points=2)],
        risk={0: 0.02, 1: 0.0512, 3: 0.5},
        **made,
    )
    said = "Risk of high by the total (interpolated in between): 0: 2.0 %, 1: 5.1 %, 3: 50.0 %."
    assert said in system.to_markdown()
    assert said in system.to_html()
    assert said.replace("%", r"\%") in system.to_latex()
    assert said in re.sub(r"\s+", " ", str(system))
    logistic = ScoringSystem.of(
        [item("a", equals=True, points=1)], risk=LogisticRisk(slope=0.5, offset=-2), **made
    )
    assert "Risk of high by the total: 1 / (1 + exp(-(0.5 * total - 2)))." in str(logistic)
