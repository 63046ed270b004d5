"""The page and the PDF: hostile names do nothing, nothing is loaded, everything is there and accessible."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cards import HOSTILE, names
from counts import examples
from report.small import learned, read_page, table
from supersparse import ScoringSystem, item
from supersparse.data.plain import quoted, visible
from supersparse.errors import InvalidOptionError
from supersparse.report import Plan, make_report, write_report
from supersparse.report.columns import Cell, column_widths

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title><b>",
    "]]>",
    "&lt;b&gt;",
    "{x}",
]
HERE = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "nav", "section", "h1",
    "h2", "p", "ul", "ol", "li", "a", "span", "div", "table", "caption", "thead", "tbody", "tr", "th", "td",
    "dl", "dt", "dd", "figure", "figcaption", "svg", "defs", "g", "path", "use", "text", "tspan",
    "clippath", "rect",
}  # fmt: skip


@pytest.fixture(scope="module")
def report():
    columns, y = table()
    room = np.array(["a", "<b>b</b>"], dtype=object)[np.arange(60) % 2]
    plan = Plan(folds=2, bootstrap=3, larger=1)
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
    assert len(pictures) == 6
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
        items, threshold=1, classes=(texts[-2], texts[-1]), title=texts[0], source=texts[1],
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
    negative, positive = (f"predicted {quoted(t)}" for t in texts[-2:])
    (matrix,) = [rows for caption, rows in page.tables.items() if caption == "True and predicted classes"]
    assert matrix[0][1:3] == [positive, negative]
    (groups,) = [rows for caption, rows in page.tables.items() if caption.startswith("By ")]
    assert {row[0] for row in groups[1:-1]} == {visible(t) for t in texts[:3]}


@settings(max_examples=2)
@given(some_texts, labels_of_rows)
def test_hostile_names_are_shown_and_do_nothing(texts, y):
    assert_shown_and_inert(texts, y)


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(some_texts, labels_of_rows)
def test_hostile_names_do_nothing_in_words_for_pictures(without_matplotlib, texts, y):
    assert_shown_and_inert(texts, y)


@pytest.fixture(scope="module")
def pdf(report):
    return report.to_pdf()


def text_of(pdf, tmp_path):
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not installed")
    (tmp_path / "report.pdf").write_bytes(pdf)
    done = subprocess.run(
        ["pdftotext", "-layout", tmp_path / "report.pdf", "-"], capture_output=True, check=True, text=True
    )
    return done.stdout


def test_the_pdf_has_numbered_pages_with_the_content_of_the_page(report, html, pdf, tmp_path):
    text = text_of(pdf, tmp_path)
    pages = text.rstrip("\f").split("\f")
    for k, page in enumerate(pages, start=1):
        assert f"Page {k} of {len(pages)}" in page
    words = re.sub(r"\s+", " ", text)
    for section in report.sections:
        assert section.title in words
    for caption, rows in read_page(html).tables.items():
        if caption.startswith("Scoring system"):
            continue
        assert caption in words
        for row in rows[1:]:
            for cell in row:
                for word in cell.split():
                    assert word in words, (caption, cell)


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_nothing_leaves_the_paper(paper):
    pytest.importorskip("matplotlib")
    from supersparse.faces.drawing import Text, drawable, text_width
    from supersparse.faces.pictures import paper_size
    from supersparse.report.flow import MARGIN
    from supersparse.report.pdf import laid_out

    texts = [*[t for t in HOSTILE if t.strip()][:5], "a" * 300, "long words " * 30]
    width, height = paper_size(paper)
    report = hostile_report(texts, [0, 1] * 4)
    for sheet in laid_out(report.title, report.subtitle, report.sections, paper, drawable):
        for part in sheet.drawing.parts:
            if isinstance(part, Text):
                wide = text_width(part.text, part.size, bold=part.bold)
                left = part.x - {"start": 0, "middle": wide / 2, "end": wide}[part.anchor]
                assert left >= MARGIN - 1
                assert left + wide <= width - MARGIN + 1, part.text
                assert MARGIN <= part.y <= height
        for placed in sheet.pictures:
            assert placed.y + placed.height <= height - MARGIN


def test_hostile_names_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    texts = [*EVIL, "$x_1$", "שלום", "👩\u200d⚕️", "back\\slash", "温度" * 30]
    assert hostile_report(texts[-7:], [0, 1] * 4).to_pdf().startswith(b"%PDF")


def test_it_is_written_by_the_ending_of_the_name(tmp_path, without_matplotlib):
    system = ScoringSystem.of([item("age", at_least=65, points=1)], positive_from=1)
    data = {"age": [50, 60, 70, 80]}, ["no", "no", "yes", "yes"]
    report = write_report(system, *data, tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == report.to_html()
    with pytest.raises(InvalidOptionError, match="has an ending that says nothing"):
        report.save(tmp_path / "r.doc")


def test_without_matplotlib_the_page_has_words_for_pictures(report, without_matplotlib):
    page = read_page(report.to_html())
    assert "svg" not in {tag for tag, _ in page.tags}
    assert any(text.startswith("Step plot: at most 0 features") for text in page.texts)


@given(
    st.lists(st.lists(st.text(max_size=20), min_size=3, max_size=3), min_size=1, max_size=4),
    st.floats(60, 500),
)
def test_columns_fill_the_width_and_no_more(rows, across):
    widths = column_widths([[Cell(c) for c in row] for row in rows], across, 8, 10)
    assert sum(widths) + 20 <= across + 1e-6
    assert min(widths) >= 0


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_a_real_browser_is_content_with_the_page(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    texts = [*EVIL, "שלום", "\u202eevil", "back\\slash"]
    page_text = hostile_report(texts[:7], [0, 1] * 4).to_html()
    (tmp_path / "report.html").write_text(page_text, encoding="utf-8")
    troubles = []
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"], timeout=60_000
        )
        page = browser.new_page()
        page.on("console", lambda m: troubles.append(m.text))
        page.on("pageerror", lambda e: troubles.append(str(e)))
        page.on("dialog", lambda d: (troubles.append("dialog"), d.dismiss()))
        page.on("request", lambda r: r.url.startswith("file:") or troubles.append(r.url))
        page.goto((tmp_path / "report.html").as_uri())
        assert page.locator("h2").count() == 14
        assert page.locator("img, script").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        printed = page.pdf(prefer_css_page_size=True)
        browser.close()
    assert not troubles
    assert printed.startswith(b"%PDF")
