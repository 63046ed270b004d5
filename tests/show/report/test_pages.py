"""The page and the PDF: hostile names do nothing, nothing is loaded, everything is there and accessible."""

from io import BytesIO
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from cards import names
from counts import examples
from programs import needs
from show.report.small import learned, read_page, table
from supersparse import ScoringSystem, item
from supersparse.card.lines import class_names
from supersparse.errors import InvalidOptionError, PackageNotInstalledError
from supersparse.show.document import html as documents
from supersparse.show.report import Plan, make_report, write_report
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


def words_of(pdf):
    text = " ".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages)
    return " ".join(normalize("NFKC", text).split())  # a font may have one glyph for "ff"


@needs("Chromium")
@pytest.mark.parametrize(("paper", "size"), [("a4", (595, 842)), ("letter", (612, 792))])
def test_the_pdf_is_the_printed_page_with_numbered_pages(report, paper, size):
    pdf = report.to_pdf(paper)
    pages = PdfReader(BytesIO(pdf)).pages
    assert tuple(map(float, pages[0].mediabox[2:])) == pytest.approx(size, abs=1)
    assert f"Page 1 of {len(pages)}" in pages[0].extract_text()
    words = words_of(pdf).replace(" ", "")
    for section in report.sections:
        assert section.title.replace(" ", "") in words
    assert "".join(report.title.split()) in words


def test_without_a_browser_the_remedy_is_said(report, monkeypatch):
    monkeypatch.setattr(documents, "browser", lambda: None)
    with pytest.raises(PackageNotInstalledError, match=r"open the \.html file and print it"):
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
