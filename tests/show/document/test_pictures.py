"""Pictures and the printable sheet: read back, and measured so that nothing overlaps or is cut."""

import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards import HOSTILE, any_cards
from counts import examples
from reading_faces import assert_shows, expected_texts, texts_of_html, texts_of_svg, unwrapped
from supersparse import ScoringSystem, item
from supersparse.card.explain.tree import find_tree
from supersparse.card.risk import LogisticRisk
from supersparse.errors import InvalidOptionError
from supersparse.show.document.drawing import Text, drawable, drawing_figure, painting, text_width
from supersparse.show.document.pictures import PAPERS, card_drawing, sheet_drawing
from supersparse.show.document.tree import tree_drawing


def hostile(most=None):
    items = [item(n, points=(-1) ** i * (i + 1)) for i, n in enumerate(HOSTILE[:most])]
    return ScoringSystem.of(items, above=2, classes=("a\nb", "$x_1$"), title="<b> שלום $\\alpha$")


def questions(n, words=6):
    """A card with this many items and questions of this many words."""
    return ScoringSystem.of(
        [
            item(f"x{i}", equals=True, points=1 if i % 3 else -2, question=f"Question {i} " + "word " * words + "?")
            for i in range(n)
        ],
        above=0,
        classes=("not ill", "ill"),
        title="an illness",
        source="Nobody et al. 2020",
    )


@pytest.mark.parametrize("paper", sorted(PAPERS))
@settings(max_examples=examples(20))
@given(any_cards(worded=True))
def test_the_sheet_shows_what_the_card_shows(paper, card):
    sheet = ScoringSystem(card).sheet(paper=paper)
    for texts in (texts_of_html(sheet.to_html()), texts_of_svg(sheet.to_svg())):
        assert "Name or number" in texts
        assert_shows(texts, expected_texts(card, at_the_bedside=True))


@given(any_cards(), st.sampled_from(sorted(PAPERS)))
@settings(max_examples=examples(40))
def test_the_sheet_is_one_page_and_says_everything(card, paper):
    drawing = sheet_drawing(card, paper)
    assert (drawing.width, drawing.height) == PAPERS[paper]
    texts = [part.text for part in drawing.parts if isinstance(part, Text)]
    assert all(part.y <= drawing.height - 40 for part in drawing.parts if isinstance(part, Text))
    picture = ET.fromstring(ScoringSystem(card).sheet(paper=paper).to_svg().encode())
    assert [e.text or "" for e in picture if e.tag.endswith("}text")] == texts


@pytest.mark.parametrize("paper", sorted(PAPERS))
@pytest.mark.parametrize("n", [3, 14, 20])
def test_up_to_twenty_items_fit_a_page_in_a_readable_size(paper, n):
    sizes = [part.size for part in sheet_drawing(questions(n).card, paper).parts if isinstance(part, Text)]
    assert min(sizes) >= (8.5 if n <= 14 else 6)


def test_an_unknown_paper_is_refused():
    with pytest.raises(InvalidOptionError, match="must be 'a4' or 'letter'"):
        questions(3).sheet(paper="a5")


def test_text_that_is_wrapped_in_a_picture_loses_nothing():
    name = "a" * 300
    texts = [
        p.text
        for p in card_drawing(ScoringSystem.of([item(name, points=1)], above=0).card).parts
        if isinstance(p, Text)
    ]
    assert name[1:] in unwrapped([t for t in texts if "aaa" in t])


def with_risks():
    """A card with so many totals that the columns of its risks have ranges."""
    items = [item(f"x{i}", points=17.25, equals=True) for i in range(40)]
    return ScoringSystem.of(items, above=300, risk=LogisticRisk(slope=0.02, offset=-6.5))


def test_a_risk_that_is_a_range_is_drawn_in_readable_letters():
    texts = [part for part in card_drawing(with_risks().card).parts if isinstance(part, Text)]
    drawn = [part for part in texts if part.text.endswith(" %")]
    assert min(part.size for part in drawn) >= 6.5


DRAWINGS = {
    "risks": lambda show: card_drawing(with_risks().card, show),
    "card": lambda show: card_drawing(hostile().card, show),
    "questions": lambda show: card_drawing(questions(20, 12).card, show),
    "sheet": lambda show: sheet_drawing(hostile().card, "letter", show),
    "long sheet": lambda show: sheet_drawing(questions(20, 12).card, "a4", show),
    "tree": lambda show: tree_drawing(questions(4).card, find_tree(questions(4).card), show),
}


@pytest.mark.parametrize("bold", [False, True])
def test_no_text_is_painted_wider_than_it_was_measured(bold):
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(dpi=200)
    texts = ["Still feeling ill in little villages until late", "23 of 683 (3.4 %)", "i, l, t, j, I, r, P" * 3]
    with painting():
        renderer = FigureCanvasAgg(figure).get_renderer()
        for size in (6.0, 7.75, 8.5, 10.0, 11.0):
            for text in texts:
                weight = "bold" if bold else "normal"
                drawn = figure.text(0, 0, text, fontsize=size, fontweight=weight, fontfamily="DejaVu Sans")
                wide = drawn.get_window_extent(renderer).width * 72 / 200
                assert 0.95 < wide / text_width(text, size, bold=bold) < 1.0


def test_a_question_keeps_away_from_its_points():
    question = "Still feeling ill in little villages until late, " * 4
    card = ScoringSystem.of([item("x", equals=True, points=1, question=question)], above=0).card
    drawing = card_drawing(card)
    (tick,) = (part.x for part in drawing.parts if isinstance(part, Text) and part.text == "1")
    lines = [part for part in drawing.parts if isinstance(part, Text) and "ill" in part.text]
    assert len(lines) > 2
    assert all(part.x + text_width(part.text, part.size, bold=True) + 5 < tick for part in lines)


@pytest.mark.parametrize("name", DRAWINGS)
def test_painted_texts_lie_within_the_page_and_apart(name):
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = drawing_figure(DRAWINGS[name](drawable))
    page = figure.bbox
    with painting():
        renderer = FigureCanvasAgg(figure).get_renderer()
        boxes = [t.get_window_extent(renderer) for t in figure.axes[0].texts if t.get_text().strip()]
    for i, box in enumerate(boxes):
        assert page.x0 <= box.x0 <= box.x1 <= page.x1
        assert page.y0 <= box.y0 <= box.y1 <= page.y1
        for other in boxes[:i]:
            wide = min(box.x1, other.x1) - max(box.x0, other.x0)
            high = min(box.y1, other.y1) - max(box.y0, other.y0)
            assert wide <= 0 or high <= 0.35 * min(box.height, other.height)


@pytest.mark.parametrize("ending", ["png", pytest.param("pdf", marks=pytest.mark.long)])
def test_hostile_names_are_painted_as_they_are(ending, tmp_path):
    pytest.importorskip("matplotlib")
    system = hostile()
    for made in (system, system.sheet()):
        made.save(tmp_path / f"made.{ending}")
        painted = (tmp_path / f"made.{ending}").read_bytes()
        assert painted.startswith(b"\x89PNG" if ending == "png" else b"%PDF")


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_the_same_drawing_is_the_same_file(ending, tmp_path):
    pytest.importorskip("matplotlib")
    files = [tmp_path / f"{number}.{ending}" for number in (1, 2)]
    for file in files:
        questions(4).tree().save(file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_without_matplotlib_a_card_loads_scores_and_has_its_other_faces(tmp_path):
    questions(3).save(tmp_path / "card.json")
    code = """
import sys
sys.modules["matplotlib"] = None
from supersparse import ScoringSystem
from supersparse.errors import PackageNotInstalledError
system = ScoringSystem.load("card.json")
assert system.predict({"x0": False, "x1": True, "x2": False}) == "ill"
for face in (str(system), system.to_markdown(), system.to_html(), system.to_latex(), system.to_svg(),
             system.sheet().to_html(), system.sheet().to_svg(), str(system.tree()), system.tree().to_svg()):
    assert "Question" in face
try:
    system.save("card.png")
except PackageNotInstalledError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "pip install matplotlib" in done.stdout
    assert not (tmp_path / "card.png").exists()
