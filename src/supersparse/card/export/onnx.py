"""A card as an ONNX model; the package onnx is loaded when used.

Each column is an input of shape [rows, 1], of doubles or of strings; NaN and the empty string are missing. The outputs
have the same shape: `total`, NaN where the card refuses the row; `positive`, 1 or 0, and -1 where it is refused;
`label`, the class as text, empty where it is refused; and `risk`, NaN where it is refused, if the card has risks.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import count
from typing import Any

from supersparse.base.errors import PackageNotInstalledError, UnsupportedCardError
from supersparse.card.card import Card
from supersparse.card.export.plan import (
    Cut,
    CutTable,
    ExportColumn,
    ExportPlan,
    ExportTerm,
    double_equal_to,
    plain_text,
    plan,
    risk_lines,
)
from supersparse.card.risk import LogisticRisk, Risk

_LARGEST = 1.7976931348623157e308
_OUTPUTS = {"total": "DOUBLE", "positive": "INT64", "label": "STRING", "risk": "DOUBLE"}


def to_onnx(card: Card, *, decimals: int | Mapping[str, int] | None = None) -> bytes:
    """Return the model as bytes, for onnxruntime and others; `decimals` as in `export.plan`."""
    try:
        import onnx
    except ImportError as error:
        raise PackageNotInstalledError("the ONNX export needs onnx: pip install onnx") from error
    ready = plan(card, "ONNX", decimals)
    if not ready.columns:
        raise UnsupportedCardError("the card has no items, but an ONNX model needs an input")
    for column in ready.columns:
        plain_text(column.name, "a column's name", "ONNX")
        if not column.name or column.name in _OUTPUTS:
            raise UnsupportedCardError(
                f"the column name {column.name!r} is reserved in the ONNX model", "rename the column"
            )
    graph = _Graph(onnx, ready)
    graph.build()
    made: bytes = graph.model().SerializeToString()
    return made


class _Graph:
    """Adds nodes one by one; every method returns the name of its result."""

    def __init__(self, onnx: Any, ready: ExportPlan) -> None:
        self.onnx, self.ready = onnx, ready
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        taken = {column.name for column in ready.columns}
        self.names = (name for i in count() if (name := f"n{i}") not in taken)
        self.gone: dict[str, str] = {}

    def op(self, kind: str, *inputs: str, output: str | None = None, **settings: object) -> str:
        output = output or next(self.names)
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [output], **settings))
        return output

    def number(self, value: float) -> str:
        return self.constant("DOUBLE", float(value))

    def constant(self, kind: str, value: object) -> str:
        name, helper = next(self.names), self.onnx.helper
        self.constants.append(helper.make_tensor(name, getattr(self.onnx.TensorProto, kind), [1, 1], [value]))
        return name

    def build(self) -> None:
        for column in self.ready.columns:
            self.gone[column.name] = self.missing(column)
        units = self.number(0)
        for term in self.ready.terms:
            units = self.op("Add", units, self.term(term))
        refused = self.constant("BOOL", False)
        for test in [test for column in self.ready.columns for test in self.refusals(column)]:
            refused = self.op("Or", refused, test)
        compare = "GreaterOrEqual" if self.ready.reached else "Greater"
        above = self.op(compare, units, self.number(self.ready.threshold))
        positive = self.op("Cast", above, to=self.kind("INT64"))
        self.op("Where", refused, self.constant("INT64", -1), positive, output="positive")
        total = self.op("Div", units, self.number(self.ready.scale))
        card = self.ready.card
        self.op("Where", refused, self.number(float("nan")), total, output="total")
        if card.risk is not None:
            risk = self.risk(card.risk, total)
            self.op("Where", refused, self.number(float("nan")), risk, output="risk")
        labels = ["", *(plain_text(str(c), "a class", "ONNX") for c in card.classes)]
        self.op(
            "LabelEncoder", "positive", output="label", domain="ai.onnx.ml",
            keys_int64s=[-1, 0, 1], values_strings=labels, default_string="",
        )  # fmt: skip

    def risk(self, risk: Risk, total: str) -> str:
        if isinstance(risk, LogisticRisk):
            slope, offset = self.number(risk.slope), self.number(risk.offset)
            return self.op("Sigmoid", self.op("Add", self.op("Mul", total, slope), offset))
        risk_of_total = self.number(risk.risks[-1])
        for line in reversed(risk_lines(risk)):
            away = self.op("Sub", total, self.number(line.start))
            rise = self.op("Mul", away, self.number(line.slope))
            on_line = self.op("Add", rise, self.number(line.start_risk))
            risk_of_total = self.op(
                "Where", self.op("LessOrEqual", total, self.number(line.end)), on_line, risk_of_total
            )
        first = self.op("LessOrEqual", total, self.number(float(risk.totals[0])))
        return self.op("Where", first, self.number(risk.risks[0]), risk_of_total)

    def kind(self, name: str) -> int:
        return int(getattr(self.onnx.TensorProto, name))

    def missing(self, column: ExportColumn) -> str:
        if column.is_text:
            return self.among(column, ("", *column.missing_texts), ())
        gone = self.op("IsNaN", column.name)
        if not column.missing_numbers:
            return gone
        return self.op("Or", gone, self.among(column, (), column.missing_numbers))

    def term(self, term: ExportTerm) -> str:
        x = term.column.name
        gone = self.gone[x]
        if term.asks_missing:
            return self.op("Where", gone, self.number(term.points), self.number(0))
        if term.is_value:
            value = x
            if term.column.decimals:
                unit = self.number(10**term.column.decimals)
                scaled = self.op("Mul", x, unit)
                rounded = self.op("Round", scaled)
                exact = self.op("Equal", self.op("Div", rounded, unit), x)
                value = self.op("Where", exact, rounded, scaled)
            points = self.op("Mul", value, self.number(term.points))
        else:
            holds = (
                self.within(x, term.cuts)
                if term.cuts is not None
                else self.among(term.column, term.texts, term.numbers)
            )
            if term.excludes:
                holds = self.op("Not", holds)
            points = self.op("Where", holds, self.number(term.points), self.number(0))
        return self.op("Where", gone, self.number(term.missing or 0), points)

    def among(self, column: ExportColumn, texts: tuple[str, ...], numbers: tuple[float, ...]) -> str:
        if column.is_text:
            known = [plain_text(t, f"a category of {column.name!r}", "ONNX") for t in texts]
            if not known:
                return self.op("And", self.constant("BOOL", False), self.gone[column.name])
            is_among = self.op(
                "LabelEncoder", column.name, domain="ai.onnx.ml",
                keys_strings=known, values_int64s=[1] * len(known), default_int64=0,
            )  # fmt: skip
            return self.op("Cast", is_among, to=self.kind("BOOL"))
        is_among = self.op("And", self.constant("BOOL", False), self.op("IsNaN", column.name))
        for number in numbers:
            is_among = self.op("Or", is_among, self.op("Equal", column.name, self.number(number)))
        return is_among

    def within(self, x: str, cuts: CutTable) -> str:
        tests = [self.compared(x, cut, kind) for cut, kind in ((cuts.low, "Greater"), (cuts.high, "Less")) if cut]
        return tests[0] if len(tests) == 1 else self.op("And", *tests)

    def compared(self, x: str, cut: Cut, kind: str) -> str:
        return self.op(kind + ("OrEqual" if cut.included else ""), x, self.number(cut.value))

    def refusals(self, column: ExportColumn) -> list[str]:
        gone = self.gone[column.name]
        there = self.op("Not", gone)
        tests = [self.op("And", there, test) for test in self.wrong(column)]
        return [gone, *tests] if column.refuses_missing else tests

    def wrong(self, column: ExportColumn) -> list[str]:
        x, tests = column.name, []
        if not column.is_text and column.needs_value:
            tests.append(self.op("Greater", self.op("Abs", x), self.number(_LARGEST)))
        if column.known is not None:
            texts = tuple(v for v in column.known if isinstance(v, str))
            numbers = [double_equal_to(Fraction(v)) for v in column.known if not isinstance(v, str)]
            tests.append(self.op("Not", self.among(column, texts, tuple(n for n in numbers if n is not None))))
        if column.limits is not None:
            tests.append(self.op("Not", self.within(x, column.limits)))
        if column.whole:
            tests.append(self.op("Not", self.op("Equal", x, self.op("Floor", x))))
        return tests

    def model(self) -> Any:
        helper, shape = self.onnx.helper, ["rows", 1]
        inputs = [
            helper.make_tensor_value_info(c.name, self.kind("STRING" if c.is_text else "DOUBLE"), shape)
            for c in self.ready.columns
        ]
        outputs = [
            helper.make_tensor_value_info(name, self.kind(kind), shape)
            for name, kind in _OUTPUTS.items()
            if name != "risk" or self.ready.card.risk is not None
        ]
        graph = helper.make_graph(self.nodes, "scoring_system", inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
        model = helper.make_model(graph, opset_imports=opsets, producer_name="supersparse", ir_version=8)
        self.onnx.checker.check_model(model)
        return model
