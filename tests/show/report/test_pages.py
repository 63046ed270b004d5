"""The page and the PDF: hostile names do nothing, nothing is loaded, everything is there and accessible."""

import re
import sys
from io import BytesIO

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import ImageFont
from pypdf import PdfReader

from cards import HOSTILE, names
from counts import examples
from show.report.small import learned, read_page, table, texts_of
from supersparse import ScoringSystem, item
from supersparse.card.lines import class_names
from supersparse.errors import InvalidOptionError, PackageNotInstalledError
from supersparse.show.document import figures
from supersparse.show.document.drawing import font_files
from supersparse.show.report import Plan, make_report, write_report
from supersparse.show.report import pdf as pdf_module
from supersparse.show.report.blocks import Figure, Section, TableBlock
from supersparse.show.report.pdf import report_pdf
from supersparse.table.plain import visible

EVIL = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</title><b>", "]]>", "&lt;b&gt;", "{x}"]
HERE = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "nav", "section", "h1",
    "h2", "p", "ul", "ol", "li", "a", "span", "div", "table", "caption", "thead", "tbody", "tr", "th", "td",
    "b", "h3", "dl", "dt", "dd", "figure", "figcaption", "svg", "defs", "g", "path", "use", "text", "tspan",
    "clippath", "rect",
}  # fmt: skip


@pytest.fixture(scope="module")
def report():
    columns, y = table()
    room = np.array(["a", "<b>b</b>"], dtype=object)[np.arange(60) % 2]
    plan = Plan(repeats=1, folds=2, ratios=2, bootstrap=3, larger=1)
    return make_report(learned(columns, y), {**columns, "room": room}, y, by=["room"], plan=plan)


@pytest.fixture(scope="module")
def html(report):
    return report.to_html()


def test_the_page_is_accessible_and_loads_nothing(report, html):
    page = read_page(html)
    assert {tag for tag, _ in page.tags} <= HERE
    assert "default-src 'none'" in html
    for _, attributes in page.tags:
        assert not any(name.startswith("on") for name in attributes)
        assert not {"src", "srcset", "action"} & attributes.keys()
        for name in ("href", "xlink:href"):
            assert attributes.get(name, "#").startswith("#")
    pictures = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert len(pictures) == 7
    assert all(a["role"] == "img" and len(a["aria-label"]) > 20 for a in pictures)
    assert None not in page.tables  # every table has a caption
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    links = {a["href"][1:] for tag, a in page.tags if tag == "a"}
    assert links == {section.name for section in report.sections} <= set(ids)


def test_the_paper_is_said(report, without_matplotlib):
    assert "@page{size:A4" in report.to_html()
    assert "@page{size:Letter" in report.to_html("letter")
    with pytest.raises(InvalidOptionError, match="paper is 'a5'"):
        report.to_html("a5")


def hostile_report(texts, y):
    """All that a user can name is a hostile text: items, questions, units, classes, groups, title, source."""
    items = [item(t, equals=t, points=k + 1, question=t, unit=t, missing=0) for k, t in enumerate(texts[:4])]
    system = ScoringSystem.of(
        items, above=1, classes=(texts[-2], texts[-1]), title=texts[0], source=texts[1],
    )  # fmt: skip
    columns = {t: [t if (i >> k) % 2 else None for i in range(8)] for k, t in enumerate(texts[:4])}
    classes = [texts[-1] if label else texts[-2] for label in y]
    columns["by " + texts[0]] = [texts[i % 3] for i in range(8)]
    return make_report(
        system, columns, classes, by="by " + texts[0], target=texts[2], date=texts[3], plan=Plan.nothing()
    )


some_texts = st.lists(st.one_of(st.sampled_from(EVIL), names), min_size=5, max_size=7, unique=True).filter(
    lambda texts: all(t.strip() for t in texts)
)


labels_of_rows = st.lists(st.booleans(), min_size=8, max_size=8).filter(lambda y: 0 < sum(y) < 8)


def assert_shown_and_inert(texts, y):
    page = read_page(hostile_report(texts, y).to_html())
    assert {tag for tag, _ in page.tags} <= HERE
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    (items,) = [rows for caption, rows in page.tables.items() if caption == "Items of the card in these rows"]
    assert [row[0] for row in items[1:]] == [visible(item(t, equals=t, points=1).name) for t in texts[:4]]
    system = ScoringSystem.of([], above=0, classes=(texts[-2], texts[-1]), title=texts[0])
    negative, positive = (f"predicted {name}" for name in class_names(system.card))
    (matrix,) = [rows for caption, rows in page.tables.items() if caption == "True and predicted classes"]
    assert matrix[0][1:3] == [positive, negative]
    (groups,) = [rows for caption, rows in page.tables.items() if caption.startswith("By ")]
    assert {row[0] for row in groups[1:-1]} == {visible(t) for t in texts[:3]}


@settings(max_examples=2)
@given(some_texts, labels_of_rows)
def test_hostile_names_are_shown_and_do_nothing(texts, y):
    assert_shown_and_inert(texts, y)


@settings(max_examples=examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(some_texts, labels_of_rows)
def test_hostile_names_do_nothing_in_words_for_pictures(without_matplotlib, texts, y):
    assert_shown_and_inert(texts, y)


@pytest.fixture(scope="module")
def pdf(report):
    return report.to_pdf()


def pages_of(pdf):
    return PdfReader(BytesIO(pdf)).pages


def words_of(pdf):
    return " ".join(" ".join(page.extract_text() for page in pages_of(pdf)).split())


@pytest.mark.long
def test_the_pdf_has_numbered_pages_with_the_content_of_the_page(report, html, pdf):
    pages = pages_of(pdf)
    for k, page in enumerate(pages, start=1):
        assert f"Page {k} of {len(pages)}" in page.extract_text()
        assert report.title in page.extract_text()
    words = words_of(pdf)
    for section in report.sections:
        assert section.title in words
        for block in section.blocks:
            for text in texts_of(block) if not isinstance(block, Figure) else [block.caption]:
                for word in text.split():
                    assert word in words, (section.name, text)
    assert sum(len(page.images) for page in pages) == html.count("<svg ")


def test_the_contents_and_the_bookmarks_lead_to_the_sections(report, pdf):
    reader = PdfReader(BytesIO(pdf))
    contents = reader.pages[0].extract_text()
    for section, bookmark in zip(report.sections, reader.outline, strict=True):
        page = reader.get_destination_page_number(bookmark)
        assert bookmark.title == section.title
        assert section.title in reader.pages[page].extract_text()
        assert re.search(rf"{re.escape(section.title)}\s+{page + 1}\b", contents)


@pytest.mark.long
def test_the_same_report_gives_the_same_pdf(report, pdf):
    assert report.to_pdf() == pdf


@pytest.mark.long
@pytest.mark.parametrize(
    ("paper", "size"), [("a4", (595.28, 841.89)), pytest.param("letter", (612, 792), marks=pytest.mark.long)]
)
def test_nothing_leaves_the_paper(paper, size):
    regular, bold = (ImageFont.truetype(path, 100) for path in font_files()[0])
    texts = [*[t for t in HOSTILE if t.strip()][:5], "a" * 300, "long words " * 30]
    width, height = size
    seen = []

    def visit(text, cm, tm, font, font_size):
        if not text.strip():
            return
        x, y = tm[4] * cm[0] + cm[4], tm[5] * cm[3] + cm[5]
        measure = bold if "Bold" in font["/BaseFont"] else regular
        wide = measure.getlength(text.strip()) / 100 * font_size * tm[0] * cm[0]
        assert 52 <= x <= x + wide <= width - 52, text
        assert 30 <= y <= height - 54, text
        seen.append(text)

    for page in pages_of(hostile_report(texts, [0, 1] * 4).to_pdf(paper)):
        assert tuple(map(float, page.mediabox[2:])) == pytest.approx(size, abs=0.01)
        page.extract_text(visitor_text=visit)
    assert len(seen) > 500


@pytest.mark.long
def test_a_long_table_repeats_its_header_and_keeps_long_cells_on_the_page():
    rows = tuple((f"row {k}", "word " * k) for k in range(0, 1500, 30))
    table = TableBlock(caption="A long table", header=("row", "words in it"), rows=rows)
    section = Section(name="s", title="Section", tripod=(), blocks=(table,))
    pages = [page.extract_text() for page in pages_of(report_pdf("t", "s", [section]))]
    assert len(pages) > 3
    assert all("A long table" in page and "words in it" in page for page in pages)
    assert [f"row {k}" for k in range(0, 1500, 30)] == re.findall(r"^row \d+", "\n".join(pages), re.MULTILINE)


@pytest.mark.long
def test_hostile_names_are_drawn():
    texts = ["$x_1$ <b>&amp;{x}", "שלום", "👩\u200d⚕️", "back\\slash", "Größe ≥ 5 µm", "温度" * 30]
    words = words_of(hostile_report(texts, [0, 1] * 4).to_pdf())
    for text in ("$x_1$ <b>&amp;{x}", r"back\\slash", "Größe ≥ 5 µm"):
        assert text in words
    assert "שלום" in words or "םולש" in words


@pytest.mark.long
def test_without_matplotlib_the_pdf_has_words_for_pictures_and_codes_for_letters(
    report, without_matplotlib, monkeypatch
):
    monkeypatch.setattr(pdf_module, "font_files", figures.font_names)
    pdf_module._fonts.cache_clear()
    pdf_module._font_of.cache_clear()
    try:
        pdf = report.to_pdf()
        greek = hostile_report(["é", "≥", "Ж", "温", "b", "c"], [0, 1] * 4).to_pdf()
    finally:
        pdf_module._fonts.cache_clear()
        pdf_module._font_of.cache_clear()
    assert not any(page.images for page in pages_of(pdf))
    assert "Step plot: at most 0 features" in words_of(pdf)
    assert "This picture needs matplotlib" in words_of(pdf)
    assert r"\u0416" in words_of(greek)
    assert "é" in words_of(greek)


def test_without_reportlab_the_remedy_is_said(report, monkeypatch):
    monkeypatch.delitem(sys.modules, "supersparse.show.report.pdf")
    monkeypatch.setitem(sys.modules, "reportlab", None)
    with pytest.raises(PackageNotInstalledError, match="pip install reportlab"):
        report.to_pdf()


def test_it_is_written_by_the_ending_of_the_name(tmp_path, without_matplotlib):
    system = ScoringSystem.of([item("age", at_least=65, points=1)], threshold=1)
    data = {"age": [50, 60, 70, 80]}, ["no", "no", "yes", "yes"]
    report = write_report(system, *data, tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == report.to_html()
    with pytest.raises(InvalidOptionError, match="has an unknown file ending"):
        report.save(tmp_path / "r.doc")


def test_without_matplotlib_the_page_has_words_for_pictures(report, without_matplotlib):
    page = read_page(report.to_html())
    assert "svg" not in {tag for tag, _ in page.tags}
    assert any(text.startswith("Step plot: at most 0 features") for text in page.texts)


def test_a_real_browser_is_content_with_the_page(browser, tmp_path):
    texts = [*EVIL, "שלום", "\u202eevil", "back\\slash"]
    page_text = hostile_report(texts[:7], [0, 1] * 4).to_html()
    (tmp_path / "report.html").write_text(page_text, encoding="utf-8")
    troubles = []
    page = browser.new_page()
    page.on("console", lambda m: troubles.append(m.text))
    page.on("pageerror", lambda e: troubles.append(str(e)))
    page.on("dialog", lambda d: (troubles.append("dialog"), d.dismiss()))
    page.on("request", lambda r: r.url.startswith("file:") or troubles.append(r.url))
    page.goto((tmp_path / "report.html").as_uri())
    assert page.locator("h2").count() == 17
    assert page.locator("img, script").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    printed = page.pdf(prefer_css_page_size=True)
    page.close()
    assert not troubles
    assert printed.startswith(b"%PDF")
