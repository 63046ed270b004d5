"""The calculator, used in a real browser: it agrees with the card, works by keyboard, and stays inert."""

import re
import shutil
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings

from cards import HOSTILE, any_cards
from counts import examples
from supersparse import ScoringSystem, item
from supersparse.card.scoring import score_person
from supersparse.errors import InvalidDataError
from supersparse.faces.calculator import calculator
from supersparse.faces.html import card_page

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def browser():
    if BROWSER is None:
        pytest.skip("no Chromium is installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    quiet = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ]
    with playwright.sync_playwright() as running:
        found = running.chromium.launch(
            executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu", *quiet], timeout=60_000
        )
        yield found
        found.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Open the calculator of a card; what goes wrong on the page fails the test."""
    troubles, pages = [], []

    def open_card(card):
        (tmp_path / "page.html").write_text(calculator(card), encoding="utf-8")
        page = browser.new_page(viewport={"width": 800, "height": 900})
        page.on("console", lambda m: troubles.append(m.text))
        page.on("pageerror", lambda e: troubles.append(str(e)))
        page.on("dialog", lambda d: (troubles.append("dialog"), d.dismiss()))
        page.on("request", lambda r: r.url.startswith("file:") or troubles.append(r.url))
        page.goto((tmp_path / "page.html").as_uri())
        pages.append(page)
        return page

    yield open_card
    for page in pages:
        page.close()
    assert not troubles


STROKE = ScoringSystem.of(
    [
        item("heart_failure", equals=True, points=1),
        item("age", at_least=75, points=2, unit="years"),
        item("age", at_least=65, below=75, points=1, unit="years"),
        item("sex", equals="F", points=1, missing=0.5),
        item("bmi", points=0.1, missing=0),
        item("bmi", is_missing=True, points=1),
        item("grade", one_of=["II", 3], points=-1),
    ],
    threshold=3,
    classes=("not high", "high"),
    domains={"sex": ["F", "M"]},
    risk={0: 0.01, 3: 0.1, 10: 0.9},
)


def fill(page, card, person):
    for j, name in enumerate(card.columns):
        control = page.locator(f"#c{j}")
        kind = control.evaluate("e => e.type")
        if kind == "checkbox":
            control.set_checked(person[name])
        elif kind == "select-one":
            control.select_option(label="not known" if person[name] is None else str(person[name]))
        else:
            control.fill("" if person[name] is None else str(person[name]))


PEOPLE = [
    {"heart_failure": f, "age": a, "sex": s, "bmi": b, "grade": g}
    for f, a, s, b, g in [
        (True, 75, "F", 0, "II"), (True, 74.9, "M", 20.5, "3"), (False, 65, None, None, "another value"),
        (True, 64, "F", 10, "another value"), (False, 80, "M", 0.1, "II"), (False, None, "M", 1, "II"),
        (True, 75, "F", -0.1, "another value"), (True, 65, "F", 20, "3"),
    ]
]  # fmt: skip


def test_the_page_shows_what_the_card_predicts(opened):
    card = STROKE.card
    page = opened(card)
    for person in PEOPLE:
        fill(page, card, person)
        meant = person | {"grade": {"3": 3}.get(person["grade"], person["grade"])}
        try:
            score = score_person(card, meant)
        except InvalidDataError:
            assert page.inner_text("#class") == "–"
            assert "1 of 5 values still needed" in page.inner_text("#state")
            continue
        assert Fraction(page.inner_text("#total").replace("\u2212", "-")) == score + card.threshold, person
        assert page.inner_text("#class") == STROKE.predict(meant)
        assert page.inner_text("#risk") == f"{100 * STROKE.predict_risk(meant):.1f} %"


def test_a_tie_of_decimals_is_the_negative_class(opened):
    card = ScoringSystem.of([item("x", points=1), item("y", points=1)], threshold=0.3).card
    page = opened(card)
    page.fill("#c0", "0.1")
    page.fill("#c1", "0.2")
    assert (page.inner_text("#total"), page.inner_text("#class")) == ("0.3", "no")
    page.fill("#c1", "0,2")
    assert "needs a number" in page.inner_text("#e1")
    assert page.get_attribute("#c1", "aria-invalid") == "true"


def test_it_works_by_keyboard_alone_and_every_control_has_a_name(opened):
    page = opened(STROKE.card)
    for key in ["Tab", "Space", "Tab", "7", "5", "Tab", "ArrowDown", "Tab", "2", "Tab", "ArrowDown"]:
        page.keyboard.press(key)
    assert page.inner_text("#total") == "3.2"
    assert page.inner_text("#class") == "high"
    for name in ("Heart failure? [1]", "Age (years)", "Sex", "Bmi", "Grade"):
        assert page.get_by_label(name, exact=True).count() == 1
    assert page.get_by_role("status").inner_text().startswith("Total")
    page.get_by_role("button", name="Clear").click()
    page.wait_for_function("document.getElementById('total').textContent === '–'")


def test_hostile_text_is_shown_and_does_nothing(opened):
    texts = [t for t in HOSTILE if t] + [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "</title>",
    ]
    items = [item(text, equals=text, points=1, question=text, unit=text) for text in texts]
    card = ScoringSystem.of(items, threshold=0, classes=texts[-2:], title=texts[-1], source=texts[-3]).card
    page = opened(card)
    assert page.locator("img, script:not(:last-of-type)").count() == 0
    assert page.title() == "Scoring system: </title>"
    page.select_option("#c0", index=1)
    for j in range(1, len(card.columns)):
        page.select_option(f"#c{j}", label="another value")
    assert page.inner_text("#class") == texts[-1]


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@settings(max_examples=examples(30))
@given(any_cards())
def test_any_card_gives_a_small_page_without_outside_resources(card):
    page = calculator(card)
    assert len(page.encode("utf-8")) < 60_000
    tags = _Tags()
    tags.feed(page)
    assert [tag for tag, _ in tags.found].count("script") == 1
    assert not any(
        name.startswith("on") or name in ("src", "href") for _, attrs in tags.found for name in attrs
    )
    ids = [attrs["id"] for _, attrs in tags.found if "id" in attrs]
    assert len(set(ids)) == len(ids)
    assert {f"c{j}" for j in range(len(card.columns))} <= set(ids)
    assert {f"p{i}" for i in range(len(card.items))} <= set(ids)


LONG = "Has the patient had a stroke, a transient ischaemic attack or another event in the five years before"


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("face", [calculator, card_page])
def test_twenty_long_questions_print_on_one_page(browser, face, paper, tmp_path):
    items = [
        item(
            f"x{i}",
            equals=True,
            points=i - 9.5,
            question=f"{LONG} number {i}?",
            missing=0 if i % 2 else "refuse",
        )
        for i in range(20)
    ]
    card = ScoringSystem.of(items, threshold=4, source="Nobody et al. 2020", risk={0: 0.1, 9: 0.8}).card
    (tmp_path / "page.html").write_text(face(card), encoding="utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    printed = page.pdf(format=paper)
    page.close()
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
