"""The PMML document obeys its schema, and a PMML engine agrees with the card."""

import io
import math
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from card.export.people import as_typed, check, drawn, finite
from card.export.pmml_reader import Scorecard
from cards import HOSTILE
from programs import needs
from supersparse import ScoringSystem, item
from supersparse.card.export.pmml import to_pmml
from supersparse.errors import UnsupportedCardError


def written(card):
    """The document, or None for a card that PMML has no words for."""
    try:
        return to_pmml(card)
    except UnsupportedCardError:
        return None


def test_a_reader_of_the_standard_agrees_with_the_card():
    read = 0
    for card, _, group in drawn():
        document = written(card)
        if document is None:
            continue
        scorecard, read = Scorecard(document), read + 1
        for person in finite(group):
            found = scorecard.evaluate(person)
            check(as_typed(card), person, found.total, found.label, found.risk)
    assert read > 30


@pytest.mark.parametrize(
    ("given", "changed"),
    [("<Output>", "<Targets /><Output>"), ("lessThan", "isBelow"), ('useReasonCodes="false"', ""),
     ("<True />", ""), ('numberOfFields="1"', 'numberOfFields="2"')],
)  # fmt: skip
def test_the_reader_refuses_what_it_does_not_know(given, changed):
    document = to_pmml(ScoringSystem.of([item("age", below=60, points=1)], above=0).card)
    assert Scorecard(document).evaluate({"age": 50}).label == "yes"
    assert given in document
    with pytest.raises((AssertionError, KeyError, ValueError)):
        Scorecard(document.replace(given, changed)).evaluate({"age": 70})


@pytest.fixture(scope="session")
def engine():
    return pytest.importorskip("pypmml", reason="pypmml is not installed").Model


@needs("Java")
def test_a_pmml_engine_agrees_with_the_card(engine):
    made = [(card, written(card), group) for card, _, group in drawn()]
    assert sum(document is not None for _, document, _ in made) > 30
    for card, document, group in made:
        if document is not None:
            model = engine.fromString(document)
            for person in finite(group):
                found = model.predict(person)
                total, risk = (found.get(name) for name in ("total", "risk"))
                check(as_typed(card), person, known(total), found["class"], known(risk))


def known(number):
    return None if number is None or math.isnan(number) else number


@pytest.fixture(scope="session")
def schema():
    """The schema of PMML 4.4, which the package jpmml_evaluator carries."""
    from lxml import etree

    spec = find_spec("jpmml_evaluator")
    jars = (Path(spec.origin).parent / "dependencies").glob("pmml-model-[0-9]*.jar")
    with zipfile.ZipFile(next(jars)) as jar:
        return etree.XMLSchema(etree.parse(io.BytesIO(jar.read("pmml.xsd"))))


@needs("the schema of PMML")
def test_the_document_obeys_the_schema(schema):
    from lxml import etree

    for card, _, _ in drawn():
        document = written(card)
        if document is not None:
            schema.assertValid(etree.fromstring(document.encode("utf-8")))


@pytest.mark.parametrize("text", [t for t in HOSTILE if t.strip()])
def test_hostile_text_comes_back_or_is_refused(text):
    from xml.etree import ElementTree

    card = ScoringSystem.of([item(text, equals=text, points=1)], above=0).card
    document = written(card)
    if document is None:
        assert any(c in text for c in "\x00\x1b\ud800")
        return
    root = ElementTree.fromstring(document)
    fields = [e.get("name") for e in root.iter("{http://www.dmg.org/PMML-4_4}DataField")]
    values = [e.get("value") for e in root.iter("{http://www.dmg.org/PMML-4_4}SimplePredicate")]
    assert (fields, values) == ([text], [text])


def test_names_that_pmml_needs_itself_are_refused():
    card = ScoringSystem.of([item("class", points=1)], above=0).card
    with pytest.raises(UnsupportedCardError, match="'class'"):
        to_pmml(card)
