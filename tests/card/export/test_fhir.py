"""The FHIR form, calculated by engines of FHIRPath, scores exactly as the card."""

import json
import subprocess
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import fhirpathpy
import pandas as pd
import pytest
from fhir.resources.R4B.questionnaire import Questionnaire
from fhir.resources.R4B.questionnaireresponse import QuestionnaireResponse
from fhirpathpy.models import models

from card.export.people import as_typed, drawn, finite
from programs import command, needs, node_environment
from shared_data import SHARED, needs_shared_data
from supersparse import RiskScoreClassifier, ScoringSystem, item
from supersparse.card.export.fhir import FORMS, FhirForm, fhir_response, to_fhir
from supersparse.card.export.fhirpath import classes_of
from supersparse.card.risk import risk_of
from supersparse.card.scoring import score_person
from supersparse.datasets import load_breast_cancer, load_haberman, load_mammography, load_tic_tac_toe
from supersparse.errors import InvalidDataError, InvalidOptionError, UnsupportedCardError

CALCULATED = "sdc-questionnaire-calculatedExpression"
ADMISSION = ScoringSystem.of(
    [
        item("age", at_least=50, below=65, points=2, unit="years"),
        item("age", at_least=65, points=4, unit="years"),
        item("diabetes", equals=True, points=3),
        item("creatinine", at_least=1.3, points=2, missing=0, unit="mg/dL"),
    ],
    threshold=4,
    classes=("not high", "high"),
    risk={0: 0.02, 2: 0.05, 3: 0.08, 4: 0.12, 5: 0.18, 6: 0.26, 7: 0.36, 9: 0.58},
    title="Admission risk",
)


def expressions(form):
    """The calculated items of a form: (linkId, type, expression)."""
    return [
        (one["linkId"], one["type"], extension["valueExpression"]["expression"])
        for one in form["item"]
        for extension in one.get("extension", [])
        if extension["url"].endswith(CALCULATED)
    ]


def compiled(form):
    return [(link, kind, fhirpathpy.compile(text, models["r4"])) for link, kind, text in expressions(form)]


def calculate(rules, answers):
    """What fhirpathpy makes of answers: the value of each calculated item, None where it is empty."""
    response = {"resourceType": "QuestionnaireResponse", "status": "in-progress", "item": list(answers)}
    found = {}
    for link, kind, rule in rules:
        values = rule(response, {"resource": response})
        found[link] = values[0] if values else None
        assert len(values) <= 1
        if values:
            response["item"].append({"linkId": link, "answer": [{f"value{kind.capitalize()}": values[0]}]})
    return found


def accepts(card, column, value):
    """Whether the card scores a value of one column."""
    items = tuple(one for one in card.items if one.column == column)
    domains = tuple(one for one in card.domains if one.column == column)
    try:
        score_person(replace(card, items=items, domains=domains, learned=None, seen=None, risk=None), {column: value})
    except InvalidDataError:
        return False
    return True


def answers_of(form, card, person):
    """What the person answers in the form, refused values too, and whether the form has to give a total."""
    answers, complete = [], True
    for question in form.questions:
        column = question.expected.column
        value = person[column]
        if accepts(card, column, value):
            try:
                answers.append(form.answer(question, value))
                continue
            except InvalidDataError:  # a column of yes and no, or of whole numbers, that holds another number
                assert len(question.options) in (2, 3) or question.type == "integer"
        complete = False
        if value is None or value != value or (question.type == "integer" and value % 1):
            continue
        if question.options:
            answers.append({"linkId": question.link, "answer": [{"valueCoding": {"code": "no-such-code"}}]})
        else:
            answers.append({"linkId": question.link, "answer": [{"valueDecimal": Decimal(str(value))}]})
    return answers, complete


def cases(form_name):
    """Cards with their forms, and answers with what the card makes of them."""
    for card, _, group in drawn():
        card = as_typed(card)
        try:
            form = FhirForm.of(card, form_name, None, "1")
        except UnsupportedCardError:
            continue
        people = []
        for person in finite(group):
            answers, complete = answers_of(form, card, person)
            total = score_person(card, person) - card.intercept if complete else None
            people.append((person, answers, total))
        yield card, json.loads(to_fhir(card, form=form_name)), people


def agrees(card, total, found, near=1e-9):
    if total is None:
        return all(value is None for value in found.values())
    right = abs(float(found["total"]) - float(total)) <= near * max(1, abs(total))
    right &= found["class"] == classes_of(card)[card.cutoff.includes(total)]
    if card.risk is None:
        return right and "risk" not in found
    return right and abs(float(found["risk"]) - risk_of(card.risk, total)) <= near


@pytest.mark.parametrize("form_name", FORMS)
def test_fhirpathpy_agrees_with_the_card(form_name):
    scored = refused = 0
    for card, form, people in cases(form_name):
        assert json.loads(Questionnaire.model_validate(form).model_dump_json()) == form
        rules = compiled(form)
        for person, answers, total in people:
            assert agrees(card, total, calculate(rules, answers)), (person, answers, total)
            scored, refused = scored + (total is not None), refused + (total is None)
    assert scored > 60
    assert refused > 20


RUNNER = """
const { readFileSync } = require("node:fs");
const engine = require("fhirpath"), r4 = require("fhirpath/fhir-context/r4");
const out = JSON.parse(readFileSync(process.argv[1], "utf8")).map(({ rules, people }) => people.map((item) => {
  const resource = { resourceType: "QuestionnaireResponse", item }, found = {};
  for (const [link, kind, text] of rules) {
    const values = engine.evaluate(resource, text, { resource }, r4);
    found[link] = values.length ? values[0] : null;
    const key = "value" + kind[0].toUpperCase() + kind.slice(1);
    if (values.length) item.push({ linkId: link, answer: [{ [key]: values[0] }] });
  }
  return found;
}));
console.log(JSON.stringify(out));
"""


@needs("fhirpath.js")
@pytest.mark.parametrize("form_name", FORMS)
def test_fhirpath_js_agrees_with_the_card(form_name, tmp_path):
    made = list(cases(form_name))
    listed = [{"rules": expressions(form), "people": [answers for _, answers, _ in people]} for _, form, people in made]
    (tmp_path / "cases.json").write_text(json.dumps(listed, default=float), encoding="utf-8")
    done = subprocess.run(
        [command("node"), "-e", RUNNER, "--", str(tmp_path / "cases.json")],
        capture_output=True, text=True, env=node_environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    scored = 0
    for (card, _, people), found in zip(made, results, strict=True):
        for (person, answers, total), one in zip(people, found, strict=True):
            assert agrees(card, total, one), (person, answers, total, one)
            scored += total is not None
    assert scored > 60


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("person", [
    {"age": 70, "diabetes": True, "creatinine": None}, {"age": 49.9, "diabetes": False, "creatinine": 1.3},
])  # fmt: skip
def test_a_response_has_the_answers_and_what_the_form_makes_of_them(form, person):
    response = json.loads(fhir_response(ADMISSION.card, person, form=form), parse_float=Decimal)
    QuestionnaireResponse.model_validate(response)
    made = json.loads(to_fhir(ADMISSION.card, form=form))
    assert response["questionnaire"] == f"{made['url']}|{made['version']}"
    links = [link for link, _, _ in expressions(made)]
    found = calculate(compiled(made), [one for one in response["item"] if one["linkId"] not in links])
    stored = {one["linkId"]: next(iter(one["answer"][0].values())) for one in response["item"]}
    assert found == {link: stored[link] for link in links}
    assert stored["total"] == ADMISSION.total(person)


@pytest.mark.parametrize("form", FORMS)
def test_a_form_has_no_total_until_every_question_is_answered(form):
    made = FhirForm.of(ADMISSION.card, form, None, "1")
    rules = compiled(made.questionnaire("draft"))
    person = {"age": 70, "diabetes": True, "creatinine": 2.0}
    answers = [made.answer(question, person[question.expected.column]) for question in made.questions]
    assert calculate(rules, answers) == {"total": 9, "risk": Decimal("0.58"), "class": "high"}
    for left_out in range(3):
        some = answers[:left_out] + answers[left_out + 1 :]
        assert set(calculate(rules, some).values()) == {None}


def test_a_changed_point_is_seen():
    text = to_fhir(ADMISSION.card, form="values").replace(">= 65, 4,", ">= 65, 5,")
    form = FhirForm.of(ADMISSION.card, "values", None, "1")
    answers = [
        form.answer(q, {"age": 70, "diabetes": True, "creatinine": 2.0}[q.expected.column]) for q in form.questions
    ]
    assert not agrees(ADMISSION.card, Fraction(9), calculate(compiled(json.loads(text)), answers))


def test_units_are_those_of_ucum_and_others_stand_in_the_text():
    card = ScoringSystem.of(
        [item("age", at_least=65, points=1, unit="years"), item("cells", at_least=3, points=1, unit="per field")],
        threshold=1,
    ).card
    age, cells, *_ = json.loads(to_fhir(card, form="values"))["item"]
    assert age["extension"][0]["valueCoding"]["code"] == "a"
    assert "extension" not in cells
    assert cells["text"] == "Cells (per field)"


def test_points_stand_on_the_options_and_not_in_their_texts():
    age = json.loads(to_fhir(ADMISSION.card))["item"][0]
    points = [option["extension"][0]["valueDecimal"] for option in age["answerOption"]]
    texts = [option["valueCoding"]["display"] for option in age["answerOption"]]
    assert points == [0, 2, 4]
    assert texts == ["under 50", "50 to under 65", "65 or older"]


def test_a_card_with_many_categories_is_a_form_of_choices():
    towns = [f"town {k}" for k in range(120)]
    card = ScoringSystem.of([item("town", one_of=towns[:60], points=1)], threshold=1, domains={"town": towns}).card
    with pytest.raises(UnsupportedCardError, match=r"'town' has 12.* categories.*form='choices'"):
        to_fhir(card, form="values")
    assert len(json.loads(to_fhir(card))["item"][0]["answerOption"]) == 2


@pytest.mark.parametrize(
    ("options", "named"), [({"form": "paper"}, "form"), ({"status": "final"}, "status"), ({"url": 3}, "url")]
)
def test_options_are_checked(options, named):
    with pytest.raises(InvalidOptionError, match=named):
        to_fhir(ADMISSION.card, **options)


def test_a_limit_is_no_number_that_is_typed_in():
    with pytest.raises(InvalidDataError, match=r"'creatinine' is a limit.*choices"):
        fhir_response(ADMISSION.card, {"age": 70, "diabetes": True, "creatinine": float("-inf")}, form="values")


@needs_shared_data
def test_the_reference_cases_of_the_values_form():
    system = ScoringSystem.load(SHARED.parent / "reach" / "admission-card.json")
    rules = compiled(json.loads(system.export("fhir", form="values")))
    listed = json.loads(
        (SHARED.parent / "reach" / "example-cases.json").read_text(encoding="utf-8"), parse_float=Decimal
    )
    listed = [case for case in listed if case["form"] == "values"]
    assert len(listed) == 126
    for case in listed:
        found = list(calculate(rules, case["response"]["item"]).values())
        assert [v if isinstance(v, str | int | None) else float(v) for v in found] == [
            v if isinstance(v, str | int) else float(v) for v in case["expected"] or []
        ] or [None] * 3


@pytest.mark.long
@pytest.mark.parametrize("form_name", FORMS)
@pytest.mark.parametrize(
    "load", [load_breast_cancer, load_haberman, load_mammography, load_tic_tac_toe], ids=lambda load: load.__name__
)
def test_every_training_row_of_a_small_table_gets_the_total_of_the_card(load, form_name):
    data = load()
    X = pd.DataFrame(data.X, columns=data.feature_names)
    system = RiskScoreClassifier(teacher="ridge", time_limit=20).fit(X, data.labels).scoring_system_
    card = as_typed(system.card)
    form = FhirForm.of(card, form_name, None, "1")
    rules = compiled(json.loads(to_fhir(card, form=form_name)))
    rows = X[list(card.columns)].drop_duplicates()
    totals = system.total(rows)
    for person, total in zip(rows.to_dict("records"), totals, strict=True):
        answers, complete = answers_of(form, card, person)
        assert complete
        assert agrees(card, Fraction(float(total)), calculate(rules, answers))
