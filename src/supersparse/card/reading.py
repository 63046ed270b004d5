"""A card read from the plain data of its JSON, strictly."""

from fractions import Fraction
from typing import Any, cast, get_args

from supersparse.base.errors import InvalidCardError, did_you_mean
from supersparse.card.card import Card, Cutoff, Item, Learned
from supersparse.card.fields import Fields
from supersparse.card.performance import Judged, Performance
from supersparse.card.printed import follows_from_learned
from supersparse.card.provenance import CardEdit, CertificateFile, ItemSeen, Provenance, Suppressed
from supersparse.card.risk import RISK_KINDS as RISK_KINDS
from supersparse.card.risk import LogisticRisk, Risk, SeenTotals, TableRisk
from supersparse.card.rules import RULE_KINDS, Domain, InRange, IsMissing, IsNoneOf, IsOneOf, Outside, Rule, ValueOf
from supersparse.card.words import ColumnWording, Wording
from supersparse.table.reading import Reading


def read_card(fields: Fields, version: int) -> Card:
    """Read the whole card; whatever is unknown or missing is refused."""
    fields.skip("format", "version")
    classes = fields.section("classes")
    negative, positive = classes.label("negative"), classes.label("positive")
    classes.finish()
    cutoff, intercept = _threshold(fields) if version > _EXCEEDED else (None, _exceeded(fields, version))
    reached = cutoff is not None and cutoff.reached and intercept == -cutoff.threshold
    card = Card(
        title=fields.text("title", optional=True),
        source=fields.text("source", optional=True) if version > 1 else None,
        negative=negative,
        positive=positive,
        items=tuple(_item(item, version) for item in fields.sections("items")),
        intercept=intercept,
        reached=reached,
        domains=tuple(_domain(domain, version) for domain in fields.sections("domains", optional=True))
        if version > 1
        else (),
        n_columns=fields.whole("n_columns", optional=True),
        provenance=_provenance(fields.section("provenance"), version) if fields.has("provenance") else None,
        risk=_risk(fields.section("risk")) if version > 1 and fields.has("risk") else None,
        seen=tuple(map(_seen, fields.sections("seen"))) if version > 1 and fields.has("seen") else None,
        learned=_learned(fields.section("learned"), version) if version > 1 and fields.has("learned") else None,
        performance=tuple(map(_performance, fields.sections("performance", optional=True))),
        wording=_wording(fields.section("wording")) if fields.has("wording") else Wording(),
        reading=_how_read(fields.plain_object("reading", optional=True)) if version > 1 else None,
    )
    fields.finish()
    if cutoff is not None and (cutoff.threshold, cutoff.reached) != (card.threshold, card.cutoff.reached):
        raise InvalidCardError(f"its threshold of {cutoff.positive} contradicts its intercept {intercept}")
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
                raise InvalidCardError(f"its {name} of {told} contradicts its performance on the training rows")


def _how_read(content: dict[str, Any] | None) -> Reading | None:
    return None if content is None else Reading.from_data(content)


_EXCEEDED = 2  # the last version whose threshold had to be exceeded


def _exceeded(fields: Fields, version: int) -> Fraction:
    return -fields.number("threshold") if version > 1 else fields.number("intercept")


def _threshold(fields: Fields) -> tuple[Cutoff, Fraction]:
    """The threshold as the card says it, and the intercept, which may be written beside it."""
    if fields.is_object("threshold"):
        section = fields.section("threshold")
        cutoff = Cutoff(threshold=section.number("above"), reached=False)
        section.finish()
    else:
        cutoff = Cutoff(threshold=fields.number("threshold"))
    intercept = fields.number("intercept", optional=True)
    return cutoff, -cutoff.threshold if intercept is None else intercept


def _learned(fields: Fields, version: int) -> Learned:
    found = Learned(
        items=tuple(_item(item, version) for item in fields.sections("items")),
        intercept=_exceeded(fields, version) if version <= _EXCEEDED else fields.number("intercept"),
    )
    fields.finish()
    return found


def _item(fields: Fields, version: int) -> Item:
    kind = fields.text("rule")
    known = RULE_KINDS if version > 1 else ("value",)
    if kind not in known:
        raise InvalidCardError(f"{fields.where} has the unknown rule {kind!r}", did_you_mean(kind, known))
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
        raise InvalidCardError(f"{fields.where} has both {included!r} and {excluded!r}", "keep one of them")
    return (without_end, False) if with_end is None else (with_end, True)


def _missing(fields: Fields) -> Fraction | None:
    return None if fields.is_word("missing", "refuse") else fields.number("missing", optional=True)


_OLD = ("accept", "refuse")  # up to version 2


def _domain(fields: Fields, version: int) -> Domain:
    known = get_args(Outside) if version > _EXCEEDED else _OLD
    domain = Domain(
        column=fields.text("column"),
        values=fields.categories("values") if fields.has("values") else None,
        low=fields.number("low", optional=True),
        high=fields.number("high", optional=True),
        whole=fields.truth("whole", default=False),
        outside=cast(Outside, fields.choice("outside", known, "accept")),
    )
    fields.finish()
    return domain


def _risk(fields: Fields) -> Risk:
    kind = fields.text("kind")
    found: Risk
    if kind == LogisticRisk.kind:
        slope, offset = fields.real("slope"), fields.real("offset")
        found = LogisticRisk(slope=slope, offset=offset, seen=_totals_seen(fields))
    elif kind == TableRisk.kind:
        rows = []
        for row in fields.sections("rows"):
            rows.append((row.number("total"), row.real("risk"), row.number("cases", optional=True)))
            row.finish()
        cases = [c for _, _, c in rows if c is not None]
        if cases and len(cases) < len(rows):
            raise InvalidCardError(f"{fields.where} has cases in some rows only", "give them in all or in none")
        found = TableRisk(
            totals=tuple(t for t, _, _ in rows),
            risks=tuple(r for _, r, _ in rows),
            cases=tuple(cases) if cases else None,
        )
    else:
        hint = did_you_mean(kind, RISK_KINDS)
        raise InvalidCardError(f"{fields.where} has the unknown kind {kind!r}", hint, subject=fields.where)
    fields.finish()
    return found


def _totals_seen(fields: Fields) -> SeenTotals | None:
    seen = []
    for row in fields.sections("rows", optional=True):
        seen.append((row.number("total"), row.number("cases"), row.number("events")))
        row.finish()
    if not seen:
        return None
    totals, cases, events = zip(*seen, strict=True)
    return SeenTotals(totals=totals, cases=cases, events=events)


def _performance(fields: Fields) -> Performance:
    on = cast(Judged, fields.choice("on", get_args(Judged), "training"))
    counts = ("true_positives", "false_negatives", "true_negatives", "false_positives")
    low, high = (fields.real(name) if fields.has(name) else None for name in ("auc_low", "auc_high"))
    skipped = fields.has("folds") or fields.has("folds_planned")
    seen = Performance(
        on=on,
        **{name: fields.number(name) for name in counts},
        auc=fields.real("auc") if fields.has("auc") else None,
        auc_interval=None if low is None or high is None else (low, high),
        log_loss=fields.real("log_loss") if fields.has("log_loss") else None,
        baseline_log_loss=fields.real("baseline_log_loss") if fields.has("baseline_log_loss") else None,
        folds=(fields.whole("folds"), fields.whole("folds_planned")) if skipped else None,
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
    certificate = CertificateFile(
        file=fields.text("file"),
        sha256=fields.text("sha256"),
        checked_by=fields.texts("checked_by", optional=True) or (),
    )
    fields.finish()
    return certificate


def _edit(fields: Fields) -> CardEdit:
    edit = CardEdit(change=fields.text("change"), reason=fields.text("reason"), at=fields.text("at", optional=True))
    fields.finish()
    return edit


def _suppressed(fields: Fields) -> Suppressed:
    suppressed = Suppressed(left_out=fields.whole("left_out_at_most"), merged=fields.whole("merged_at_most"))
    fields.finish()
    return suppressed


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
        certificate=_certificate(fields.section("certificate")) if version > 1 and fields.has("certificate") else None,
        edits=tuple(map(_edit, fields.sections("edits", optional=True))) if version > 1 else (),
        suppressed=_suppressed(fields.section("suppressed")) if version > 1 and fields.has("suppressed") else None,
    )
    if (fields.truth("proven_optimal"), fields.real("gap")) != (made.proven_optimal, float(made.gap)):
        raise InvalidCardError("its proven_optimal and gap contradict its objective and lower bound")
    fields.finish()
    return made
