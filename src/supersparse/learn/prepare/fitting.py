"""Learn the features of a table: column by column, then keep the most informative candidates, each once."""

import hashlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import counted, shown
from supersparse.card.card import Card
from supersparse.card.rules import Domain, InRange, IsOneOf
from supersparse.learn.prepare.bands import ColumnQuestion
from supersparse.learn.prepare.columns import ColumnPlan, FeatureCandidate, plan_column
from supersparse.learn.prepare.cuts import FEW_ROWS, LEAST_ROWS, ClassTarget, Enough, Floats
from supersparse.learn.prepare.feature import Feature
from supersparse.learn.prepare.raw import RawColumn, kind_of_column
from supersparse.learn.prepare.sample import Most, sample
from supersparse.learn.prepare.settings import PrepareSettings
from supersparse.problem.constraints.single import same_sign
from supersparse.problem.constraints.support import thresholds_per_variable
from supersparse.problem.limits import Constraint
from supersparse.problem.rows import read_weights, two_labels
from supersparse.table.sources import CellTable
from supersparse.table.tidying import codes_of
from supersparse.table.values import Cells, Numbers

# For candidates="auto": what the exact engine can prove, or nearly, within a minute.
_MOST_FEATURES = 60
_FEWEST_FEATURES = 20
_MOST_CELLS = 20_000_000  # rows x features; 10^6 rows of 20 features are solved in 10 s and 1 GB
_LEAST_COLUMNS = 30  # that are looked at, though time may be up
_FEW = 10  # features, where others are left out for being rare
_MANY_OUTDONE = 5  # beyond this many columns, unused ones share one note


class NoFeatureError(InvalidDataError):
    """No column gives a usable feature, or question."""

    @classmethod
    def about(cls, what: str, notes: Mapping[str, str], rare: str = "") -> "NoFeatureError":
        """Say what became of the first columns."""
        some = "; ".join(f"{name}: {note}" for name, note in list(notes.items())[:5])
        return cls(f"no column gives a usable {what}: {rare}{some}")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PreparedColumns:
    """The features, or questions, and notes learned from a table."""

    features: tuple[Feature, ...] = ()
    questions: tuple[ColumnQuestion, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    notes: tuple[str, ...] = ()
    domains: Mapping[str, Domain]
    n_candidates: int  # how many features, or columns to ask about, there were to choose from
    n_rare: int = 0  # how many were left out because they single out too few rows
    codes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # they look like missing values
    unreadable: Mapping[str, str] = field(default_factory=dict)  # columns of neither numbers nor text
    update: Card | None = None  # the card in use whose questions these are


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """The candidates kept, in table order, and the number left out for each reason."""

    kept: tuple[Feature, ...]
    few_rows: int
    repeated: int
    beyond_limit: int

    @property
    def n_candidates(self) -> int:
        """How many there were to choose from: those kept, and those beyond the limit."""
        return len(self.kept) + self.beyond_limit


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureFacts:
    """The information in a feature: the weight of the rows without its most common value, and which they are.

    Features that repeat or negate each other have the same digest.
    """

    rarer: float
    digest: Hashable


def prepare_columns(
    table: CellTable, y: object, sample_weight: object, settings: PrepareSettings, most: Most | None = None
) -> PreparedColumns:
    """Learn the features of a table, or of a sample of it where it has more than `most`."""
    positions = {name: position for position, name in enumerate(table.columns)}
    settings.check_columns(list(positions))
    target, rows = read_target(table.n_rows, y, sample_weight, needed=settings.cuts in ("optimal", "tree"))
    if target.positive is None and settings.cuts in ("optimal", "tree"):
        raise InvalidDataError(f"cuts={settings.cuts!r} needs the classes", "give y, or use cuts='quantile'")
    if not rows.all():
        table = table.take(np.flatnonzero(rows))
    n_rows, all_notes = table.n_rows, few_rows_note(target, settings)
    if most is not None:
        table, target, sampled = sample(table, target, most, settings.named)
        all_notes += sampled
    kinds = {name: kind_of_column(cells) for name, cells in table.columns.items()}
    unused = {name: note for name, kind in kinds.items() if (note := unusable(kind))}
    used = [name for name in kinds if name not in unused]
    if settings.missing == "drop":
        table, target, dropped = _without_gaps(CellTable({n: table.columns[n] for n in used}, table.n_rows), target)
        all_notes += dropped

    def with_settings(settings: PrepareSettings) -> PreparedColumns:
        plans: dict[str, ColumnPlan] = {}
        codes: dict[str, tuple[int, ...]] = {}
        for name in used:  # one at a time, to save memory
            if most is not None and most.is_over and len(plans) >= _LEAST_COLUMNS:
                break
            column = RawColumn(name=name, position=positions[name], cells=table.columns[name])
            plans[name] = plan_column(column, kinds[name], target, settings)
            if kinds[name] == "numbers" and name not in settings.named and (coded := _codes(column)):
                codes[name] = coded
        notes = {name: plan.note + _codes_note(codes.get(name, ())) for name, plan in plans.items()} | unused
        cells = {name: plan.cells for name, plan in plans.items()}
        prepared = put_together(
            [plans[name] for name in positions if name in plans],
            {name: notes[name] for name in positions if name in notes},
            all_notes + _ignored_note(len(positions) - len(notes), len(positions)),
            target,
            n_rows,
            settings,
            lambda features: [facts_of(feature, cells, target) for feature in features],
        )
        unreadable = {name: kind for name, kind in kinds.items() if kind.startswith("values such as")}
        return replace(prepared, codes=codes, unreadable=unreadable)

    return with_rare_answers(settings, target, with_settings)


def with_rare_answers(
    settings: PrepareSettings, target: ClassTarget, prepare: Callable[[PrepareSettings], PreparedColumns]
) -> PreparedColumns:
    """Let answers hold 10 rows where most of them hold less than 2 %, as with rare words or findings."""
    usual = Enough.of(target, None)
    relaxes = settings.least_share is None and usual.weight > LEAST_ROWS
    try:
        prepared = prepare(settings)
    except NoFeatureError:
        if not relaxes:
            raise
        prepared = None
    if not relaxes or (prepared is not None and len(prepared.features) >= min(_FEW, prepared.n_rare)):
        assert prepared is not None, "an error is raised where nothing is relaxed"
        return prepared
    try:
        relaxed = prepare(replace(settings, rare=Fraction(LEAST_ROWS) / Fraction(target.total)))
    except NoFeatureError:
        if prepared is None:
            raise
        return prepared
    note = f"most answers are rarer than {usual.in_words}; those with at least {LEAST_ROWS} are offered (rare)"
    return replace(relaxed, notes=(note, *relaxed.notes))


def put_together(
    plans: Sequence[ColumnPlan],
    notes: dict[str, str],
    all_notes: Sequence[str],
    target: ClassTarget,
    n_rows: int,
    settings: PrepareSettings,
    tell: Callable[[Sequence[Feature]], Sequence[FeatureFacts]],
) -> PreparedColumns:
    """Select the features of all columns; `notes` are on each column, `all_notes` on the table."""
    most, enough = _most_candidates(settings, n_rows), Enough.of(target, settings.least_share)
    candidates = [candidate for plan in plans for candidate in plan.candidates]
    facts = tell([candidate.feature for candidate in candidates])
    kept = screen(candidates, facts, target, least=enough.weight, most=most)
    in_use = {feature.column for feature in kept.kept}
    unused = {plan.name for plan in plans if plan.candidates and plan.name not in in_use}
    for name in unused:
        notes[name] += "; not used"
    outdone = [plan.name for plan in plans if plan.name in unused and len(plan.candidates) > 1]
    if not kept.kept:
        single = "candidate singles" if kept.few_rows == 1 else "candidates single"
        rare = f"{kept.few_rows} {single} out fewer than {enough.in_words}, so lower rare; "
        raise NoFeatureError.about("feature", notes, rare if kept.few_rows else "")
    return PreparedColumns(
        features=kept.kept,
        constraints=_constraints(kept.kept, settings),
        notes=(*all_notes, *_column_notes(notes, outdone), *_left_out(kept, most)),
        domains={plan.name: plan.domain for plan in plans if plan.domain is not None},
        n_candidates=kept.n_candidates,
        n_rare=kept.few_rows,
    )


def _codes(column: RawColumn) -> tuple[int, ...]:
    """The numbers of a column that look like codes for missing values."""
    if not isinstance(column.cells, Numbers) or any(column.beyond):
        return ()
    distinct, places = column.distinct
    return tuple(codes_of(distinct.astype(np.float64), np.bincount(places, minlength=len(distinct))))


def _codes_note(codes: Sequence[int]) -> str:
    if not codes:
        return ""
    return f"; {' and '.join(map(str, codes))} " + (
        "stands apart like a code for missing, and counts as a number"
        if len(codes) == 1
        else "stand apart like codes for missing, and count as numbers"
    )


def _ignored_note(ignored: int, n_columns: int) -> list[str]:
    if not ignored:
        return []
    return [
        f"{ignored} of {n_columns} columns were not looked at, to keep the time limit; the others separate "
        "the classes better"
    ]


def few_rows_note(target: ClassTarget, settings: PrepareSettings) -> list[str]:
    """Say how few rows an answer may hold, where the rows are few."""
    if settings.least_share is not None or target.total >= FEW_ROWS:
        return []
    enough = Enough.of(target, None).in_words
    return [
        f"only {shown(Fraction(target.total))} rows: every answer holds at least {enough}, a fifth of them; "
        f"from {FEW_ROWS} rows on it would be {LEAST_ROWS}"
    ]


def _column_notes(notes: dict[str, str], outdone: list[str]) -> Iterator[str]:
    """One note per column, or a shared one if many columns are unused."""
    together = set(outdone) if len(outdone) > _MANY_OUTDONE else set()
    yield from (f"{name}: {note}" for name, note in notes.items() if name not in together)
    if together:
        yield f"{len(outdone)} columns not used, because others are more informative: {', '.join(outdone)}"


def read_target(
    n_rows: int, y: object, sample_weight: object, *, needed: bool
) -> tuple[ClassTarget, NDArray[np.bool_]]:
    """The rows with positive weight, and their classes; optional labels only help to rank features."""
    if n_rows == 0:
        raise InvalidDataError("the table has no rows", "give at least one row of each class")
    positive = None if y is None else _read_labels(y, needed=needed)
    if positive is not None and len(positive) != n_rows:
        raise InvalidDataError(f"y has {len(positive)} labels for {n_rows} rows", "give one label per row")
    weights = as_copies(*read_weights(sample_weight, n_rows))
    rows = weights > 0
    return ClassTarget(weights, positive).take(rows), rows


def as_copies(integers: NDArray[Any], unit: Fraction) -> NDArray[np.float64]:
    """Whole weights, in lowest terms, count as copies of a row; others are scaled to the number of rows."""
    weights = integers.astype(np.float64)
    if unit.denominator == 1:
        return weights
    return weights * (np.count_nonzero(weights) / float(weights.sum()))


def _read_labels(y: object, *, needed: bool) -> NDArray[np.bool_] | None:
    try:
        labels, (_, last) = two_labels(y)
    except InvalidDataError:
        if needed:
            raise
        return None  # another kind of target, for other estimators in a Pipeline
    # by sorted order, whichever class is called positive: parts of the rows must not differ in that
    positive: NDArray[np.bool_] = labels == last
    return positive


def unusable(kind: str) -> str:
    """Why a column of this kind is left out; empty if it is not."""
    if kind == "nothing":
        return "left out: all values are missing"
    if kind.startswith("values such as"):
        return f"left out: it contains {kind}; convert them to numbers or text"
    return ""


def usable_columns(table: CellTable) -> CellTable:
    """Return the table without unusable columns."""
    kept = {name: cells for name, cells in table.columns.items() if not unusable(kind_of_column(cells))}
    return CellTable(kept, table.n_rows)


def complete_rows(table: CellTable) -> NDArray[np.bool_]:
    """Which rows have a value in every column."""
    complete = np.ones(table.n_rows, dtype=bool)
    for cells in table.columns.values():
        if cells.missing is not None:
            complete &= ~cells.missing
    return complete


def _without_gaps(table: CellTable, target: ClassTarget) -> tuple[CellTable, ClassTarget, list[str]]:
    complete = complete_rows(table)
    n_left = int(complete.sum())
    if n_left == table.n_rows:
        return table, target, []
    gaps = {name: int(cells.missing.sum()) for name, cells in table.columns.items() if cells.missing is not None}
    worst = ", ".join(f"{name} {gaps[name]}" for name in sorted(gaps, key=lambda n: -gaps[n])[:5])
    note = f"{table.n_rows - n_left} of {table.n_rows} rows dropped for missing values ({worst})"
    left = target.take(complete)
    if n_left == 0 or (left.positive is not None and left.positive.all() == left.positive.any()):
        raise InvalidDataError(
            f"{note}: the remaining rows do not have both classes", "use missing='item', or drop those columns"
        )
    return table.take(np.flatnonzero(complete)), left, [note]


def _most_candidates(settings: PrepareSettings, n_rows: int) -> int | None:
    if settings.candidates != "auto":
        return settings.candidates
    return max(_FEWEST_FEATURES, min(_MOST_FEATURES, _MOST_CELLS // n_rows))


def _constraints(features: Sequence[Feature], settings: PrepareSettings) -> tuple[Constraint, ...]:
    """Limit the number of thresholds per column where there are more, and let their points rise or fall."""
    by_column: dict[str, list[str]] = {}
    for feature in features:
        by_level = isinstance(feature.rule, IsOneOf) and feature.column in settings.ordered
        if by_level or isinstance(feature.rule, InRange):
            by_column.setdefault(feature.column, []).append(feature.name)
    constraints: list[Constraint] = []
    most = settings.per_variable
    many = {} if most is None else {column: names for column, names in by_column.items() if len(names) > most}
    if most is not None and many:
        constraints.append(thresholds_per_variable(most, many))
    if most is None or most > 1:
        several = {c: names for c, names in by_column.items() if len(names) > 1 and settings.is_monotone(c)}
        if several:
            constraints.append(same_sign(several))
    return tuple(constraints)


def _left_out(kept: Screened, most: int | None) -> list[str]:
    reasons = [
        (kept.few_rows, "singling out too few rows"),
        (kept.repeated, "repeating or negating another"),
        (kept.beyond_limit, f"beyond the limit of {most} (candidates)"),
    ]
    parts = [f"{count} {reason}" for count, reason in reasons if count]
    features = counted(len(kept.kept), "feature")
    return [f"{features}; candidates left out: {', '.join(parts)}"] if parts else []


def facts_of(feature: Feature, columns: Mapping[str, Cells], target: ClassTarget) -> FeatureFacts:
    """Look at all rows of a feature."""
    values = feature.of_cells(columns[feature.column])
    return FeatureFacts(rarer=weight_apart(values, target.weights), digest=_digest(values))


def screen(
    candidates: Sequence[FeatureCandidate],
    facts: Sequence[FeatureFacts],
    target: ClassTarget,
    *,
    least: float,
    most: int | None,
) -> Screened:
    """Keep the best candidates up to a maximum; those that the user requested are always kept.

    Leaving out what repeats or negates another loses no card. What single out too few rows could save at most
    that share of the errors. What lies beyond the maximum may be missed, and is counted. `facts` are of each candidate.
    """
    by_chance = target.by_chance if target.positive is not None else 0.0

    def rank(pair: tuple[FeatureCandidate, FeatureFacts]) -> tuple[Any, ...]:
        c = pair[0]
        return c.round >= 0 and c.gain < by_chance, c.round, -c.gain, c.feature.position, c.feature.name

    seen: set[Hashable] = set()
    kept: list[Feature] = []
    few = repeated = beyond = 0
    for candidate, tells in sorted(zip(candidates, facts, strict=True), key=rank):
        is_asked = candidate.round < 0
        if not (tells.rarer > 0 and tells.rarer >= (0.0 if is_asked else least) - 1e-9 * max(1.0, target.total)):
            few += 1
            continue
        if tells.digest in seen:
            repeated += 1
            continue
        seen.add(tells.digest)
        if most is not None and len(kept) >= most and not is_asked:
            beyond += 1
        else:
            kept.append(candidate.feature)
    places = {id(c.feature): k for k, c in enumerate(candidates)}
    kept.sort(key=lambda feature: (feature.position, *_low(feature), places[id(feature)]))
    return Screened(kept=tuple(kept), few_rows=few, repeated=repeated, beyond_limit=beyond)


def _low(feature: Feature) -> tuple[bool, Fraction]:
    """Thresholds from low to high, then other features by rank."""
    low = feature.rule.low if isinstance(feature.rule, InRange) else None
    return low is None, low or Fraction(0)


def weight_apart(values: NDArray[Any], weights: Floats) -> float:
    """The weight of the rows that differ from the most common value."""
    total = float(weights.sum())
    if is_yes_or_no(values):
        ones = float(weights[values.astype(bool)].sum())
        return min(ones, total - ones)
    _, codes = np.unique(values, return_inverse=True)
    return total - float(np.bincount(codes.reshape(-1), weights).max())


def is_yes_or_no(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "biu" and values.min() >= 0 and values.max() <= 1


def _digest(values: NDArray[Any]) -> bytes:
    """Fingerprint a column; a 0/1 column and its complement have the same fingerprint."""
    if is_yes_or_no(values):
        bits = values.astype(bool)
        return hashlib.blake2b(np.packbits(bits ^ bits[0]).tobytes()).digest()
    as_text = repr(values.tolist()).encode() if values.dtype == object else values.tobytes()
    return hashlib.blake2b(as_text).digest()
