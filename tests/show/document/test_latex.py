"""The LaTeX face, typeset: what the page shows is what the card says, whatever the names."""

import os
import re
import subprocess
import unicodedata

import pytest
from hypothesis import given, settings

from cards import HOSTILE, any_cards
from counts import examples
from programs import needs
from supersparse import ScoringSystem, item
from supersparse.card.lines import lines_of
from supersparse.show.document import latex as latex_letters
from supersparse.table.plain import visible

TYPESET = [name for name in HOSTILE if name.isascii()] + [
    "~^|{}$&#_%\\", "-- --- ,, ?` !` << >>", "\\end{document}", "\\input{x}", "% no comment", "[x] * y",
    "Größe é ß", "snake_case_" * 9, "e\u0301te\u0301", "a ≥ 3",
]  # fmt: skip
SCRIPTS = {
    "Greek": "ηλικία", "Cyrillic": "Возраст", "Chinese": "温度", "Japanese": "温度が高い", "Korean": "한국어",
    "Georgian": "ქართული", "Vietnamese": "Đặng", "two accents": "x\u030c\u0323", "a sign": "☃",
    "Devanagari": "तापमान क्षेत्र", "Thai": "อุณหภูมิ", "Hebrew": "שלום (בית)", "Arabic": "السلام",
}  # fmt: skip
JOINED = ("Devanagari", "Thai", "Hebrew", "Arabic")  # pdftotext reads their shapes, and not in order


def compiled(text, folder):
    """Run the engine that the first line names; return whether it did without an error, and its log."""
    engine = re.match("% compile with (pdflatex|lualatex)\n", text)[1]
    (folder / "card.tex").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", "card.tex"],
        cwd=folder,
        capture_output=True,
        check=False,
        env={**os.environ, "max_print_line": "10000"},
    )
    return done.returncode == 0, done.stdout.decode("utf-8", "replace")


def typeset(text, folder):
    """Return the pages as text, and the log; there is no error, and no letter is left out."""
    is_done, log = compiled(text, folder)
    assert is_done, log[-2000:]
    assert "Missing character" not in (folder / "card.log").read_text(encoding="utf-8", errors="replace")
    done = subprocess.run(["pdftotext", "-raw", "card.pdf", "-"], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode().split("\f")[:-1], log


def squeezed(text):
    return re.sub(r"[\s_]", "", unicodedata.normalize("NFC", text)).lower()


def in_a_document(system):
    """A part of a paper that loads nothing but what tables need."""
    engine, text = system.to_latex().split("\n", 1)
    start = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\nbefore"
    return "\n".join([engine, start, text, "after\\end{document}\n"])


WAYS = pytest.mark.parametrize("source", [ScoringSystem.to_latex, in_a_document], ids=["alone", "in a paper"])


@needs("LaTeX")
@WAYS
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_hostile_names_are_typeset_as_they_are(engine, source, tmp_path):
    names = [*TYPESET, "温"] if engine == "lualatex" else TYPESET
    items = [item(name, points=(-1) ** i * (i + 1)) for i, name in enumerate(names)]
    system = ScoringSystem.of(items, above=2, classes=("a\nb|c", "</td>\\bye"), title="&<", source="50 % of \\LaTeX{}")
    text = source(system)
    assert text.startswith(f"% compile with {engine}\n")
    pages, _ = typeset(text, tmp_path)
    shown = squeezed("".join(pages))
    written = [visible(line.text) for line in lines_of(system.card)]
    for name in (*written, visible("a\nb|c"), visible("</td>\\bye"), "50%of\\\\LaTeX{}"):
        assert squeezed(name) in shown
    assert ("before" in shown) == ("after" in shown) == (source is in_a_document)


@needs("LaTeX")
@WAYS
def test_letters_that_only_t1_has_are_typeset_by_pdflatex(source, tmp_path):
    system = ScoringSystem.of([item("Łódź ąę đ „a“ «b» þ ŋ", points=1)], above=0)
    text = source(system)
    assert text.startswith("% compile with pdflatex\n")
    assert squeezed("Łódź ąę đ „a“ «b» þ ŋ") in squeezed("".join(typeset(text, tmp_path)[0]))


@needs("LaTeX")
@WAYS
def test_every_letter_that_pdflatex_is_said_to_know_is_typeset(source, tmp_path):
    known = sorted(latex_letters._LATIN)
    accents = [c + mark for c in "aeiouxXQ" for mark in latex_letters._ACCENTS]
    lines = ["".join(part[k : k + 20]) for part in (known, accents) for k in range(0, len(part), 20)]
    system = ScoringSystem.of([item(f"n {line}", points=1) for line in lines], above=0)
    text = source(system)
    assert text.startswith("% compile with pdflatex\n")
    shown = squeezed("".join(typeset(text, tmp_path)[0]))
    assert not [c for c in "éÀçşŐǎœßå½" if squeezed(c) not in shown]


@needs("LaTeX")
@WAYS
def test_every_script_is_typeset_by_lualatex(source, tmp_path):
    items = [item(name, points=1) for name in SCRIPTS.values()]
    text = source(ScoringSystem.of(items, above=0))
    assert text.startswith("% compile with lualatex\n")
    pages, log = typeset(text, tmp_path)
    shown = squeezed("".join(pages))
    for script, name in SCRIPTS.items():
        assert script in JOINED or squeezed(name) in shown, script
    assert "U+" not in shown.upper()
    assert "No font has" not in log


@needs("LaTeX")
def test_letters_without_a_font_are_codes_and_the_log_names_a_font(tmp_path, monkeypatch):
    monkeypatch.setattr(latex_letters, "_EAST_ASIAN_FONTS", ("No Such Font", "DejaVu Serif"))
    text = ScoringSystem.of([item("温度 α", points=1)], above=0).to_latex()
    pages, log = typeset(text, tmp_path)
    assert squeezed("U+6E29 U+5EA6 α") in squeezed(pages[0])
    assert "No font has CJK 0: its letters are codes. Install No Such Font (Debian: fonts-noto-cjk)" in log


@needs("LaTeX")
def test_pdflatex_says_that_it_is_the_wrong_engine(tmp_path):
    text = ScoringSystem.of([item("温度", points=1)], above=0).to_latex()
    is_done, log = compiled(text.replace("lualatex", "pdflatex", 1), tmp_path)
    assert not is_done
    assert "use lualatex" in log


@needs("LaTeX")
@settings(max_examples=examples(150))
@given(any_cards())
def test_any_card_is_typeset(tmp_path_factory, card):
    typeset(ScoringSystem(card).to_latex(), tmp_path_factory.mktemp("card"))


@needs("LaTeX")
@pytest.mark.parametrize(("n", "words"), [(3, 2), (20, 2), (20, 8)])
def test_up_to_twenty_items_fit_a_page(n, words, tmp_path):
    items = [
        item(f"x{i}", equals=True, points=1 - 2 * (i % 2), question=f"Number {i}, {'some word ' * words}?")
        for i in range(n)
    ]
    system = ScoringSystem.of(items, above=0, source="Nobody et al. 2020")
    pages, log = typeset(system.to_latex(), tmp_path)
    assert len(pages) == 1
    assert "Overfull" not in log


def first_line(*names):
    system = ScoringSystem.of([item(name, points=1) for name in names], above=0)
    return system.to_latex().partition("\n")[0]


@pytest.mark.parametrize("name", ["age", "Größe", "e\u0301te\u0301", "ŷ x\u0302", "Łódź", "a ≤ b", "25 µg"])
def test_the_first_line_asks_for_pdflatex_where_it_knows_all_letters(name):
    assert first_line("weight", name) == "% compile with pdflatex"


@pytest.mark.parametrize("name", SCRIPTS.values(), ids=SCRIPTS)
def test_the_first_line_asks_for_lualatex_where_a_letter_needs_it(name):
    assert first_line("weight", name) == "% compile with lualatex"


def test_accents_are_one_letter_or_a_command():
    text = ScoringSystem.of([item("e\u0301te\u0301 x\u0302", points=1)], above=0).to_latex()
    assert r"1) & Été \^{x} & $\times$ 1" in text


def test_text_from_right_to_left_is_turned_and_numbers_in_it_are_not():
    assert latex_letters.latex_escaped(visible("שלום 12 (ab) ה")) == (
        r"{\textdir TRT שלום {\textdir TLT 12} )ab( ה}".replace(")ab(", r"){\textdir TLT ab}(")
    )
    assert latex_letters.latex_escaped("age שלום x") == r"age {\textdir TRT שלום} x"
