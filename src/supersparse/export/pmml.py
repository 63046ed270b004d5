"""A card as a PMML 4.4 Scorecard.

The model predicts the score in whole units; the outputs `score` and `class` are derived from it. A row that
the card refuses is invalid input, which each engine reports in its own way. PMML cannot express that
fractions are refused. It cannot express infinite numbers either, so these are not checked.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from xml.etree import ElementTree as ET

from supersparse.card.card import Card
from supersparse.errors import UnsupportedCardError
from supersparse.export.plan import Cut, CutTable, ExportColumn, ExportPlan, ExportTerm, double_equal_to, plan

_NAMESPACE = "http://www.dmg.org/PMML-4_4"
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OUTPUTS = ("whole_score", "score", "class")


def to_pmml(card: Card, *, decimals: int | Mapping[str, int] | None = None) -> str:
    """Return the document; `decimals` as in `supersparse.export.plan`."""
    ready = plan(card, "PMML", decimals)
    root = ET.Element("PMML", {"version": "4.4", "xmlns": _NAMESPACE})
    ET.SubElement(ET.SubElement(root, "Header"), "Application", name="supersparse")
    dictionary = ET.SubElement(root, "DataDictionary", numberOfFields=str(len(ready.columns)))
    for column in ready.columns:
        _field(dictionary, column)
    model = ET.SubElement(
        root,
        "Scorecard",
        functionName="regression",
        initialScore=str(ready.intercept),
        useReasonCodes="false",
    )
    schema = ET.SubElement(model, "MiningSchema")
    for column in ready.columns:
        ET.SubElement(
            schema,
            "MiningField",
            name=column.name,
            missingValueTreatment="returnInvalid" if column.refuses_missing else "asIs",
            invalidValueTreatment="asIs"
            if column.known is None and column.limits is None
            else "returnInvalid",
        )
    _outputs(model, ready)
    characteristics = ET.SubElement(model, "Characteristics")
    for number, term in enumerate(ready.terms, start=1):
        _characteristic(ET.SubElement(characteristics, "Characteristic", name=f"item{number}"), term)
    if not ready.terms:
        raise UnsupportedCardError("the card has no items, but a PMML scorecard needs one")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _text(text: str) -> str:
    found = _NOT_XML.search(text)
    if found:
        raise UnsupportedCardError(f"{text!r} has the character {found[0]!r}, which XML does not allow")
    return text


def _field(dictionary: ET.Element, column: ExportColumn) -> None:
    if not column.name or column.name in _OUTPUTS:
        raise UnsupportedCardError(
            f"the column name {column.name!r} is reserved in the PMML model; rename the column"
        )
    if column.whole:
        raise UnsupportedCardError(
            f"column {column.name!r} refuses fractions, which PMML cannot express; let its domain accept"
        )
    holds_anything = not column.needs_value and column.known is None and column.limits is None
    if column.is_text or holds_anything:
        field = ET.SubElement(
            dictionary, "DataField", name=_text(column.name), optype="categorical", dataType="string"
        )
        for text in column.known or ():
            ET.SubElement(field, "Value", value=_text(str(text)))
        ET.SubElement(field, "Value", value="", property="missing")
        return
    field = ET.SubElement(
        dictionary, "DataField", name=_text(column.name), optype="continuous", dataType="double"
    )
    if column.limits is not None:
        _interval(field, column.limits)
    if column.known is not None:
        doubles = [double_equal_to(Fraction(v)) for v in column.known if not isinstance(v, str)]
        for number in doubles:
            if number is None:
                raise UnsupportedCardError(
                    f"a known value of column {column.name!r} is not a decimal that PMML supports"
                )
            _interval(field, CutTable(low=Cut(number, True), high=Cut(number, True)))


def _interval(field: ET.Element, cuts: CutTable) -> None:
    low, high = ("open" if cut is None or not cut.included else "closed" for cut in (cuts.low, cuts.high))
    margins = {"leftMargin": cuts.low, "rightMargin": cuts.high}
    given = {name: repr(cut.value) for name, cut in margins.items() if cut is not None}
    ET.SubElement(field, "Interval", {"closure": low + high.capitalize(), **given})


def _outputs(model: ET.Element, ready: ExportPlan) -> None:
    output = ET.SubElement(model, "Output")
    _output(output, "whole_score", "continuous", "double", "predictedValue")
    score = _apply(_output(output, "score", "continuous", "double", "transformedValue"), "/")
    _reference(score, "whole_score")
    _constant(score, ready.scale)
    card = ready.card
    chosen = ET.SubElement(
        _output(output, "class", "categorical", "string", "transformedValue"),
        "Discretize",
        field="whole_score",
    )
    # labels are attributes, where engines keep spaces, line breaks and entities as they are
    for label, cuts in (
        (card.positive, CutTable(low=Cut(0.0, False), high=None)),
        (card.negative, CutTable(low=None, high=Cut(0.0, True))),
    ):
        _interval(ET.SubElement(chosen, "DiscretizeBin", binValue=_text(str(label))), cuts)


def _output(parent: ET.Element, name: str, optype: str, kind: str, feature: str) -> ET.Element:
    return ET.SubElement(parent, "OutputField", name=name, optype=optype, dataType=kind, feature=feature)


def _apply(parent: ET.Element, function: str) -> ET.Element:
    return ET.SubElement(parent, "Apply", function=function)


def _reference(parent: ET.Element, field: str) -> None:
    ET.SubElement(parent, "FieldRef", field=field)


def _constant(parent: ET.Element, value: int) -> None:
    ET.SubElement(parent, "Constant", dataType="double").text = str(value)


def _characteristic(parent: ET.Element, term: ExportTerm) -> None:
    """Attributes are tried in order; the first that holds gives its partial score."""
    name = term.column.name
    if term.missing is not None:
        gone = ET.SubElement(parent, "Attribute", partialScore=str(term.missing))
        ET.SubElement(gone, "SimplePredicate", field=name, operator="isMissing")
    if term.is_value:
        given = ET.SubElement(parent, "Attribute")
        ET.SubElement(given, "SimplePredicate", field=name, operator="isNotMissing")
        product = _apply(ET.SubElement(given, "ComplexPartialScore"), "*")
        _constant(product, term.points)
        if term.column.decimals:
            product = _apply(_apply(product, "round"), "*")
            _constant(product, 10**term.column.decimals)
        _reference(product, name)
    elif not term.asks_missing:
        _condition(parent, term)
    ET.SubElement(ET.SubElement(parent, "Attribute", partialScore="0"), "True")


def _condition(parent: ET.Element, term: ExportTerm) -> None:
    if term.cuts is not None:
        sides = ((term.cuts.low, "greater"), (term.cuts.high, "less"))
        tests = [
            (w + ("OrEqual" if c.included else "Than"), repr(c.value)) for c, w in sides if c is not None
        ]
    else:
        tests = [("equal", _text(text)) for text in term.texts] + [("equal", repr(n)) for n in term.numbers]
    if not tests:  # no double equals any of the categories
        return
    holder = ET.SubElement(parent, "Attribute", partialScore=str(term.points))
    if len(tests) > 1:
        either = "and" if term.cuts is not None else "or"
        holder = ET.SubElement(holder, "CompoundPredicate", booleanOperator=either)
    for operator, value in tests:
        ET.SubElement(holder, "SimplePredicate", field=term.column.name, operator=operator, value=value)
