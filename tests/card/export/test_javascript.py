"""The exported JavaScript module, run under node, scores exactly as the card."""

import json
import math
import subprocess
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import strategies as st

from card.export.people import check, collect, drawn, label, reference
from cards import HOSTILE, any_cards
from programs import command, needs
from supersparse.card.export.javascript import to_javascript

# reads modules and people, writes for each person the exact total, the class and so on, or null
RUNNER = """
import { readFileSync } from "node:fs";
const cases = JSON.parse(readFileSync(process.argv[2], "utf8"));
const special = { nan: NaN, inf: Infinity };
const value = (v) => (v !== null && typeof v === "object" ? special[v.special] : v);
const out = [];
for (const { file, people } of cases) {
  const module = await import(file);
  out.push(people.map((pairs) => {
    const person = Object.fromEntries(pairs.map(([name, v]) => [name, value(v)]));
    try {
      const { n, d } = module.exactTotal(person);
      const risk = module.risk === undefined ? null : module.risk(person);
      return [`${n}/${d}`, module.predict(person), module.total(person), module.points(person), risk];
    } catch (error) {
      if (!(error instanceof module.RefusedValue)) throw error;
      return null;
    }
  }));
}
console.log(JSON.stringify(out));
"""


def in_node(value):
    if isinstance(value, float) and not math.isfinite(value):
        return {"special": "nan" if math.isnan(value) else "inf"}
    return value


def run_node(cases, folder):
    (folder / "run.mjs").write_text(RUNNER, encoding="utf-8")
    listed = []
    for number, (card, group) in enumerate(cases):
        file = folder / f"card{number}.mjs"
        file.write_text(to_javascript(card), encoding="utf-8")
        listed.append({"file": str(file), "people": [[[n, in_node(v)] for n, v in p.items()] for p in group]})
    (folder / "cases.json").write_text(json.dumps(listed), encoding="utf-8")
    done = subprocess.run(
        [command("node"), str(folder / "run.mjs"), str(folder / "cases.json")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@st.composite
def any_cases(draw):
    card = draw(any_cards(most=4))
    if any(isinstance(c, float | bool) or (isinstance(c, int) and abs(c) >= 2**53) for c in card.classes):
        card = replace(card, negative="no", positive="yes")  # JSON would bring such labels back as others
    values = [None, "", math.nan, math.inf, 0, 1, True, False, -2, 0.1, 0.3, 1e-7, 1e22, "1", "a", *HOSTILE]
    return card, [{name: draw(st.sampled_from(values)) for name in card.columns} for _ in range(5)]


def any_drawn():
    return collect(any_cases(), 40)


def typed_drawn():
    return [(card, group) for card, _, group in drawn()]


@needs("node")
@pytest.mark.parametrize("cases", [any_drawn, typed_drawn])
def test_node_agrees_with_the_card(cases, tmp_path):
    made = cases()
    scored = 0
    for (card, group), results in zip(made, run_node(made, tmp_path), strict=True):
        for person, result in zip(group, results, strict=True):
            expected = reference(card, person)
            assert (None if result is None else Fraction(result[0])) == expected, person
            if expected is not None:
                scored += 1
                assert result[1] == label(card, expected)
                assert result[2] == pytest.approx(float(expected), rel=1e-15)
                assert sum(result[3]) == pytest.approx(float(expected), rel=1e-9, abs=1e-9)
                assert (result[4] is None) == (card.risk is None)
                if cases is typed_drawn:
                    check(card, person, result[2], result[1], result[4])
    assert scored > 50


def test_the_module_is_ascii_and_cannot_close_a_script():
    from supersparse import ScoringSystem, item

    card = ScoringSystem.of([item("</script>\u2028", equals="<!--", points=1)], above=0).card
    source = to_javascript(card)
    assert source.isascii()
    assert "</script" not in source
    assert "<!--" not in source


@needs("node")
def test_the_module_runs_where_objects_have_what_ecmascript_2020_gave_them(tmp_path):
    from supersparse import ScoringSystem, item

    card = ScoringSystem.of([item("x", at_least=0, points=1)], above=0).card
    (tmp_path / "card.mjs").write_text(to_javascript(card), encoding="utf-8")
    later = "delete Object.hasOwn; delete Array.prototype.at; delete String.prototype.replaceAll; "
    code = later + 'import("./card.mjs").then((card) => console.log(card.predict({ x: 1 })))'
    done = subprocess.run([command("node"), "-e", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "yes\n", done.stderr
