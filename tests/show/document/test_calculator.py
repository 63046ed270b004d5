"""The calculator, used in a real browser: it agrees with the card, works by keyboard, and stays inert."""

import json
import random
import re
import subprocess
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings

from cards import HOSTILE, any_cards
from counts import examples
from programs import command, needs
from supersparse import ScoringSystem, item
from supersparse.card.lines import lines_of
from supersparse.card.risk import LogisticRisk
from supersparse.card.rules import Domain, IsMissing
from supersparse.show.document.calculator import calculator
from supersparse.show.document.html import card_page


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
    above=3,
    classes=("not high", "high"),
    domains={"sex": ["F", "M"]},
    risk={0: 0.01, 3: 0.1, 10: 0.9},
)


def choose(page, line, text):
    """Tap an answer of a line, by what it says."""
    field = page.locator(f"#l{line}")
    field.get_by_text(text, exact=True).click()


ANSWERS = [  # heart failure, age, sex, bmi, grade: the person, and what to tap or type
    ((True, 80, "F", 0, "II"), ("yes", "75 or older", "F", "0", "II or 3")),
    ((True, 74.9, "M", 20.5, 3), ("yes", "65 to under 75", "M or other", "20,5", "II or 3")),
    ((False, 40, None, None, "other"), ("no", "under 65", "not known", None, "any other")),
    ((True, 64, "F", 10, "other"), ("yes", "under 65", "F", "10", "any other")),
]


def test_the_page_shows_what_the_card_predicts(opened):
    page = opened(STROKE.card)
    for values, taps in ANSWERS:
        person = dict(zip(("heart_failure", "age", "sex", "bmi", "grade"), values, strict=True))
        for line, tap in enumerate(taps[:3]):
            choose(page, line, tap)
        if taps[3] is None:
            page.check("#u3")
            choose(page, 4, "yes")  # bmi not known
        else:
            page.uncheck("#u3")
            page.fill("#c3", taps[3])
            choose(page, 4, "no")
        choose(page, 5, taps[4])
        assert Fraction(page.inner_text("#total").replace("\u2212", "-")) == STROKE.total(person), person
        assert page.inner_text("#class") == STROKE.predict(person)
        assert page.inner_text("#risk") == f"{100 * STROKE.predict_risk(person):.1f} %"


def test_there_is_no_result_before_every_line_is_answered(opened):
    card = ScoringSystem.of(
        [item("a", equals=True, points=1), item("b", equals=True, points=2)],
        above=0, risk={0: 0.1, 3: 0.9},
    ).card  # fmt: skip
    page = opened(card)
    for shown, line in ((0, 0), (1, 1)):
        assert page.inner_text("#class") == page.inner_text("#risk") == ""
        assert page.inner_text("#total") == "\u2013"
        assert page.inner_text("#state") == f"{shown} of 2 answered"
        assert page.locator(".now").count() == 0
        choose(page, line, "no")
    assert (page.inner_text("#total"), page.inner_text("#class")) == ("0", "no")
    assert page.inner_text(".now") == "0\n10 %"
    page.get_by_role("button", name="Clear").click()
    page.wait_for_function("document.getElementById('total').textContent === '\u2013'")


def test_decimals_are_exact_a_comma_is_a_point_and_odd_numbers_are_flagged(opened):
    domain = Domain(column="y", low=0, high=1)
    card = ScoringSystem.of([item("x", points=1), item("y", points=1)], above=0.3, domains={"y": domain}).card
    page = opened(card)
    page.fill("#c0", "0.1")
    page.fill("#c1", "0,2")
    assert (page.inner_text("#total"), page.inner_text("#class")) == ("0.3", "no")
    page.fill("#c1", "12")
    assert "outside the values that the card was learned from (0 to 1)" in page.inner_text("#e1")
    assert page.inner_text("#class") == "yes"
    page.fill("#c1", "1.2.3")
    assert "Please enter a number" in page.inner_text("#e1")
    assert page.get_attribute("#c1", "aria-invalid") == "true"
    assert page.inner_text("#class") == ""


def test_it_works_by_keyboard_alone_and_every_control_has_a_name(opened):
    page = opened(STROKE.card)
    keys = "Tab Space Tab ArrowRight ArrowRight Tab ArrowRight Tab 2 Tab Tab Space Tab ArrowRight"
    for key in keys.split():
        page.keyboard.press(key)
    assert page.inner_text("#total") == "4.2"
    assert page.inner_text("#class") == "high"
    for name in ("Heart failure?", "Age (years)", "Sex", "Grade"):
        assert page.get_by_role("group", name=name, exact=True).count() == 1
    assert page.get_by_label("Bmi", exact=True).count() == 1
    assert "points" in page.get_by_role("status").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, pytest.param(900, marks=pytest.mark.long)])
def test_axe_finds_no_barrier(browser, tmp_path, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
    system = ScoringSystem.of(
        [*STROKE.card.items[:4], item("bmi", points=1)], above=3, classes=("low", "high"), title="stroke",
        risk={k: k / 10 for k in range(10)}, source="Nobody 2020",
    )  # fmt: skip
    pages = {"calculator": calculator(system.card), "card": card_page(system.card)}
    pages["sheet"] = system.sheet().to_html()
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
        page = context.new_page()
        page.goto((tmp_path / f"{name}.html").as_uri())
        found = axe.Axe().run(page).response["violations"]
        context.close()
        assert not found, (name, [(v["id"], v["nodes"][0]["html"]) for v in found])


def test_a_notebooks_style_does_not_reach_the_card(browser, tmp_path):
    notebook = (
        "table{direction:rtl}td,th{text-align:right!ignored;text-align:right;max-width:3em}"
        "tr:nth-child(even){background:red}h3{color:red;font-size:9px}ul{list-style:square;padding-left:4em}"
        ".rendered table td{padding:2em;color:red}"
    )
    places = []
    for style in ("", notebook):
        text = f"<!DOCTYPE html><style>{style}</style><div class='rendered'>{STROKE.to_html()}</div>"
        (tmp_path / "page.html").write_text(text, encoding="utf-8")
        page = browser.new_page(viewport={"width": 800, "height": 900})
        page.goto((tmp_path / "page.html").as_uri())
        script = """() => [...document.querySelectorAll('.supersparse-card *')].map((e) => {
            const box = e.getBoundingClientRect(), look = getComputedStyle(e);
            return [e.tagName, box.x, box.y, box.width, look.color, look.backgroundColor, look.textAlign];
        })"""
        places.append(page.evaluate(script))
        page.close()
    differing = [pair for pair in zip(*places, strict=True) if pair[0] != pair[1]]
    assert not differing


def test_hostile_text_is_shown_and_does_nothing(opened):
    texts = [t for t in HOSTILE if t] + ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</title>"]
    items = [item(text, equals=text, points=1, question=text, unit=text) for text in texts]
    card = ScoringSystem.of(items, above=0, classes=texts[-2:], title=texts[-1], source=texts[-3]).card
    page = opened(card)
    assert page.locator("img, script:not(:last-of-type)").count() == 0
    assert page.title().startswith("</title>")
    page.check('input[name="c0"][value="1"]')
    for j in range(1, len(card.columns)):
        page.check(f'input[name="c{j}"][value="0"]')
    assert page.inner_text("#class") == '"</title>"'


PAGE = """
const elements = {};
const element = (id) => elements[id] ??= { value: "", textContent: "", dataset: {},
  classList: { toggle() {} }, setAttribute() {}, removeAttribute() {}, addEventListener() {} };
const document = { getElementById: (id) => id.startsWith("u") ? null : element(id), addEventListener() {} };
"""
TYPE = """
for (const text of TYPED) {
  element("c0").value = text;
  update();
  console.log(["total", "class", "risk", "e0"].map((id) => element(id).textContent).join("|"));
}
"""


@needs("node")
def test_what_is_typed_never_leaves_an_earlier_result(tmp_path):
    system = ScoringSystem.of([item("x", points=1)], above=2, risk={0: 0, 1: 1e-9, 4: 0.5, 5: 0.9999999, 10**400: 1})
    script = re.search(r"<script>(.*)</script>", system.calculator(), re.DOTALL)[1]
    typed = ["4", "1e999", "1", "-1e999", "5", "0", "1e308"]
    (tmp_path / "page.mjs").write_text(f"{PAGE}{script}\nconst TYPED = {typed};{TYPE}", encoding="utf-8")
    done = subprocess.run([command("node"), "page.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    too_large = "\u2013|||This number is too large"
    assert done.stdout.splitlines()[:6] == [
        "4|yes|50.0 %|", too_large, "1|no|< 0.001 %|", too_large, "5|yes|> 99.999 %|", "0|no|0.000 %|",
    ]  # fmt: skip
    assert done.stdout.splitlines()[6].endswith("|yes|> 99.999 %|")


@needs("node")
def test_a_number_far_from_the_training_rows_is_refused_and_one_near_them_flagged(tmp_path):
    domain = Domain(column="x", low=20, high=80, whole=True, outside="near")
    system = ScoringSystem.of([item("x", points=1)], threshold=50, domains={"x": domain})
    script = re.search(r"<script>(.*)</script>", system.calculator(), re.DOTALL)[1]
    typed, shown = ["60", "140", "141", "-40", "-41", "850"], TYPE.replace(', "risk"', "")
    (tmp_path / "page.mjs").write_text(f"{PAGE}{script}\nconst TYPED = {typed};{shown}", encoding="utf-8")
    done = subprocess.run([command("node"), "page.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    outside = "outside the values that the card was learned from (20 to 80)"
    far = f"\u2013||far {outside}; please correct it"
    assert done.stdout.splitlines() == [
        "60|yes|", f"140|yes|Please check: {outside}", far, f"\u221240|no|Please check: {outside}", far, far,
    ]  # fmt: skip


def random_card(rng):
    """A card with risks and a line that multiplies a number, beside lines of other kinds."""
    items = [item("dose", points=rng.choice([2, -1, 0.5, 1.25]), missing=rng.choice(["refuse", 0, -3]))]
    if items[0].missing is not None and rng.random() < 0.5:
        items.append(item("dose", is_missing=True, points=2))
    if rng.random() < 0.7:
        items.append(item("sex", equals="F", points=rng.choice([1, -2]), missing=rng.choice([0, 1])))
    if rng.random() < 0.7:
        items += [item("age", at_least=50, points=rng.randint(1, 3)), item("age", at_least=70, points=2)]
    risk = LogisticRisk(slope=rng.choice([0.5, -2.0, 0.0, 30.0, 1e-3]), offset=rng.choice([-2.0, 0.3, -700.0]))
    if rng.random() < 0.3:
        risk = {-4: 0.001, 0: 0.02, 3.5: 0.4, 9: 0.97}
    domains = {"dose": Domain(column="dose", low=0, high=3)} if rng.random() < 0.3 else None
    return ScoringSystem.of(items, threshold=rng.randint(-2, 4), risk=risk, domains=domains)


def taps_of(system, person):
    """What to type into, or which answer to choose in, each line of the calculator for a person."""
    taps = []
    for line in lines_of(system.card):
        value = person[line.column]
        if line.times:
            taps.append({"typed": "" if value is None else str(value), "unknown": value is None})
        elif line.answers:
            held = [isinstance(a.rule, IsMissing) if value is None else a.rule.of_one(value, "") for a in line.answers]
            taps.append({"chosen": held.index(True) if True in held else held.index(1)})
        else:
            is_gap = isinstance(line.rule, IsMissing)
            holds = is_gap if value is None else not is_gap and line.rule.of_one(value, "") == 1
            taps.append({"chosen": 2 if value is None and not is_gap else int(holds)})
    return taps


PEOPLE = """
const vm = require("node:vm");
const made = JSON.parse(require("node:fs").readFileSync("pages.json", "utf8"));
const use = `
  for (const taps of PEOPLE) {
    taps.forEach((tap, n) => {
      const own = CARD.lines[n];
      if (own.points) { CHOSEN["c" + n] = { value: String(tap.chosen) }; return; }
      $("c" + n).value = tap.typed;
      if ($("u" + n)) $("u" + n).checked = tap.unknown;
    });
    update();
    OUT.push([$("total").textContent, $("class").textContent, $("risk")?.textContent ?? null]);
  }`;
console.log(JSON.stringify(made.map(({ script, ids, people }) => {
  const elements = Object.fromEntries(ids.map((id) => [id, { value: "", textContent: "", dataset: {},
    classList: { toggle() {} }, setAttribute() {}, removeAttribute() {}, addEventListener() {} }]));
  const CHOSEN = {}, OUT = [];
  const document = { getElementById: (id) => elements[id] ?? null, addEventListener() {},
    querySelector: (what) => CHOSEN[/"(.*)"/.exec(what)[1]] ?? null };
  vm.runInNewContext(script + use, { document, CHOSEN, OUT, PEOPLE: people, setTimeout, window: {} });
  return OUT;
})));
"""


def read_percent(text):
    """The range of risks, in percent, that a text stands for."""
    sign, number = re.fullmatch(r"([<>]?) ?([0-9.]+) %", text).groups()
    value, step = float(number), 0.5 / 10 ** len(number.partition(".")[2])
    if sign:
        return (0, value) if sign == "<" else (value, 100)
    return value - step * 1.000001, value + step * 1.000001


@needs("node")
def test_the_risk_is_shown_whenever_the_card_has_one(tmp_path):
    rng = random.Random(11)
    systems = [random_card(rng) for _ in range(40)]
    doses = [0, 1.5, 2.25, 7, -3, 1e3, None]
    people, made = [], []
    for system in systems:
        refuses = next(one for one in system.card.items if one.column == "dose").missing is None
        own = [
            {"dose": dose, "sex": rng.choice(["F", "M", None]), "age": rng.randint(20, 90)}
            for dose in doses
            if not (refuses and dose is None)
        ]
        page = system.calculator()
        tags = _Tags()
        tags.feed(page)
        ids = [attrs["id"] for _, attrs in tags.found if "id" in attrs]
        script = re.search(r"<script>(.*)</script>", page, re.DOTALL)[1]
        made.append({"script": script, "ids": ids, "people": [taps_of(system, one) for one in own]})
        people.append(own)
    (tmp_path / "pages.json").write_text(json.dumps(made), encoding="utf-8")
    (tmp_path / "use.cjs").write_text(PEOPLE, encoding="utf-8")
    done = subprocess.run([command("node"), "use.cjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    for system, own, shown in zip(systems, people, json.loads(done.stdout), strict=True):
        for person, (_, label, percent) in zip(own, shown, strict=True):
            risk = 100 * system.predict_risk(person)
            low, high = read_percent(percent)
            assert low <= risk <= high, (system, person, percent)
            assert label == system.predict(person)


def test_a_risk_without_a_strip_comes_with_its_formula():
    card = ScoringSystem.of([item("dose", points=2)], threshold=3, risk=LogisticRisk(slope=0.5, offset=-2.0))
    page = card.calculator()
    assert 'Risk: <b id="risk">' in page
    assert "Risk (yes) by the total: 1 / (1 + exp(-(0.5 * total - 2)))." in page
    always = ScoringSystem.of([], threshold=1, risk=LogisticRisk(slope=0.5, offset=-2.0)).calculator()
    assert 'id="risk"' in always
    assert 'id="risk"' not in ScoringSystem.of([item("dose", points=2)], threshold=3).calculator()


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
    assert len(page.encode("utf-8")) < 80_000
    tags = _Tags()
    tags.feed(page)
    assert [tag for tag, _ in tags.found].count("script") == 1
    assert not any(name.startswith("on") or name in ("src", "href") for _, attrs in tags.found for name in attrs)
    ids = [attrs["id"] for _, attrs in tags.found if "id" in attrs]
    assert len(set(ids)) == len(ids)
    assert {f"l{n}" for n in range(len(lines_of(card)))} <= set(ids)


LONG = "Has the patient had a stroke, a transient ischaemic attack or another event in the five years before"


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("face", [calculator, card_page])
def test_twenty_long_questions_print_on_one_page(browser, face, paper, tmp_path):
    items = [
        item(f"x{i}", equals=True, points=i - 9.5, question=f"{LONG} number {i}?", missing=0 if i % 2 else "refuse")
        for i in range(20)
    ]
    card = ScoringSystem.of(items, above=4, source="Nobody et al. 2020", risk={0: 0.1, 9: 0.8}).card
    (tmp_path / "page.html").write_text(face(card), encoding="utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    printed = page.pdf(format=paper)
    page.close()
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
