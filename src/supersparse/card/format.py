"""The file of a card, declared: every object with its entries, in the present version and the earlier ones.

Version 1 has items that multiply values, and an intercept. Version 2 has rules, risks and what was seen, and a
threshold that must be exceeded. In version 3 the threshold is reached: "3 or more".
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import repeat
from operator import attrgetter
from typing import Any, get_args

from supersparse.base.errors import InvalidCardError
from supersparse.card.card import Card, Cutoff, Item, Learned
from supersparse.card.entries import (
    ANY_OBJECT,
    CATEGORY,
    COUNT,
    HEXADECIMAL,
    LABEL,
    MISSING,
    NUMBER,
    REFUSED,
    SOME_TEXT,
    TEXT,
    TRUTH,
    WHOLE,
    Entry,
    ListOf,
    MapOf,
    Object,
    OneOf,
    Schema,
    Single,
    Word,
    exact_number,
    number,
    real,
    rows_of,
    tuple_of,
)
from supersparse.card.performance import Compared, Judged, Performance
from supersparse.card.printed import follows_from_learned
from supersparse.card.provenance import CardEdit, CardUpdate, CertificateFile, Horizon, ItemSeen, Provenance, Suppressed
from supersparse.card.risk import LogisticRisk, SeenTotals, TableRisk
from supersparse.card.rules import Domain, InRange, IsMissing, IsNoneOf, IsOneOf, Outside, ValueOf
from supersparse.card.words import ColumnWording, Wording
from supersparse.table.reading import USUALLY_MISSING, ColumnReading, Reading

# items: a rule about a column, and its points

_later = partial(Entry, since=2)
_ENDS = {"at_least": "low", "above": "low", "at_most": "high", "below": "high"}


def _item(rule: type, help: str, *entries: Entry, more: Schema | None = None) -> Object:
    """An item by its rule, which some of the entries are about."""

    def make(column: str, points: Fraction, **values: Any) -> Item:
        about = {one.attribute: values.pop(one.attribute) for one in entries}
        made = rule(column, **(_range_of(column, about) if rule is InRange else about))
        return Item(rule=made, points=points, **values)

    refuses = lambda item: "refuse" if item.missing is None else item.missing  # noqa: E731
    return Object(
        Entry("column", TEXT),
        *entries,
        Entry("points", NUMBER),
        *(() if rule is IsMissing else (_later("missing", MISSING, None, get=refuses),)),
        *(_later(name, TEXT, None) for name in ("unit", "question")),
        Entry("position", COUNT, None),
        make=make,
        help=help,
        defined=f"{rule.kind}_item",  # type: ignore[attr-defined]
        more=more,
    )


def _range_of(column: str, ends: Mapping[str, Fraction | None]) -> dict[str, Any]:
    bounds: dict[str, Any] = {}
    for included, excluded in (("at_least", "above"), ("at_most", "below")):
        if ends[included] is not None and ends[excluded] is not None:
            raise InvalidCardError(f"the item on {column!r} has both {included!r} and {excluded!r}", "keep one of them")
        bounds[_ENDS[included]] = ends[excluded] if ends[included] is None else ends[included]
        bounds[f"{_ENDS[included]}_included"] = ends[excluded] is None
    return bounds


def _end(name: str, item: Item) -> Fraction | None:
    is_included = getattr(item.rule, f"{_ENDS[name]}_included")
    return getattr(item.rule, _ENDS[name]) if is_included == name.startswith("at") else None


def _some(*names: str) -> list[Schema]:
    return [{"required": [name], "properties": {name: {"not": {"type": "null"}}}} for name in names]


_CATEGORIES = ListOf(CATEGORY, least=1)
_VALUES = attrgetter("rule.values")
ITEM = OneOf(
    "rule",
    attrgetter("rule.kind"),
    {
        "value": _item(ValueOf, "Points times the value."),
        "category": _item(IsOneOf, "Points when the value is one of these.", Entry("values", _CATEGORIES, get=_VALUES)),
        "other": _item(
            IsNoneOf, "Points when the value is none of these.", Entry("values", ListOf(CATEGORY), get=_VALUES)
        ),
        "range": _item(
            InRange,
            "Points when the value lies within the bounds: at_least is >=, above >, at_most <=, below <.",
            *(Entry(name, NUMBER, None, get=partial(_end, name)) for name in _ENDS),
            more={
                "anyOf": _some(*_ENDS),
                "not": {"anyOf": [{"allOf": _some("at_least", "above")}, {"allOf": _some("at_most", "below")}]},
            },
        ),
        "missing": _item(IsMissing, "Points when there is no value."),
    },
    first=("value",),
)

# what columns hold, what people call them, how their file was read

_has_limits = lambda domain: domain.values is None  # noqa: E731
DOMAIN = Object(
    Entry("column", TEXT),
    Entry("values", _CATEGORIES, None),
    Entry("low", NUMBER, None, always=_has_limits),
    Entry("high", NUMBER, None, always=_has_limits),
    Entry("whole", TRUTH, False, always=_has_limits),
    Entry("outside", Word(get_args(Outside), before=("accept", "refuse")), "accept", always=True),
    make=Domain,
    help="What a column may hold: known values, or numbers from low to high, ends included.",
    defined="domain",
)

_CLASSES = tuple_of(Entry("negative", TEXT, None), Entry("positive", TEXT, None))
_COLUMN = Object(
    Entry("column", TEXT),
    *(Entry(name, TEXT, None) for name in ("label", "unit", "question")),
    Entry(
        "answers",
        ListOf(tuple_of(Entry("value", CATEGORY), Entry("text", TEXT))),
        (),
        get=lambda words: tuple(words.answers.items()),
    ),
    make=lambda answers, **words: ColumnWording(answers=dict(answers), **words),
)
WORDING = Object(
    Entry("classes", _CLASSES, (None, None), get=lambda wording: (wording.negative, wording.positive)),
    Entry("columns", ListOf(_COLUMN), (), always=True),
    make=lambda classes, columns: Wording(negative=classes[0], positive=classes[1], columns=columns),
)
_HOW_A_COLUMN = Object(
    Entry("missing", ListOf(TEXT), ()),
    Entry("spellings", MapOf(TEXT), {}),
    Entry("decimal", Word((".", ",")), None),
    make=ColumnReading,
)
READING = Object(
    Entry("missing", ListOf(TEXT), tuple(sorted(USUALLY_MISSING)), get=lambda reading: tuple(sorted(reading.missing))),
    *(Entry(name, TEXT, None) for name in ("separator", "encoding", "decimal", "dates", "sheet")),
    Entry("header_row", COUNT, None, "Of a workbook, from 1."),
    Entry("as_written", ListOf(TEXT), ()),
    Entry("found", MapOf(TEXT), {}),
    Entry(
        "columns",
        MapOf(_HOW_A_COLUMN),
        {},
        get=lambda reading: {name: one for name, one in reading.columns.items() if not one.is_plain},
        always=True,
    ),
    make=lambda missing, **values: Reading(missing=frozenset(missing), settled=True, **values),
)


# risks, what was seen and counted


def _table_risk(rows: tuple[tuple[Any, ...], ...]) -> TableRisk:
    totals, risks, cases = zip(*rows, strict=True) if rows else ((), (), ())
    known = [count for count in cases if count is not None]
    if known and len(known) < len(rows):
        raise InvalidCardError("the risk table has cases in some rows only", "give them in all or in none")
    return TableRisk(totals=totals, risks=risks, cases=cases if known else None)


def _logistic_risk(slope: float, offset: float, rows: tuple[tuple[Any, ...], ...]) -> LogisticRisk:
    totals, cases, events = zip(*rows, strict=True) if rows else ((), (), ())
    seen = SeenTotals(totals=totals, cases=cases, events=events) if rows else None
    return LogisticRisk(slope=slope, offset=offset, seen=seen)


def _seen_totals(risk: LogisticRisk) -> tuple[tuple[Fraction, ...], ...]:
    seen = risk.seen
    return () if seen is None else tuple(zip(seen.totals, seen.cases, seen.events, strict=True))


_TOTAL, _SHARE, _LOSS, _SLOPE = Entry("total", NUMBER), real(minimum=0, maximum=1), real(minimum=0), real()
RISK = OneOf(
    "kind",
    attrgetter("kind"),
    {
        TableRisk.kind: Object(
            Entry(
                "rows",
                rows_of(_TOTAL, Entry("risk", _SHARE), Entry("cases", NUMBER, None)),
                get=lambda risk: list(zip(risk.totals, risk.risks, risk.cases or repeat(None), strict=False)),
            ),
            make=_table_risk,
            help="Risk of the positive class at some totals of points, which rise: linear between neighbours, "
            "constant beyond the ends.",
            defined="risk_table",
        ),
        LogisticRisk.kind: Object(
            Entry("slope", real()),
            Entry("offset", real()),
            Entry(
                "rows",
                rows_of(_TOTAL, Entry("cases", NUMBER), Entry("events", NUMBER)),
                (),
                "How many training rows had each total, and how many of them were positive, by weight.",
                get=_seen_totals,
            ),
            make=_logistic_risk,
            help="The risk 1 / (1 + exp(-(slope * total + offset))).",
            defined="risk_logistic",
        ),
    },
    first=(),
)


def _item_seen(values: Any, ranges: Any, **counts: Fraction) -> ItemSeen:
    if (values is None) == (ranges is None):
        raise InvalidCardError("what an item has seen is told by values or by ranges", "give one of the two")
    points, weights = zip(*(values or ranges), strict=True) if values or ranges else ((), ())
    return ItemSeen(points=points, weights=weights, in_ranges=values is None, **counts)


def _rows_seen(in_ranges: bool, seen: ItemSeen) -> list[tuple[Fraction, Fraction]] | None:
    return list(zip(seen.points, seen.weights, strict=True)) if seen.in_ranges == in_ranges else None


_WEIGHT = Entry("weight", NUMBER)
SEEN = Object(
    Entry("values", rows_of(Entry("points", NUMBER), _WEIGHT), None, get=partial(_rows_seen, False)),
    Entry("ranges", rows_of(Entry("up_to", NUMBER), _WEIGHT), None, get=partial(_rows_seen, True)),
    *(Entry(name, NUMBER) for name in ("given", "missing", "mean_points")),
    make=_item_seen,
    help="The points that an item gave: their values, or ranges up to some points.",
    defined="seen",
    more={"oneOf": [{"required": ["values"]}, {"required": ["ranges"]}]},
)


def _pair(first: Any, second: Any) -> tuple[Any, Any] | None:
    return None if first is None or second is None else (first, second)


def _performance(
    folds: Any, folds_planned: Any, auc_low: Any, auc_high: Any, calibration: Any, **values: Any
) -> Performance:
    if (folds is None) != (folds_planned is None):
        raise InvalidCardError("a performance has one of folds and folds_planned", "give both or none")
    return Performance(
        auc_interval=_pair(auc_low, auc_high), folds=_pair(folds, folds_planned),
        calibration=None if not calibration else tuple(calibration), **values,
    )  # fmt: skip


def _compared(auc_low: Any, auc_high: Any, log_loss_low: Any, log_loss_high: Any, **values: Any) -> Compared:
    ends = _pair(log_loss_low, log_loss_high)
    return Compared(auc_interval=_pair(auc_low, auc_high), log_loss_interval=ends, **values)


def _part(attribute: str, index: int) -> Callable[[Any], Any]:
    """One of the two values of an attribute, or None."""
    return lambda seen: (getattr(seen, attribute) or (None, None))[index]


_COMPARED = Object(
    Entry("of", SOME_TEXT, help="What was measured: this card, a model of all columns, or a smaller card."),
    Entry("auc", _SHARE, None),
    Entry("log_loss", _LOSS),
    Entry("error", _SHARE),
    Entry("proven", _SHARE, None, "The share of the folds in which the card was proven; null of other models."),
    Entry("questions", COUNT, None, "Maximum number of questions of the card."),
    Entry("auc_low", _SHARE, None, "Ends of the interval of 95 % over the folds.", get=_part("auc_interval", 0)),
    Entry("auc_high", _SHARE, None, get=_part("auc_interval", 1)),
    Entry("log_loss_low", _SLOPE, None, get=_part("log_loss_interval", 0)),
    Entry("log_loss_high", _SLOPE, None, get=_part("log_loss_interval", 1)),
    Entry("teacher_log_loss", _LOSS, None, "Log loss to the risks of a teacher that was named."),
    Entry("teacher_r2", _SLOPE, None, "The share of the variance of its risks that is explained."),
    Entry("agreement", _SHARE, None, "The share of its decisions that are the same."),
    Entry("worse", TRUTH, None, "Whether its log loss is clearly higher than that of the best size."),
    make=_compared,
)
PERFORMANCE = Object(
    Entry("on", Word(get_args(Judged)), "training", always=True),
    *(Entry(n, NUMBER) for n in ("true_positives", "false_negatives", "true_negatives", "false_positives")),
    Entry("auc", _SHARE, None),
    Entry("auc_low", _SHARE, None, get=_part("auc_interval", 0)),
    Entry("auc_high", _SHARE, None, get=_part("auc_interval", 1)),
    Entry("log_loss", _LOSS, None, "Mean log loss, class weights applied; of a card learned for its risks."),
    Entry("calibration", ListOf(_SLOPE), (), "Slope, and its interval of 95 %.", get=lambda s: s.calibration or ()),
    Entry("baseline_log_loss", _LOSS, None, "Log loss of the prevalence as everyone's risk; beside log_loss."),
    Entry("folds", COUNT, None, get=_part("folds", 0)),
    Entry("folds_planned", COUNT, None, get=_part("folds", 1)),
    Entry("compared", ListOf(_COMPARED), (), "Of a card of questions: it and other models on the same rows."),
    make=_performance,
)


# how the card was made


def _provenance(gap: float, proven_optimal: bool, **values: Any) -> Provenance:
    made = Provenance(**values)
    if (proven_optimal, gap) != (made.proven_optimal, float(made.gap)):
        raise InvalidCardError("its proven_optimal and gap contradict its objective and lower bound")
    return made


_CERTIFICATE = Object(
    Entry("file", SOME_TEXT, help="Its name, without a folder."),
    Entry("sha256", HEXADECIMAL, help="The sha256 of its bytes, in hexadecimal."),
    Entry("checked_by", ListOf(SOME_TEXT), (), "The programs that accepted it."),
    make=CertificateFile,
)
_EDIT = Object(
    Entry("change", SOME_TEXT, help="The change, in words."),
    Entry("reason", TEXT, help="Why it was made."),
    Entry("at", TEXT, None, "When it was made (ISO 8601, UTC), or null."),
    make=CardEdit,
)
_HORIZON = Object(
    Entry("horizon", NUMBER, help="The time within which the risk is."),
    Entry("what", TEXT, help="The event."),
    Entry("unit", TEXT, help="The unit of time, or nothing."),
    *(Entry(name, COUNT) for name in ("people", "events", "lost", "others")),
    *(Entry(name, _LOSS) for name in ("largest_weight", "effective")),
    make=Horizon,
)
_UPDATE = Object(
    Entry("before", TEXT, help="The digest of the version before."),
    Entry("n_before", COUNT, None, "The rows that the version before was learned from, or null."),
    Entry("n_rows", COUNT, help="The rows of the update."),
    Entry("gain", _LOSS, help="How much all changes lower what was minimised."),
    Entry("changes", ListOf(tuple_of(Entry("change", SOME_TEXT), Entry("gain", _LOSS))), ()),
    make=CardUpdate,
)
_SUPPRESSED = Object(
    Entry("left_out_at_most", COUNT, help="The maximum number left out.", key="left_out"),
    Entry("merged_at_most", COUNT, help="The maximum number counted with answers other than their own.", key="merged"),
    make=Suppressed,
)
PROVENANCE = Object(
    Entry("version", TEXT),
    Entry("solver", TEXT),
    _later("data", TEXT, None, always=True),
    *(Entry(name, TEXT) for name in ("minimised", "allowed")),
    *(Entry(name, NUMBER) for name in ("objective", "lower_bound")),
    Entry("gap", real()),
    *(Entry(name, TRUTH) for name in ("proven_optimal", "proven_smallest")),
    *(Entry(name, NUMBER) for name in ("training_errors", "predicted_errors")),
    *(_later(name, NUMBER, None, always=True) for name in ("sensitivity", "specificity")),
    Entry("total_weight", NUMBER),
    *(Entry(name, COUNT) for name in ("n_rows", "size")),
    Entry("stop", TEXT),
    Entry("seconds", _LOSS),
    Entry("nodes", COUNT),
    _later("features", ListOf(TEXT), None, "All features that could have received points, or null."),
    _later(
        "n_candidates",
        COUNT,
        None,
        "How many questions the table offered, of which the features are the best, or null.",
    ),
    _later("settings", ANY_OBJECT, None, "The question as settings (see `supersparse check --schema`), or null."),
    _later(
        "certificate",
        _CERTIFICATE,
        None,
        "The file that holds a proof of the optimum, which `supersparse-check` checks.",
    ),
    _later("edits", ListOf(_EDIT), (), "What was changed by hand after learning, oldest first."),
    _later("horizon", _HORIZON, None, "Of a risk within some time: the follow-up behind it."),
    _later("updates", ListOf(_UPDATE), (), "How earlier versions of the card were changed, oldest first."),
    _later("suppressed", _SUPPRESSED, None, "People whom the counts that the card was learned from do not show."),
    _later("projected", TEXT, None, "When a proof was to be expected as the time ran out, in words."),
    make=_provenance,
    help="How a learned card was made and what was proven about it.",
    defined="provenance",
)


# the whole card


def _threshold(value: Any) -> Any:
    """A total that must be reached, or exceeded."""
    is_above = isinstance(value, dict) and list(value) == ["above"]
    total = exact_number(value["above"] if is_above else value)
    return total if total is REFUSED else Cutoff(threshold=total, reached=not is_above)


_THRESHOLD = Single(
    wanted=f'{NUMBER.wanted}, or {{"above": ...}}',
    take=_threshold,
    put=lambda cut: number(cut.threshold) if cut.reached else {"above": number(cut.threshold)},
    json={"anyOf": [NUMBER.schema(), Object(Entry("above", NUMBER), make=dict).definition()]},
)


def _learned(items: tuple[Item, ...], intercept: Fraction | None = None, exceeded: Fraction | None = None) -> Learned:
    return Learned(items=items, intercept=intercept if exceeded is None else -exceeded)  # type: ignore[arg-type]


def _card(
    classes: tuple[Any, Any],
    threshold: Cutoff | None = None,
    exceeded: Fraction | None = None,
    intercept: Fraction | None = None,
    **values: Any,
) -> Card:
    if threshold is not None and intercept is None:
        intercept = -threshold.threshold
    elif exceeded is not None:
        intercept = -exceeded
    assert intercept is not None, "version 1 requires it"
    reached = threshold is not None and threshold.reached and intercept == -threshold.threshold
    negative, positive = classes
    card = Card(negative=negative, positive=positive, intercept=intercept, reached=reached, **values)
    if threshold is not None and (threshold.threshold, threshold.reached) != (card.threshold, card.cutoff.reached):
        raise InvalidCardError(f"its threshold of {threshold.positive} contradicts its intercept {intercept}")
    if not follows_from_learned(card):
        raise InvalidCardError("its points are not those that follow from its learned points")
    if card.provenance is not None:
        for seen in card.performance:
            card.provenance.check_counts(seen)
    return card


_EXCEEDED = Entry("threshold", NUMBER, key="exceeded", until=2)
CARD = Object(
    Entry("title", TEXT, None, always=True),
    _later("source", TEXT, None, always=True),
    Entry("classes", tuple_of(Entry("negative", LABEL), Entry("positive", LABEL))),
    Entry("items", ListOf(ITEM)),
    replace(_EXCEEDED, since=2),
    Entry(
        "threshold",
        _THRESHOLD,
        help="The total from which on the positive class is given; or {above: ...}, which must be exceeded.",
        get=attrgetter("cutoff"),
        since=3,
    ),
    _later("domains", ListOf(DOMAIN), (), always=True),
    Entry("n_columns", WHOLE, None, always=True),
    Entry("provenance", PROVENANCE, None, always=True),
    Entry("intercept", NUMBER, until=1),
    Entry(
        "intercept",
        NUMBER,
        None,
        "What the model adds to the total, so that it is above 0 for the positive class; minus the threshold if "
        "left out.",
        get=lambda card: None if card.provenance is None and card.intercept == -card.threshold else card.intercept,
        since=3,
    ),
    _later("risk", RISK, None),
    _later("seen", ListOf(SEEN), None, "What each item gave on the training rows, in the order of the items."),
    _later(
        "learned",
        Object(Entry("items", ListOf(ITEM)), _EXCEEDED, Entry("intercept", NUMBER, since=3), make=_learned),
        None,
        "The points that the solver found, from which the items were made, and its intercept.",
    ),
    Entry("performance", ListOf(PERFORMANCE), (), "What the card got right and wrong, on which rows."),
    Entry("wording", WORDING, Wording(), "What classes, columns and answers are called on the card."),
    Entry("reading", READING, None, "How the file was read that the card was learned from.", since=2),
    make=_card,
)
DEFINITIONS: dict[str, Schema] = {
    **{str(one.defined): one.json for one in (NUMBER, LABEL, CATEGORY, MISSING)},
    **ITEM.definitions(),
    **{str(one.defined): one.definition() for one in (DOMAIN, PROVENANCE, SEEN)},
    **RISK.definitions(),
}
