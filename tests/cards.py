"""Cards for the tests: one to check by hand, and strategies for hostile ones."""

from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st

from supersparse.card.card import Card, Item
from supersparse.card.performance import Performance
from supersparse.card.provenance import ItemSeen, Provenance
from supersparse.card.risk import LogisticRisk, TableRisk
from supersparse.card.rules import RULE_KINDS, Domain, InRange, IsMissing, IsNoneOf, IsOneOf, ValueOf
from supersparse.card.words import ColumnWording, Wording

HOSTILE = [
    "", " ", "  two  spaces  ", "line\nbreak", "tab\there", "\x1b[31mred\x1b[0m", "[bold]markup[/bold]",
    "back\\slash\\n", "a" * 200, "long words " * 20, "quote\"and'quote", "=cmd()", "<b>x</b>", "$x_1$",
    "שלום", "١٢٣", "\u202eevil\u202c", "emoji 👩\u200d⚕️", "温度が高い" * 20, "\ud800", "\x00", "e\u0301" * 50,
    "x 3 = ......", "total = ......", "1. a  x    2 = ......", "a\u2028b", "\u200bzero", "100 %", "None",
]  # fmt: skip

names = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=30))
fractions = st.one_of(
    st.integers(-1000, 1000).map(Fraction),
    st.decimals(-100, 100, places=3).map(Fraction),
    st.fractions(-10, 10, max_denominator=50),
)
labels = st.one_of(names, st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False), st.booleans())


@st.composite
def provenances(draw):
    objective, lower = sorted(draw(st.tuples(st.fractions(0, 1), st.fractions(0, 1))), reverse=True)
    errors = sorted(draw(st.lists(st.fractions(0, 1000), min_size=3, max_size=3)))
    if draw(st.booleans()):
        lower = objective
    return Provenance(
        version=draw(names),
        solver=draw(names),
        minimised=draw(names),
        allowed=draw(names),
        objective=objective,
        lower_bound=lower,
        proven_smallest=lower == objective and draw(st.booleans()),
        predicted_errors=errors[0],
        training_errors=errors[1],
        total_weight=errors[2],
        n_rows=draw(st.integers(0, 10**9)),
        size=draw(st.integers(0, 100)),
        stop=draw(st.sampled_from(["OPTIMAL", "TIME_LIMIT", "unheard of\n"])),
        seconds=draw(st.floats(0, 1e6)),
        nodes=draw(st.integers(0, 10**12)),
        data=draw(st.none() | names),
        sensitivity=draw(st.none() | st.fractions(0, 1)),
        specificity=draw(st.none() | st.fractions(0, 1)),
        features=draw(st.none() | st.lists(names, max_size=3).map(tuple)),
        settings=draw(
            st.none()
            | st.just({"goal": "risk", "class_weight": "balanced"})
            | st.dictionaries(names, names | st.floats(0, 1), max_size=2)
        ),
    )


categories = st.one_of(
    names.filter(bool),
    st.booleans(),
    st.integers(-(2**70), 2**70).map(Fraction),
    st.decimals(-100, 100, places=2).map(Fraction),
    st.fractions(-9, 9, max_denominator=30),
)


@st.composite
def rules(draw, column):
    """A rule of any kind on a column."""
    kind = draw(st.sampled_from(RULE_KINDS))
    if kind == "value":
        return ValueOf(column)
    if kind == "missing":
        return IsMissing(column)
    if kind == "category":
        return IsOneOf(column, tuple(draw(st.lists(categories, min_size=1, max_size=4, unique=True))))
    if kind == "other":
        return IsNoneOf(column, tuple(draw(st.lists(categories, max_size=3, unique=True))))
    low, high = sorted(draw(st.tuples(fractions, fractions)))
    ends = draw(st.tuples(st.booleans(), st.booleans())) if low < high else (True, True)
    one_sided = draw(st.sampled_from(["both", "low", "high"]))
    return InRange(
        column,
        None if one_sided == "high" else low,
        None if one_sided == "low" else high,
        low_included=ends[0],
        high_included=ends[1],
    )


@st.composite
def domains(draw, column):
    outside = draw(st.sampled_from(["accept", "near", "refuse"]))
    if draw(st.booleans()):
        values = tuple(draw(st.lists(categories, min_size=1, max_size=4, unique=True)))
        return Domain(column=column, values=values, outside=outside)
    low, high = sorted(draw(st.tuples(fractions, fractions)))
    low, high = draw(st.sampled_from([(low, high), (low, None), (None, high)]))
    return Domain(column=column, low=low, high=high, whole=draw(st.booleans()), outside=outside)


@st.composite
def risks(draw):
    if draw(st.booleans()):
        finite = st.floats(allow_nan=False, allow_infinity=False)
        return LogisticRisk(slope=draw(finite), offset=draw(finite))
    table = draw(st.dictionaries(fractions, st.floats(0, 1), min_size=1, max_size=5))
    totals = tuple(sorted(table))
    cases = tuple(draw(st.fractions(0, 100)) for _ in totals) if draw(st.booleans()) else None
    return TableRisk(totals=totals, risks=tuple(table[t] for t in totals), cases=cases)


_LOSSES = st.floats(0, 10)


@st.composite
def performances(draw):
    counts = [draw(st.fractions(0, 1000)) for _ in range(4)]
    counts[0] += 1
    names = ("true_positives", "false_negatives", "true_negatives", "false_positives")
    low, auc, high = sorted(draw(st.tuples(*[st.floats(0, 1)] * 3)))
    with_auc = draw(st.booleans())
    return Performance(
        on=draw(st.sampled_from(["training", "cross-validation", "validation"])),
        **dict(zip(names, counts, strict=True)),
        auc=auc if with_auc else None,
        auc_interval=(low, high) if with_auc else None,
        **draw(st.just({}) | st.fixed_dictionaries(dict.fromkeys(("log_loss", "baseline_log_loss"), _LOSSES))),
    )


@st.composite
def wordings(draw, columns):
    texts = names.filter(str.strip)
    chosen = draw(st.lists(st.sampled_from(columns), unique=True)) if columns else []
    classes = st.tuples(st.none() | texts, st.none() | texts)
    negative, positive = draw(classes.filter(lambda pair: pair[0] != pair[1] or pair[0] is None))
    return Wording(
        negative=negative,
        positive=positive,
        columns=tuple(
            ColumnWording(
                column=column,
                label=draw(st.none() | texts),
                unit=draw(st.none() | texts),
                question=draw(st.none() | texts),
                answers=draw(st.dictionaries(categories, texts, max_size=3)),
            )
            for column in chosen
        ),
    )


@st.composite
def seens(draw):
    weights = st.fractions(0, 100).filter(bool)
    by_points = draw(st.dictionaries(fractions, weights, min_size=1, max_size=14))
    return ItemSeen.of(by_points, missing=draw(st.fractions(0, 1)) * sum(by_points.values()))


@st.composite
def any_cards(draw, columns=names, most=6, worded=False):
    """Cards with rules of every kind, several on a column too."""
    items, seen = [], set()
    points = draw(st.sampled_from([fractions, st.integers(-20, 20).map(Fraction)]))
    for column in draw(st.lists(columns, max_size=most)):
        rule = draw(rules(column))
        asks_missing = isinstance(rule, IsMissing)
        item = Item(
            rule=rule,
            points=draw(points.filter(bool)),
            missing=None if asks_missing else draw(st.none() | points),
            unit=draw(st.none() | names),
            question=draw(st.none() | names),
        )
        if item.name not in seen:
            seen.add(item.name)
            items.append(item)
    asked = {i.column for i in items if isinstance(i.rule, IsMissing)}
    items = [
        replace(i, missing=Fraction(0))
        if i.column in asked and i.missing is None and not isinstance(i.rule, IsMissing)
        else i
        for i in items
    ]
    used = dict.fromkeys(i.column for i in items)
    negative, positive = draw(st.tuples(labels, labels).filter(lambda pair: pair[0] != pair[1]))
    made = draw(st.none() | provenances())
    seen_on = draw(st.lists(performances(), max_size=2))
    # the counts of both are those of the training rows, and a card whose counts differ is refused
    seen_on = [one for one in seen_on if made is None or one.on != "training"]
    return Card(
        title=draw(st.none() | names),
        source=draw(st.none() | names),
        items=tuple(items),
        intercept=draw(fractions),
        reached=draw(st.booleans()),
        negative=negative,
        positive=positive,
        domains=tuple(draw(domains(c)) for c in used if draw(st.booleans())),
        provenance=made,
        risk=draw(st.none() | risks()),
        seen=tuple(draw(seens()) for _ in items) if draw(st.integers(0, 3)) == 0 else None,
        performance=tuple(seen_on),
        wording=draw(wordings(list(used))) if worded and draw(st.integers(0, 2)) == 0 else Wording(),
    )


@st.composite
def cards(draw, columns=names, most=6):
    used = draw(st.lists(columns, max_size=most, unique=True))
    negative, positive = draw(st.tuples(labels, labels).filter(lambda pair: pair[0] != pair[1]))
    return Card(
        title=draw(st.none() | names),
        items=tuple(
            Item(rule=ValueOf(name), points=draw(fractions.filter(bool)), position=j) for j, name in enumerate(used)
        ),
        intercept=draw(fractions),
        reached=draw(st.booleans()),
        negative=negative,
        positive=positive,
        n_columns=len(used),
        provenance=draw(st.none() | provenances()),
    )


def chads2():
    """Stroke risk in atrial fibrillation (Gage et al. 2001), high when the total exceeds 1."""
    points = {"congestive_heart_failure": 1, "hypertension": 1, "age_75": 1, "diabetes": 1, "stroke_before": 2}
    return Card(
        title="stroke",
        items=tuple(Item(rule=ValueOf(name), points=Fraction(p)) for name, p in points.items()),
        intercept=Fraction(-1),
        negative="low",
        positive="high",
    )
