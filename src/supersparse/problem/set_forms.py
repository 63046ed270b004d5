"""Forms of coefficient sets and of levels."""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from supersparse.base.errors import InvalidProblemError
from supersparse.base.schema.scalars import NOTHING, Form, Nothing, NumberForm, Plain, Schema, plain_number
from supersparse.base.schema.shapes import Field, ListOf, Record
from supersparse.base.schema.tree import FileNode, Items, Made, Scalar
from supersparse.problem.penalties import Levels
from supersparse.problem.points import CoefficientSet, integers, one_digit, two_digits

_RANGE = re.compile(r"(-?(?:0|[1-9][0-9]{0,17}))\.\.(-?(?:0|[1-9][0-9]{0,17}))")
_CALL = re.compile(r"(integers|non_negative|non_positive)\((\d+)\)")
_DIGITS = re.compile(r"(one_digit|two_digits)\((-?(?:0|[1-9][0-9]{0,2}))\.\.(-?(?:0|[1-9][0-9]{0,2}))\)")
_WITH_EXPONENTS = {"one_digit": one_digit, "two_digits": two_digits}
_NAMED = {"one_digit": cache(one_digit), "two_digits": cache(two_digits)}


class SetForm(Form[CoefficientSet]):
    """A coefficient set: a range of whole numbers, a list of values, or a named set."""

    wanted = "a range such as -5..5, a list such as [-1, 0, 1], 'one_digit', 'two_digits' or one_digit(-4..2)"
    widget = "set"

    def __init__(self) -> None:
        self._list = ListOf(NumberForm(), self.wanted, least=1)

    def fits(self, node: FileNode) -> bool:
        """A scalar, a list, or a `CoefficientSet`."""
        return isinstance(node, Scalar | Items | Made)

    def read(self, node: FileNode, what: str) -> CoefficientSet:
        if isinstance(node, Made) and isinstance(node.value, CoefficientSet):
            return node.value
        if isinstance(node, Items):
            return CoefficientSet.of(self._list.read(node, what))
        if not isinstance(node, Scalar):
            self.refuse(node, what)
        if node.text in _NAMED:
            return _NAMED[node.text]()
        digits = _DIGITS.fullmatch(node.text)
        if digits is not None:
            try:
                return _WITH_EXPONENTS[digits[1]]((int(digits[2]), int(digits[3])))
            except InvalidProblemError as error:
                node.fail_by(error)
        return self._range(node, what)

    def _range(self, node: Scalar, what: str) -> CoefficientSet:
        match = _RANGE.fullmatch(node.text)
        if match is None:
            meant = _meant(node)
            if meant is None:
                self.refuse(node, what)
            node.fail(f"{what} is {node.shown}", f"write {meant} for these whole numbers")
        low, high = int(match[1]), int(match[2])
        if high < low:
            node.fail(f"{what} is {node.shown}, which ends below its start", f"write {high}..{low}")
        return integers(high, smallest=low)

    def convert(self, value: object) -> CoefficientSet | Nothing:
        if isinstance(value, CoefficientSet):
            return value
        values = self._list.convert(value)
        return NOTHING if values is NOTHING else CoefficientSet.of(values)

    def holds(self, value: object) -> bool:
        return isinstance(value, CoefficientSet)

    def write(self, value: CoefficientSet) -> Plain:
        """The shortest of the three."""
        for name, make in _NAMED.items():
            if value == make():
                return name
        low, high = value.least, value.greatest
        if value.denominator == 1 and 1 < len(value) == high - low + 1:
            return f"{low}..{high}"
        return [plain_number(v) for v in value.values]

    def schema(self) -> Schema:
        """A reference, because it is used in many places."""
        return {"$ref": "#/$defs/set"}

    def definition(self) -> Schema:
        return {
            "description": "Values that points may take: " + self.wanted,
            "anyOf": [
                {"type": "string", "pattern": f"^{_RANGE.pattern}$"},
                {"type": "string", "pattern": f"^{_DIGITS.pattern}$"},
                {"enum": list(_NAMED)},
                self._list.schema(),
            ],
        }

    def words(self) -> Sequence[str]:
        return list(_NAMED)


def _meant(node: Scalar) -> str | None:
    """The range that another spelling means."""
    call = _CALL.fullmatch(node.text.replace(" ", ""))
    if call is not None:
        largest = int(call[2])
        low, high = {"integers": (-largest, largest), "non_negative": (0, largest)}.get(call[1], (-largest, 0))
        return f"{low}..{high}"
    number = node.number
    if number is not None and number.denominator == 1 and number > 0:
        return f"-{number}..{number}"
    return None


class LevelsForm(Form[Levels]):
    """Levels of interpretability: sets of values with increasing penalties."""

    wanted = "a list of levels, each with 'values' and 'penalty'"
    widget = "levels"

    def __init__(self) -> None:
        level = Record(
            {
                "values": Field(form=SetForm(), help="values of this level: a coefficient set", required=True),
                "penalty": Field(form=NumberForm(0), help="what a coefficient in it costs", required=True),
            }
        )
        self._list = ListOf(level, self.wanted, least=1)

    def fits(self, node: FileNode) -> bool:
        return isinstance(node, Items | Made)

    def read(self, node: FileNode, what: str) -> Levels:
        if isinstance(node, Made) and isinstance(node.value, Levels):
            return node.value
        levels: list[tuple[CoefficientSet, Fraction]] = [
            (level["values"], level["penalty"]) for level in self._list.read(node, what)
        ]
        try:
            return Levels.of(levels)
        except InvalidProblemError as error:
            node.fail_by(error)

    def holds(self, value: object) -> bool:
        return isinstance(value, Levels)

    def write(self, value: Levels) -> Plain:
        sets = SetForm()
        return [{"values": sets.write(v), "penalty": plain_number(p)} for v, p in value.levels]

    def schema(self) -> Schema:
        """A reference, because it is used in two places."""
        return {"$ref": "#/$defs/levels"}

    def definition(self) -> Schema:
        return {"description": "Values and their penalties, preferred ones first", **self._list.schema()}
