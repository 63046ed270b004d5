"""A card read from the plain data of its JSON, strictly."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, Never, cast, get_args, overload

from supersparse.card.card import Card, Item, Label, Learned
from supersparse.card.performance import Judged, Performance
from supersparse.card.printed import follows_from_learned
from supersparse.card.provenance import CertificateFile, ItemSeen, Provenance
from supersparse.card.risk import RISK_KINDS as RISK_KINDS
from supersparse.card.risk import LogisticRisk, Risk, SeenTotals, TableRisk
from supersparse.card.rules import (
    RULE_KINDS,
    Domain,
    InRange,
    IsMissing,
    IsNoneOf,
    IsOneOf,
    Outside,
    Rule,
    ValueOf,
)
from supersparse.card.wording import ColumnWording, Wording
from supersparse.data.reading import Reading
from supersparse.data.values import Category
from supersparse.errors import InvalidCardError, did_you_mean

# so short that whatever is read can be written and read again, as a fraction too
_EXACT = re.compile(r"-?([0-9]{1,2000}/(?=0*[1-9])[0-9]{1,2000}|[0-9]{1,1000}\.[0-9]{1,999})", re.ASCII)
_WANTED = 'an integer, or a decimal or fraction in quotes, such as "2.5" or "1/3"'


def no_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse an object that says the same key twice; to be given to `json.loads`."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"{next(k for k in keys if keys.count(k) > 1)!r} is given twice")
    return found


class Fields:
    """The values of one object; every one must be asked for before `finish`."""

    def __init__(self, values: dict[str, object], where: str) -> None:
        self.where = where
        self._left = dict(values)
        self._asked: list[str] = []

    def skip(self, *names: str) -> None:
        """Leave out what has been read already."""
        for name in names:
            self._take(name)

    def has(self, name: str) -> bool:
        """Whether a value is there and not null; a null one is thereby read."""
        self._asked.append(name)
        if self._left.get(name) is None:
            self._left.pop(name, None)
            return False
        return True

    @overload
    def text(self, name: str) -> str: ...
    @overload
    def text(self, name: str, *, optional: Literal[True]) -> str | None: ...
    def text(self, name: str, *, optional: bool = False) -> str | None:
        """Text, or None when that is allowed."""
        if optional and not self.has(name):
            return None
        value = self._take(name)
        return value if isinstance(value, str) else self._refuse(name, value, "text")

    def texts(self, name: str, *, optional: bool = False) -> tuple[str, ...] | None:
        """A list of texts, or None when that is allowed."""
        if optional and not self.has(name):
            return None
        values = self._take(name)
        if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
            self._refuse(name, values, "a list of texts")
        return tuple(values)

    def plain_object(self, name: str, *, optional: bool = False) -> dict[str, Any] | None:
        """An object of any content as it was read, or None when that is allowed."""
        if optional and not self.has(name):
            return None
        value = self._take(name)
        return value if isinstance(value, dict) else self._refuse(name, value, "an object")

    @overload
    def whole(self, name: str) -> int: ...
    @overload
    def whole(self, name: str, *, optional: Literal[True]) -> int | None: ...
    def whole(self, name: str, *, optional: bool = False) -> int | None:
        """A whole number, or None when that is allowed."""
        if optional and not self.has(name):
            return None
        value = self._take(name)
        if isinstance(value, bool) or not isinstance(value, int):
            self._refuse(name, value, "a whole number")
        return value

    @overload
    def number(self, name: str) -> Fraction: ...
    @overload
    def number(self, name: str, *, optional: Literal[True]) -> Fraction | None: ...
    def number(self, name: str, *, optional: bool = False) -> Fraction | None:
        """An exact number: an integer, or a decimal or fraction in quotes."""
        if optional and not self.has(name):
            return None
        value = self._take(name)
        found = _exact(value)
        return self._refuse(name, value, _WANTED) if found is None else found

    def is_word(self, name: str, word: str) -> bool:
        """Whether the value is this word, which is thereby read."""
        if self._left.get(name) != word:
            return False
        self._take(name)
        return True

    def categories(self, name: str) -> tuple[Category, ...]:
        """A list of categories: text, true, false, integers, or ``{"number": "2.5"}``."""
        values = self._take(name)
        if not isinstance(values, list):
            self._refuse(name, values, "a list")
        return tuple(self._category(name, value) for value in values)

    def category(self, name: str) -> Category:
        """One category."""
        return self._category(name, self._take(name))

    def _category(self, name: str, value: object) -> Category:
        if isinstance(value, str | bool):
            return value
        if isinstance(value, dict) and list(value) == ["number"]:
            value = value["number"]
        found = _exact(value)
        wanted = 'a list of texts, true, false, integers, or decimals such as {"number": "2.5"}'
        return self._refuse(name, value, wanted) if found is None else found

    def choice(self, name: str, known: Sequence[str], default: str) -> str:
        """One of some words, or the default when it is left out."""
        if not self.has(name):
            return default
        value = self._take(name)
        if not isinstance(value, str) or value not in known:
            self._refuse(name, value, " or ".join(map(repr, known)))
        return value

    def real(self, name: str) -> float:
        """A finite number that need not be exact."""
        value = self._take(name)
        if not isinstance(value, bool) and isinstance(value, int | float):
            try:
                if math.isfinite(value):
                    return float(value)
            except OverflowError:  # an integer beyond all floats
                pass
        return self._refuse(name, value, "a finite number")

    @overload
    def truth(self, name: str) -> bool: ...
    @overload
    def truth(self, name: str, *, default: bool) -> bool: ...
    def truth(self, name: str, *, default: bool | None = None) -> bool:
        """True or false."""
        if default is not None and not self.has(name):
            return default
        value = self._take(name)
        return value if isinstance(value, bool) else self._refuse(name, value, "true or false")

    def label(self, name: str) -> Label:
        """A class: text, a number, true or false."""
        value = self._take(name)
        return value if isinstance(value, Label) else self._refuse(name, value, "text or a number")

    def section(self, name: str) -> "Fields":
        """An object within."""
        value = self._take(name)
        return (
            Fields(value, repr(name)) if isinstance(value, dict) else self._refuse(name, value, "an object")
        )

    def sections(self, name: str, *, optional: bool = False) -> list["Fields"]:
        """A list of objects, empty when it is left out and may be."""
        if optional and not self.has(name):
            return []
        values = self._take(name)
        if not isinstance(values, list) or not all(isinstance(v, dict) for v in values):
            self._refuse(name, values, "a list of objects")
        return [Fields(v, f"entry {i} of {name!r}") for i, v in enumerate(values, start=1)]

    def finish(self) -> None:
        """Refuse whatever nobody asked for."""
        for name in self._left:
            raise InvalidCardError(
                f"{self.where} has the unknown entry {name!r}; {did_you_mean(name, self._asked)}"
            )

    def _take(self, name: str) -> object:
        self._asked.append(name)
        if name not in self._left:
            raise InvalidCardError(f"{self.where} lacks {name!r}")
        return self._left.pop(name)

    def _refuse(self, name: str, value: object, wanted: str) -> Never:
        given = repr(value)
        if len(given) > 60:
            given = given[:57] + "..."
        raise InvalidCardError(f"{name!r} of {self.where} is {given}; it must be {wanted}")


def _exact(value: object) -> Fraction | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    return Fraction(value) if isinstance(value, str) and _EXACT.fullmatch(value) else None


def read_card(fields: Fields, version: int) -> Card:
    """Read the whole card; whatever is unknown or missing is refused."""
    fields.skip("format", "version")
    classes = fields.section("classes")
    negative, positive = classes.label("negative"), classes.label("positive")
    classes.finish()
    card = Card(
        title=fields.text("title", optional=True),
        source=fields.text("source", optional=True) if version > 1 else None,
        negative=negative,
        positive=positive,
        items=tuple(_item(item, version) for item in fields.sections("items")),
        intercept=-fields.number("threshold") if version > 1 else fields.number("intercept"),
        domains=tuple(map(_domain, fields.sections("domains", optional=True))) if version > 1 else (),
        n_columns=fields.whole("n_columns", optional=True),
        provenance=_provenance(fields.section("provenance"), version) if fields.has("provenance") else None,
        risk=_risk(fields.section("risk")) if version > 1 and fields.has("risk") else None,
        seen=tuple(map(_seen, fields.sections("seen"))) if version > 1 and fields.has("seen") else None,
        learned=_learned(fields.section("learned")) if version > 1 and fields.has("learned") else None,
        performance=tuple(map(_performance, fields.sections("performance", optional=True))),
        wording=_wording(fields.section("wording")) if fields.has("wording") else Wording(),
        reading=_how_read(fields.plain_object("reading", optional=True)) if version > 1 else None,
    )
    fields.finish()
    if not follows_from_learned(card):
        raise InvalidCardError("its points are not those that follow from its learned points")
    _check_counts(card)
    return card


def _check_counts(card: Card) -> None:
    """Compare what the provenance counts with the performance on the training rows."""
    made = card.provenance
    for seen in card.performance if made is not None else ():
        if made is None or seen.on != "training":
            continue
        positives = seen.true_positives + seen.false_negatives
        negatives = seen.true_negatives + seen.false_positives
        wrong_negatives = made.training_errors - seen.false_negatives  # a score of 0 is wrong for both
        expected = {
            "total_weight": positives + negatives,
            "predicted_errors": seen.false_negatives + seen.false_positives,
            "sensitivity": 1 - seen.false_negatives / positives if positives else None,
            "specificity": 1 - wrong_negatives / negatives if negatives else None,
        }
        for name, value in expected.items():
            told = getattr(made, name)
            if told is not None and value is not None and told != value:
                raise InvalidCardError(
                    f"its {name} of {told} contradicts its performance on the training rows"
                )


def _how_read(content: dict[str, Any] | None) -> Reading | None:
    return None if content is None else Reading.from_data(content)


def _learned(fields: Fields) -> Learned:
    found = Learned(
        items=tuple(_item(item, 2) for item in fields.sections("items")),
        intercept=-fields.number("threshold"),
    )
    fields.finish()
    return found


def _item(fields: Fields, version: int) -> Item:
    kind = fields.text("rule")
    known = RULE_KINDS if version > 1 else ("value",)
    if kind not in known:
        raise InvalidCardError(f"{fields.where} has the unknown rule {kind!r}; {did_you_mean(kind, known)}")
    item = Item(
        rule=_rule(fields, kind),
        points=fields.number("points"),
        missing=_missing(fields) if version > 1 and kind != "missing" else None,
        unit=fields.text("unit", optional=True) if version > 1 else None,
        question=fields.text("question", optional=True) if version > 1 else None,
        position=fields.whole("position", optional=True),
    )
    fields.finish()
    return item


def _rule(fields: Fields, kind: str) -> Rule:
    column = fields.text("column")
    if kind == "value":
        return ValueOf(column)
    if kind == "missing":
        return IsMissing(column)
    if kind == "category":
        return IsOneOf(column, fields.categories("values"))
    if kind == "other":
        return IsNoneOf(column, fields.categories("values"))
    low, low_included = _bound(fields, "at_least", "above")
    high, high_included = _bound(fields, "at_most", "below")
    return InRange(column, low, high, low_included, high_included)


def _bound(fields: Fields, included: str, excluded: str) -> tuple[Fraction | None, bool]:
    with_end, without_end = fields.number(included, optional=True), fields.number(excluded, optional=True)
    if with_end is not None and without_end is not None:
        raise InvalidCardError(f"{fields.where} has both {included!r} and {excluded!r}; keep one of them")
    return (without_end, False) if with_end is None else (with_end, True)


def _missing(fields: Fields) -> Fraction | None:
    return None if fields.is_word("missing", "refuse") else fields.number("missing", optional=True)


def _domain(fields: Fields) -> Domain:
    domain = Domain(
        column=fields.text("column"),
        values=fields.categories("values") if fields.has("values") else None,
        low=fields.number("low", optional=True),
        high=fields.number("high", optional=True),
        whole=fields.truth("whole", default=False),
        outside=cast(Outside, fields.choice("outside", ("accept", "refuse"), "accept")),
    )
    fields.finish()
    return domain


def _risk(fields: Fields) -> Risk:
    kind = fields.text("kind")
    found: Risk
    if kind == LogisticRisk.kind:
        slope, offset = fields.real("slope"), fields.real("offset")
        seen = []
        for row in fields.sections("rows") if fields.has("rows") else ():
            seen.append((row.number("total"), row.number("cases"), row.number("events")))
            row.finish()
        totals, cases, events = zip(*seen, strict=True) if seen else ((), (), ())
        known = SeenTotals(totals=totals, cases=cases, events=events) if seen else None
        found = LogisticRisk(slope=slope, offset=offset, seen=known)
    elif kind == TableRisk.kind:
        rows = []
        for row in fields.sections("rows"):
            rows.append((row.number("total"), row.real("risk"), row.number("cases", optional=True)))
            row.finish()
        cases = [c for _, _, c in rows if c is not None]
        if cases and len(cases) < len(rows):
            raise InvalidCardError(f"{fields.where} has cases in some rows only; give them in all or in none")
        found = TableRisk(
            totals=tuple(t for t, _, _ in rows),
            risks=tuple(r for _, r, _ in rows),
            cases=tuple(cases) if cases else None,
        )
    else:
        hint = did_you_mean(kind, RISK_KINDS)
        raise InvalidCardError(f"{fields.where} has the unknown kind {kind!r}; {hint}")
    fields.finish()
    return found


def _performance(fields: Fields) -> Performance:
    on = cast(Judged, fields.choice("on", get_args(Judged), "training"))
    counts = ("true_positives", "false_negatives", "true_negatives", "false_positives")
    low, high = (fields.real(name) if fields.has(name) else None for name in ("auc_low", "auc_high"))
    seen = Performance(
        on=on,
        **{name: fields.number(name) for name in counts},
        auc=fields.real("auc") if fields.has("auc") else None,
        auc_interval=None if low is None or high is None else (low, high),
    )
    fields.finish()
    return seen


def _wording(fields: Fields) -> Wording:
    classes = fields.section("classes") if fields.has("classes") else Fields({}, "'classes'")
    wording = Wording(
        negative=classes.text("negative", optional=True),
        positive=classes.text("positive", optional=True),
        columns=tuple(map(_column_wording, fields.sections("columns", optional=True))),
    )
    classes.finish()
    fields.finish()
    return wording


def _column_wording(fields: Fields) -> ColumnWording:
    answers = {}
    for answer in fields.sections("answers", optional=True):
        answers[answer.category("value")] = answer.text("text")
        answer.finish()
    words = ColumnWording(
        column=fields.text("column"),
        label=fields.text("label", optional=True),
        unit=fields.text("unit", optional=True),
        question=fields.text("question", optional=True),
        answers=answers,
    )
    fields.finish()
    return words


def _seen(fields: Fields) -> ItemSeen:
    in_ranges = fields.has("ranges")
    rows, at = ("ranges", "up_to") if in_ranges else ("values", "points")
    found = []
    for row in fields.sections(rows):
        found.append((row.number(at), row.number("weight")))
        row.finish()
    seen = ItemSeen(
        points=tuple(points for points, _ in found),
        weights=tuple(weight for _, weight in found),
        in_ranges=in_ranges,
        given=fields.number("given"),
        missing=fields.number("missing"),
        mean_points=fields.number("mean_points"),
    )
    fields.finish()
    return seen


def _certificate(fields: Fields) -> CertificateFile:
    certificate = CertificateFile(file=fields.text("file"), sha256=fields.text("sha256"))
    fields.finish()
    return certificate


def _provenance(fields: Fields, version: int) -> Provenance:
    made = Provenance(
        version=fields.text("version"),
        solver=fields.text("solver"),
        data=fields.text("data", optional=True) if version > 1 else None,
        minimised=fields.text("minimised"),
        allowed=fields.text("allowed"),
        objective=fields.number("objective"),
        lower_bound=fields.number("lower_bound"),
        proven_smallest=fields.truth("proven_smallest"),
        training_errors=fields.number("training_errors"),
        predicted_errors=fields.number("predicted_errors"),
        sensitivity=fields.number("sensitivity", optional=True) if version > 1 else None,
        specificity=fields.number("specificity", optional=True) if version > 1 else None,
        total_weight=fields.number("total_weight"),
        n_rows=fields.whole("n_rows"),
        size=fields.whole("size"),
        stop=fields.text("stop"),
        seconds=fields.real("seconds"),
        nodes=fields.whole("nodes"),
        features=fields.texts("features", optional=True) if version > 1 else None,
        n_candidates=fields.whole("n_candidates", optional=True) if version > 1 else None,
        settings=fields.plain_object("settings", optional=True) if version > 1 else None,
        certificate=_certificate(fields.section("certificate"))
        if version > 1 and fields.has("certificate")
        else None,
    )
    if (fields.truth("proven_optimal"), fields.real("gap")) != (made.proven_optimal, float(made.gap)):
        raise InvalidCardError("its proven_optimal and gap contradict its objective and lower bound")
    fields.finish()
    return made
