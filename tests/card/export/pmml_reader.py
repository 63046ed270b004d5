"""A small reader of PMML scorecards, written from the standard and knowing nothing of how they are made.

It knows the elements that a scorecard of yes-or-no predicates and multiplied values needs. What it does not
know, it refuses, so that a document is never read in part.
"""

import math
import operator
import re
from dataclasses import dataclass
from itertools import pairwise
from xml.etree import ElementTree as ET

NAMESPACE = "{http://www.dmg.org/PMML-4_4}"
COMPARE = {
    "equal": operator.eq, "greaterThan": operator.gt, "greaterOrEqual": operator.ge,
    "lessThan": operator.lt, "lessOrEqual": operator.le,
}  # fmt: skip
APPLY = {
    "*": operator.mul, "/": operator.truediv, "+": operator.add, "-": operator.sub, "equal": operator.eq,
    "round": lambda x: math.floor(x + 0.5), "exp": lambda x: math.exp(x) if x < 700 else math.inf,
    "if": lambda test, yes, no: yes if test else no,
}  # fmt: skip
# of each element: the attributes it must have, those it may have, and a pattern of its children
SHAPES = {
    "PMML": ({"version"}, set(), "Header DataDictionary Scorecard"),
    "Header": (set(), set(), "Application"),
    "Application": ({"name"}, set(), ""),
    "DataDictionary": ({"numberOfFields"}, set(), "DataField*"),
    "DataField": ({"name", "optype", "dataType"}, set(), "Interval* Value*"),
    "Value": ({"value"}, {"property"}, ""),
    "Interval": ({"closure"}, {"leftMargin", "rightMargin"}, ""),
    "Scorecard": (
        {"functionName", "initialScore", "useReasonCodes"}, set(), "MiningSchema Output Characteristics",
    ),
    "MiningSchema": (set(), set(), "MiningField*"),
    "MiningField": ({"name", "missingValueTreatment", "invalidValueTreatment"}, set(), ""),
    "Output": (set(), set(), "OutputField*"),
    "OutputField": (
        {"name", "optype", "dataType", "feature"}, set(), "(Apply | Discretize | NormContinuous)?",
    ),
    "NormContinuous": ({"field", "outliers"}, set(), "LinearNorm LinearNorm+"),
    "LinearNorm": ({"orig", "norm"}, set(), ""),
    "Apply": ({"function"}, set(), "(Constant | Apply | FieldRef)+"),
    "Constant": ({"dataType"}, set(), ""),
    "FieldRef": ({"field"}, set(), ""),
    "Discretize": ({"field"}, set(), "DiscretizeBin*"),
    "DiscretizeBin": ({"binValue"}, set(), "Interval"),
    "Characteristics": (set(), set(), "Characteristic+"),
    "Characteristic": ({"name"}, set(), "Attribute+"),
    "Attribute": (
        set(), {"partialScore"}, "(SimplePredicate | CompoundPredicate | True) ComplexPartialScore?",
    ),
    "SimplePredicate": ({"field", "operator"}, {"value"}, ""),
    "CompoundPredicate": ({"booleanOperator"}, set(), "SimplePredicate+"),
    "True": (set(), set(), ""),
    "ComplexPartialScore": (set(), set(), "Apply"),
}  # fmt: skip


def tag(element):
    assert element.tag.startswith(NAMESPACE), element.tag
    return element.tag.removeprefix(NAMESPACE)


def check_shape(element):
    """Each element is known, has its attributes, and its children stand in the order of the standard."""
    needed, allowed, children = SHAPES[tag(element)]
    assert needed <= set(element.attrib) <= needed | allowed, (tag(element), element.attrib)
    pattern = re.sub(r"\w+", r"(?:\g<0>,)", children).replace(" ", "")
    found = "".join(f"{tag(child)}," for child in element)
    assert re.fullmatch(pattern, found), (tag(element), found)
    for child in element:
        check_shape(child)


@dataclass
class Result:
    total: float | None
    label: str | None
    risk: float | None = None


class Scorecard:
    """A document, ready to be evaluated."""

    def __init__(self, document):
        root = ET.fromstring(document.encode("utf-8"))
        check_shape(root)
        assert root.get("version") == "4.4"
        dictionary = root.find(f"{NAMESPACE}DataDictionary")
        self.fields = {field.get("name"): field for field in dictionary}
        assert len(self.fields) == len(dictionary) == int(dictionary.get("numberOfFields"))
        self.model = root.find(f"{NAMESPACE}Scorecard")
        assert (self.model.get("functionName"), self.model.get("useReasonCodes")) == ("regression", "false")
        self.mining = {e.get("name"): e for e in self.model.find(f"{NAMESPACE}MiningSchema")}
        assert self.mining.keys() == self.fields.keys()

    def evaluate(self, person):
        """Return the outputs for one record; None where the standard says that the result is invalid."""
        record = {}
        for name, field in self.fields.items():
            value, treat = person[name], self.mining[name]
            as_held = float if field.get("dataType") == "double" else str
            kinds = {as_held(v.get("value")): v.get("property", "valid") for v in _children(field, "Value")}
            if value is None or value != value or kinds.get(value) == "missing":
                if treat.get("missingValueTreatment") == "returnInvalid":
                    return Result(None, None)
                record[name] = None
                continue
            if not _is_valid(value, field, kinds) and treat.get("invalidValueTreatment") == "returnInvalid":
                return Result(None, None)
            record[name] = float(value) if field.get("dataType") == "double" else value
        total = float(self.model.get("initialScore"))
        for characteristic in self.model.find(f"{NAMESPACE}Characteristics"):
            total += _partial_score(characteristic, record)
        return self._outputs(total)

    def _outputs(self, total):
        found = {}
        for field in self.model.find(f"{NAMESPACE}Output"):
            if field.get("feature") == "predictedValue":
                found[field.get("name")] = total
                continue
            assert field.get("feature") == "transformedValue"
            (how,) = field
            how_of = {"Apply": _expression, "Discretize": _bin, "NormContinuous": _line}
            found[field.get("name")] = how_of[tag(how)](how, found)
        return Result(found["total"], found["class"], found.get("risk"))


def _children(element, name):
    return element.findall(NAMESPACE + name)


def _is_valid(value, field, kinds):
    intervals = _children(field, "Interval")
    valid = [v for v, kind in kinds.items() if kind == "valid"]
    if intervals:
        return any(_inside(float(value), interval) for interval in intervals)
    return not valid or value in valid


def _inside(value, interval):
    closure = interval.get("closure")
    low, high = (float(interval.get(m, d)) for m, d in (("leftMargin", "-inf"), ("rightMargin", "inf")))
    above = value >= low if closure.startswith("closed") else value > low
    below = value <= high if closure.endswith("Closed") else value < high
    return above and below


def _partial_score(characteristic, record):
    for attribute in characteristic:
        predicate, *more = attribute
        if _holds(predicate, record):
            if more:
                assert attribute.get("partialScore") is None
                return _expression(more[0][0], record)
            return float(attribute.get("partialScore"))
    raise AssertionError(f"no attribute of {characteristic.get('name')} holds")


def _holds(predicate, record):
    if tag(predicate) == "True":
        return True
    if tag(predicate) == "CompoundPredicate":
        return {"and": all, "or": any}[predicate.get("booleanOperator")](_holds(p, record) for p in predicate)
    value, asked = record[predicate.get("field")], predicate.get("operator")
    if asked in ("isMissing", "isNotMissing"):
        return (value is None) == (asked == "isMissing")
    if value is None:
        return False  # unknown
    other = predicate.get("value")
    return COMPARE[asked](value, float(other) if isinstance(value, float) else other)


def _expression(element, record):
    if tag(element) == "Constant":
        return float(element.text)
    if tag(element) == "FieldRef":
        return record[element.get("field")]
    return APPLY[element.get("function")](*(_expression(child, record) for child in element))


def _bin(discretize, record):
    value = record[discretize.get("field")]
    (label,) = [b.get("binValue") for b in discretize if _inside(value, b[0])]
    return label


def _line(norm, record):
    assert norm.get("outliers") == "asExtremeValues"
    value = record[norm.get("field")]
    points = [(float(p.get("orig")), float(p.get("norm"))) for p in norm]
    assert points == sorted(points, key=lambda p: p[0])
    for (a, at_a), (b, at_b) in pairwise(points):
        if a <= value <= b:
            return at_a + (value - a) / (b - a) * (at_b - at_a)
    return points[0][1] if value < points[0][0] else points[-1][1]
