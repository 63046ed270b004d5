"""Forms of constraints: one mapping each, named after its function in `supersparse.constraints`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from supersparse.base.errors import InvalidProblemError
from supersparse.base.schema.scalars import (
    NOTHING,
    Either,
    Form,
    LabelForm,
    Nothing,
    Null,
    NumberForm,
    Plain,
    Schema,
    TextForm,
    Whole,
    Word,
    suggest,
)
from supersparse.base.schema.shapes import Field, ListOf, NamesForm, Pair, Record, TableOf
from supersparse.base.schema.tree import ByName, FileMapping, FileNode, Made, label_text
from supersparse.problem.constraints import rates, single, support
from supersparse.problem.constraints.rates import CLASS_OF, Difference, RateConstraint
from supersparse.problem.constraints.single import MaxTotalScore, SameSign, Values
from supersparse.problem.constraints.support import (
    Budget,
    CloseTo,
    Count,
    FixedAnswers,
    MaxFeatures,
    MinFeatures,
    OnlyIf,
    ThresholdsPerVariable,
)
from supersparse.problem.limits import Constraint


class GroupForm(Form[tuple[str, str]]):
    """One group: the name of the grouping and the label, as ``{sex: F}``."""

    wanted = "one group such as {sex: F}"
    widget = "group"

    def __init__(self) -> None:
        self._table = TableOf(LabelForm(), self.wanted)

    def fits(self, node: FileNode) -> bool:
        return isinstance(node, FileMapping)

    def read(self, node: FileNode, what: str) -> tuple[str, str]:
        entries = self._table.read(node, what).entries
        if len(entries) != 1:
            node.fail(f"{what} names {len(entries)} groups", f"give {self.wanted}", subject=what)
        return entries[0]

    def convert(self, value: object) -> tuple[str, str] | Nothing:
        """Only a mapping is a group, as in a file."""
        return NOTHING

    def holds(self, value: object) -> bool:
        return isinstance(value, tuple)

    def write(self, value: tuple[str, str]) -> Plain:
        return {value[0]: value[1]}

    def schema(self) -> Schema:
        return {**self._table.schema(), "maxProperties": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintKind:
    """One kind of constraint: its keys, and how to build it."""

    record: Record
    make: Callable[[Mapping[str, Any]], Constraint]


def _of(help: str = "features by name or pattern") -> Field:
    return Field(form=NamesForm(), help=help, required=True)


def _head(form: Form[Any], help: str) -> Field:
    return Field(form=form, help=help, required=True)


_GROUP = Field(
    form=Either(TextForm("the name of a column of groups"), GroupForm()),
    help="within each group of a column (sex), or within one ({sex: F})",
)


_COUNTS = {
    "at_most": "maximum number of these features",
    "at_least": "minimum number of these features",
    "exactly": "number of these features",
}


def _kind(make: Callable[[Mapping[str, Any]], Constraint], **fields: Field) -> ConstraintKind:
    return ConstraintKind(record=Record(fields), make=make)


def _made_by(function: Callable[..., Constraint], **fields: Field) -> ConstraintKind:
    """A kind whose function takes the first key by position, and the others by their names."""
    head, *others = fields
    return _kind(lambda values: function(values[head], **{k: values[k] for k in others if k in values}), **fields)


def _count(name: str, function: Callable[..., Constraint]) -> ConstraintKind:
    return _made_by(function, **{name: _head(Whole(0), _COUNTS[name]), "of": _of()})


def _rate(name: str, function: Callable[..., Constraint]) -> ConstraintKind:
    words = name.replace("_", " ").replace("max ", "highest acceptable ").replace("min ", "lowest acceptable ")
    return _made_by(function, **{name: _head(NumberForm(0, 1), f"{words}, from 0 to 1"), "group": _GROUP})


_BY_VARIABLE = Either(TableOf(NamesForm(), "features by variable"), NamesForm())
KINDS: dict[str, ConstraintKind] = {
    "must_use": _made_by(single.must_use, must_use=_of("features that are in the model")),
    "must_not_use": _made_by(single.must_not_use, must_not_use=_of("features that are not in the model")),
    "fixed": _made_by(
        single.fixed,
        fixed=_of("features whose points are fixed"),
        value=_head(
            Either(NumberForm(), ListOf(Either(Whole(0), Null()), "points by answer")),
            "their points; of a question those of each answer, null for one that is free",
        ),
    ),
    "at_most": _count("at_most", support.at_most),
    "at_least": _count("at_least", support.at_least),
    "exactly": _count("exactly", support.exactly),
    "thresholds_per_variable": _made_by(
        support.thresholds_per_variable,
        thresholds_per_variable=_head(Whole(0), "maximum number of features of each raw variable"),
        variables=_head(_BY_VARIABLE, "the features of each variable, {age: 'age>=*'}, or one pattern a variable"),
    ),
    "same_sign": _made_by(
        single.same_sign,
        same_sign=_head(
            _BY_VARIABLE,
            "the features of each variable, {age: 'age>=*'}, or those of one group, [a, b]: their points have one sign",
        ),
    ),
    "only_if": _kind(
        lambda values: support.only_if(values["used"], values["only_if"]),
        used=_of("features used"),
        only_if=_of("only if one of these is used too"),
    ),
    "budget": _kind(
        lambda values: support.budget(values["costs"], at_most=values["budget"]),
        budget=_head(NumberForm(0), "what the features in use may cost together"),
        costs=_head(
            TableOf(NumberForm(0), "costs by feature name or pattern"),
            "what features cost, by name or pattern; others cost nothing",
        ),
    ),
    "close_to": _made_by(
        support.close_to,
        close_to=_head(
            TableOf(ListOf(Whole(0), "points by answer"), "points by question"), "a card of questions, {age: [0, 1, 3]}"
        ),
        questions=Field(form=Whole(0), help="how many questions may have other points"),
        answers=Field(form=Whole(0), help="how many answers may have other points"),
    ),
    "min_sensitivity": _rate("min_sensitivity", rates.min_sensitivity),
    "min_specificity": _rate("min_specificity", rates.min_specificity),
    "max_false_positive_rate": _rate("max_false_positive_rate", rates.max_false_positive_rate),
    "max_error": _rate("max_error", rates.max_error),
    "max_difference": _kind(
        lambda values: rates.max_difference(values["rate"], group=values["group"], at_most=values["max_difference"]),
        max_difference=_head(NumberForm(0, 1), "how far a rate may differ between any two groups"),
        rate=_head(Word(*CLASS_OF), "which rate"),
        group=_head(TextForm("the name of a column of groups", widget="group"), "the column of groups"),
    ),
    "max_total_score": _made_by(
        single.max_total_score,
        max_total_score=_head(NumberForm(), "the largest sum of points within the ranges"),
        ranges=Field(
            form=TableOf(Pair(NumberForm(), "a pair such as [0, 100]"), "ranges by feature name"),
            help="ranges by feature name or pattern; others have the one observed",
        ),
    ),
}

_RATE_KEYS = {
    "sensitivity": "min_sensitivity",
    "specificity": "min_specificity",
    "false positive rate": "max_false_positive_rate",
    "error": "max_error",
}


def parts(constraint: Constraint) -> tuple[str, dict[str, object]]:
    """The kind of a constraint, and its values by key."""
    match constraint:
        case Values(of=of, equals=None):
            return "must_use", {"must_use": of}
        case Values(of=of, asked_as="not used"):
            return "must_not_use", {"must_not_use": of}
        case Values(of=of, equals=value):
            return "fixed", {"fixed": of, "value": value}
        case Count(of=of, least=None, most=most):
            return "at_most", {"at_most": most, "of": of}
        case Count(of=of, least=least, most=None):
            return "at_least", {"at_least": least, "of": of}
        case Count(of=of, most=number):
            return "exactly", {"exactly": number, "of": of}
        case ThresholdsPerVariable(most=most, variables=variables):
            features = _by_variable(variables)
            return "thresholds_per_variable", {"thresholds_per_variable": most, "variables": features}
        case SameSign(variables=variables):
            listed = variables[0][1] if constraint.is_list else ByName(variables)
            return "same_sign", {"same_sign": listed}
        case OnlyIf(used=used, needs=needs):
            return "only_if", {"used": used, "only_if": needs}
        case Budget(costs=costs, most=limit):
            return "budget", {"budget": limit, "costs": ByName(costs)}
        case FixedAnswers(question=question, points=points):
            return "fixed", {"fixed": (question,), "value": points}
        case CloseTo(card=card, questions=questions, answers=answers):
            limits = {"questions": questions, "answers": answers}
            return "close_to", {
                "close_to": ByName(card),
                **{key: number for key, number in limits.items() if number is not None},
            }
        case RateConstraint(rate=rate, bound=bound, group=group):
            return _RATE_KEYS[rate], {_RATE_KEYS[rate]: bound, **({} if group is None else {"group": group})}
        case Difference(rate=rate, group=group, bound=bound):
            return "max_difference", {"max_difference": bound, "rate": rate, "group": group}
        case MaxTotalScore(most=limit, ranges=ranges):
            declared = {"ranges": ByName(ranges)} if ranges else {}
            return "max_total_score", {"max_total_score": limit, **declared}
    raise InvalidProblemError(f"the constraint {constraint} cannot be written to a file", "remove it")


def _by_variable(variables: tuple[tuple[str, tuple[str, ...]], ...]) -> object:
    """The features of each variable; a list where each is one pattern."""
    listed = all(of == (name,) for name, of in variables)
    return tuple(name for name, _ in variables) if listed else ByName(variables)


class ConstraintForm(Form[Constraint]):
    """Any constraint; one key is the name of its kind."""

    wanted = "a mapping such as {at_most: 2, of: 'age*'}"

    def fits(self, node: FileNode) -> bool:
        return isinstance(node, FileMapping | Made)

    def read(self, node: FileNode, what: str) -> Constraint:
        if isinstance(node, Made) and isinstance(node.value, Constraint):
            return with_text_label(node.value)
        if not isinstance(node, FileMapping) or not node.entries:
            self.refuse(node, what)
        kinds = [key for key, _ in node.entries if key.text in KINDS]
        if not kinds:
            first = node.entries[0][0]
            first.fail(f"there is no constraint {first.text!r}", suggest(first.text, list(KINDS), _MEANT))
        if len(kinds) > 1:
            kinds[1].fail(
                f"{kinds[0].text!r} and {kinds[1].text!r} are two constraints", "write them as separate entries"
            )
        kind = KINDS[kinds[0].text]
        values = kind.record.read(node, kinds[0].text)
        try:
            return kind.make(values)
        except InvalidProblemError as error:
            node.fail_by(error)

    def convert(self, value: object) -> Constraint | Nothing:
        """A constraint as it is, its label as text."""
        return with_text_label(value) if isinstance(value, Constraint) else NOTHING

    def holds(self, value: object) -> bool:
        return isinstance(value, Constraint)

    def write(self, value: Constraint) -> Plain:
        name, values = parts(value)
        return KINDS[name].record.write(ByName(tuple(values.items())))

    def schema(self) -> Schema:
        return {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in KINDS]}


_MEANT = {"sensitivity": "min_sensitivity", "specificity": "min_specificity", "used": "only_if"}


def with_text_label(constraint: Constraint) -> Constraint:
    """Turn a group label into text, as in a file; the data are matched by text."""
    if isinstance(constraint, MaxFeatures | MinFeatures):
        return constraint  # settings have separate keys for these
    parts(constraint)  # raises for a constraint without a form
    if isinstance(constraint, RateConstraint) and isinstance(constraint.group, tuple):
        name, label = constraint.group
        return replace(constraint, group=(name, label_text(label)))
    return constraint
