"""A card as a PMML 4.4 Scorecard.

The model's own prediction, `units`, is the total in whole units; the outputs `total`, `class` and, if the card has
risks, `risk` are derived from it. A row that the card refuses is invalid input, which engines report each in their way.
PMML has no word for a fraction that is refused, nor for infinite numbers, which are not checked.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from xml.etree import ElementTree as ET

from supersparse.base.errors import UnsupportedCardError
from supersparse.card.card import Card
from supersparse.card.export.plan import (
    Cut,
    CutTable,
    ExportColumn,
    ExportPlan,
    ExportTerm,
    double_equal_to,
    plan,
    risk_lines,
)
from supersparse.card.risk import Risk, TableRisk

_NAMESPACE = "http://www.dmg.org/PMML-4_4"
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OUTPUTS = ("units", "total", "class", "risk")


def to_pmml(card: Card, *, decimals: int | Mapping[str, int] | None = None) -> str:
    """Return the document; `decimals` as in `supersparse.card.export.plan`."""
    ready = plan(card, "PMML", decimals)
    root = ET.Element("PMML", {"version": "4.4", "xmlns": _NAMESPACE})
    ET.SubElement(ET.SubElement(root, "Header"), "Application", name="supersparse")
    dictionary = ET.SubElement(root, "DataDictionary", numberOfFields=str(len(ready.columns)))
    for column in ready.columns:
        _field(dictionary, column)
    model = ET.SubElement(root, "Scorecard", functionName="regression", initialScore="0", useReasonCodes="false")
    schema = ET.SubElement(model, "MiningSchema")
    for column in ready.columns:
        ET.SubElement(
            schema,
            "MiningField",
            name=column.name,
            missingValueTreatment="returnInvalid" if column.refuses_missing else "asIs",
            invalidValueTreatment="asIs" if column.known is None and column.limits is None else "returnInvalid",
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
    odd = _NOT_XML.search(text)
    if odd:
        raise UnsupportedCardError(f"{text!r} has the character {odd[0]!r}, which XML does not allow")
    return text


def _field(dictionary: ET.Element, column: ExportColumn) -> None:
    if not column.name or column.name in _OUTPUTS:
        raise UnsupportedCardError(
            f"the column name {column.name!r} is reserved in the PMML model", "rename the column"
        )
    if column.whole:
        raise UnsupportedCardError(
            f"column {column.name!r} refuses fractions, which PMML cannot express", "set its domain to accept them"
        )
    if column.is_text or column.holds_anything:
        field = ET.SubElement(dictionary, "DataField", name=_text(column.name), optype="categorical", dataType="string")
        for text in column.known or ():
            ET.SubElement(field, "Value", value=_text(str(text)))
        numbers = () if column.is_text else column.missing_numbers
        codes = dict.fromkeys(["", *column.missing_texts, *map(repr, numbers)])
        for text in codes:
            ET.SubElement(field, "Value", value=_text(text), property="missing")
        return
    field = ET.SubElement(dictionary, "DataField", name=_text(column.name), optype="continuous", dataType="double")
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
    for number in column.missing_numbers:
        ET.SubElement(field, "Value", value=repr(number), property="missing")


def _interval(field: ET.Element, cuts: CutTable) -> None:
    low, high = ("open" if cut is None or not cut.included else "closed" for cut in (cuts.low, cuts.high))
    margins = {"leftMargin": cuts.low, "rightMargin": cuts.high}
    ends = {name: repr(cut.value) for name, cut in margins.items() if cut is not None}
    ET.SubElement(field, "Interval", {"closure": low + high.capitalize(), **ends})


def _outputs(model: ET.Element, ready: ExportPlan) -> None:
    output, card = ET.SubElement(model, "Output"), ready.card
    _output(output, "units", "continuous", "double", "predictedValue")
    total = _apply(_output(output, "total", "continuous", "double", "transformedValue"), "/")
    _reference(total, "units")
    _constant(total, ready.scale)
    chosen = ET.SubElement(
        _output(output, "class", "categorical", "string", "transformedValue"), "Discretize", field="units"
    )
    limit = float(ready.threshold)
    # labels stand in attributes: there, engines keep spaces, line breaks and entities as they are
    for label, cuts in (
        (card.positive, CutTable(low=Cut(limit, ready.reached), high=None)),
        (card.negative, CutTable(low=None, high=Cut(limit, not ready.reached))),
    ):
        _interval(ET.SubElement(chosen, "DiscretizeBin", binValue=_text(str(label))), cuts)
    if card.risk is not None:
        _risk(_output(output, "risk", "continuous", "double", "transformedValue"), card.risk)


def _risk(output: ET.Element, risk: Risk) -> None:
    if isinstance(risk, TableRisk):
        lines = risk_lines(risk)
        points = [(line.start, line.start_risk) for line in lines]
        points += [(line.end, line.end_risk) for line in lines[-1:]]
        if not points:  # a table of one total; a standard of PMML needs two
            points = [(float(risk.totals[0]) + step, risk.risks[0]) for step in (0, 1)]
        table = ET.SubElement(output, "NormContinuous", field="total", outliers="asExtremeValues")
        for total, one in points:
            ET.SubElement(table, "LinearNorm", orig=repr(total), norm=repr(one))
        return
    quotient = _apply(output, "/")
    _constant(quotient, 1)
    below = _apply(quotient, "+")
    _constant(below, 1)
    power = _apply(_apply(below, "exp"), "-")
    _constant(power, -risk.offset)
    product = _apply(power, "*")
    _constant(product, risk.slope)
    _reference(product, "total")


def _output(parent: ET.Element, name: str, optype: str, kind: str, feature: str) -> ET.Element:
    return ET.SubElement(parent, "OutputField", name=name, optype=optype, dataType=kind, feature=feature)


def _apply(parent: ET.Element, function: str) -> ET.Element:
    return ET.SubElement(parent, "Apply", function=function)


def _reference(parent: ET.Element, field: str) -> None:
    ET.SubElement(parent, "FieldRef", field=field)


def _constant(parent: ET.Element, value: float) -> None:
    ET.SubElement(parent, "Constant", dataType="double").text = repr(value)


def _characteristic(parent: ET.Element, term: ExportTerm) -> None:
    """Attributes are tried in order; the first that holds gives its partial score."""
    name = term.column.name
    if term.missing is not None:
        gone = ET.SubElement(parent, "Attribute", partialScore=str(term.missing))
        ET.SubElement(gone, "SimplePredicate", field=name, operator="isMissing")
    if term.is_value:
        attribute = ET.SubElement(parent, "Attribute")
        ET.SubElement(attribute, "SimplePredicate", field=name, operator="isNotMissing")
        product = _apply(ET.SubElement(attribute, "ComplexPartialScore"), "*")
        _constant(product, term.points)
        _value(product, name, 10**term.column.decimals)
    elif not term.asks_missing:
        _condition(parent, term)
    rest = str(term.points if term.excludes else 0)
    ET.SubElement(ET.SubElement(parent, "Attribute", partialScore=rest), "True")


def _value(parent: ET.Element, name: str, unit: int) -> None:
    """The value in its units: a whole number if that is exact, see `supersparse.card.export.plan`."""
    if unit == 1:
        _reference(parent, name)
        return
    either = _apply(parent, "if")
    exact = _apply(either, "equal")
    quotient = _apply(exact, "/")
    _scaled(_apply(quotient, "round"), name, unit)
    _constant(quotient, unit)
    _reference(exact, name)
    _scaled(_apply(either, "round"), name, unit)
    _scaled(either, name, unit)


def _scaled(parent: ET.Element, name: str, unit: int) -> None:
    product = _apply(parent, "*")
    _constant(product, unit)
    _reference(product, name)


def _condition(parent: ET.Element, term: ExportTerm) -> None:
    if term.cuts is not None:
        sides = ((term.cuts.low, "greater"), (term.cuts.high, "less"))
        tests = [(w + ("OrEqual" if c.included else "Than"), repr(c.value)) for c, w in sides if c is not None]
    else:
        tests = [("equal", _text(text)) for text in term.texts] + [("equal", repr(n)) for n in term.numbers]
    if not tests:  # no double equals any of the categories
        return
    holder = ET.SubElement(parent, "Attribute", partialScore=str(0 if term.excludes else term.points))
    if len(tests) > 1:
        either = "and" if term.cuts is not None else "or"
        holder = ET.SubElement(holder, "CompoundPredicate", booleanOperator=either)
    for operator, value in tests:
        ET.SubElement(holder, "SimplePredicate", field=term.column.name, operator=operator, value=value)
