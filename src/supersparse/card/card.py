"""Card: one scoring system, complete and frozen."""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor

from supersparse.base.errors import InvalidCardError
from supersparse.base.exact import shown
from supersparse.card import words
from supersparse.card.performance import Performance
from supersparse.card.provenance import ItemSeen, Provenance
from supersparse.card.risk import Risk
from supersparse.card.rules import Domain, IsMissing, Rule, ValueOf
from supersparse.card.words import Wording
from supersparse.table.reading import Reading
from supersparse.table.small_table import SmallTable, Tabular, number
from supersparse.table.values import declared_number


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Cutoff(Tabular):
    """The threshold of a card: the positive class is predicted for this total or more.

    The exception is a card of fractional totals whose threshold must be exceeded: the paper's intercepts
    count a total equal to the threshold as wrong for both classes, and published rules may read "more than
    2.5". Among whole totals, more than 3 is 4 or more, and reads so.

    >>> whole = Cutoff(threshold=Fraction(7, 2), whole=True)
    >>> whole.threshold, whole.positive, whole.negative, whole.comparison
    (Fraction(4, 1), '4 or more', '3 or less', '>= 4')
    >>> any_total = Cutoff(threshold=Fraction(7, 2))
    >>> any_total.positive, any_total.negative, any_total.comparison
    ('3.5 or more', 'less than 3.5', '>= 3.5')
    """

    threshold: Fraction
    reached: bool = True  # False: the threshold must be exceeded
    whole: bool = False  # every total is a whole number
    tie: Fraction | None = None  # the total that was wrong for both classes while learning

    def __post_init__(self) -> None:
        if self.whole:
            least = ceil(self.threshold) if self.reached else floor(self.threshold) + 1
            object.__setattr__(self, "threshold", Fraction(least))
            object.__setattr__(self, "reached", True)

    @property
    def positive(self) -> str:
        """The totals of the positive class."""
        return f"{shown(self.threshold)} or more" if self.reached else f"more than {shown(self.threshold)}"

    @property
    def negative(self) -> str:
        """The totals of the negative class."""
        if self.whole:
            return f"{shown(self.threshold - 1)} or less"
        return f"less than {shown(self.threshold)}" if self.reached else f"{shown(self.threshold)} or less"

    @property
    def comparison(self) -> str:
        """The totals of the positive class, for code and formulas."""
        return f"{self.sign} {shown(self.threshold)}"

    @property
    def sign(self) -> str:
        """How a total of the positive class compares with the threshold."""
        return ">=" if self.reached else ">"

    def includes(self, total: Fraction) -> bool:
        """Whether a total predicts the positive class."""
        return total > self.threshold or (self.reached and total == self.threshold)

    def at(self, threshold: Fraction, *, reached: bool = True) -> "Cutoff":
        """Return the cutoff of the same card with another threshold."""
        return Cutoff(threshold=threshold, reached=reached, whole=self.whole)

    def _brief(self) -> str:
        return f"a total of {self.positive}"

    _facts = "positive negative"


Label = str | int | float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Item(Tabular):
    """One line of a card: points times what the rule makes of a raw column.

    `missing` are the points that a missing value gives, instead of what the rule says: None
    refuses it, 0 makes it count nothing. An item that asks whether the value is missing has None.
    """

    __module__ = "supersparse"

    rule: Rule
    points: Fraction
    missing: Fraction | None = None
    unit: str | None = None
    question: str | None = None  # None: made from the rule, see `asks`
    position: int | None = None  # where the column stands in a table without names

    def __post_init__(self) -> None:
        what = f"the item {self.name!r}"
        object.__setattr__(self, "points", declared_number(self.points, f"the points of {what}"))
        if self.points == 0:
            raise InvalidCardError(f"{what} gives 0 points", "leave it out", subject=what)
        if self.missing is not None:
            if isinstance(self.rule, IsMissing):
                raise InvalidCardError(
                    f"{what} asks for a missing value and gives its points for it", "leave out 'missing'"
                )
            missing = declared_number(self.missing, f"the points for a missing value of {what}")
            object.__setattr__(self, "missing", missing)

    @property
    def column(self) -> str:
        """The raw column."""
        return self.rule.column

    @property
    def name(self) -> str:
        """A short name, unique on its card: the column, or a condition such as "age >= 60"."""
        return words.condition(self.rule)

    @property
    def asks(self) -> str:
        """The question in plain language, "Age 60 or older?": the given one, or one made from the rule."""
        return words.question(self.rule, self.unit) if self.question is None else self.question

    @property
    def when_missing(self) -> Fraction | None:
        """The points of a missing value; None where it is refused."""
        return self.points if isinstance(self.rule, IsMissing) else self.missing

    @property
    def is_yes_no(self) -> bool:
        """Whether the points are given or not, rather than multiplied by the value."""
        return not isinstance(self.rule, ValueOf)

    def gives_whole_points(self, domain: Domain | None) -> bool:
        """Whether the points that values of the column's domain, or a missing one, give are whole."""
        if self.points.denominator > 1 or (self.missing is not None and self.missing.denominator > 1):
            return False
        return self.is_yes_no or (domain is not None and domain.is_whole)

    def _brief(self) -> str:
        points = "1 point" if self.points == 1 else f"{number(self.points)} points"
        return f"{points} {'if' if self.is_yes_no else 'times'} {self.name}"

    _facts = "question=asks points if_missing=missing unit"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Learned(Tabular):
    """The model behind a printed card: points as the solver gave them to features, and the intercept."""

    items: tuple[Item, ...]
    intercept: Fraction

    _facts = "items intercept"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Card(Tabular):
    """A scoring system: score = Σ points·rule(value) + intercept, positive class when score > 0.

    On paper the intercept is a threshold: the positive class when the points add up to `threshold` or more,
    see `Cutoff`. With `reached`, a score of 0 is positive as well. `n_columns` is the width of the training
    table; arrays without column names are accepted in that shape only, and not at all when it is None.
    """

    __module__ = "supersparse"

    items: tuple[Item, ...]
    intercept: Fraction
    negative: Label
    positive: Label
    reached: bool = False  # a score of exactly 0 gives the positive class
    title: str | None = None
    source: str | None = None  # where it comes from: a citation, a study
    domains: tuple[Domain, ...] = ()
    n_columns: int | None = None
    provenance: Provenance | None = None
    risk: Risk | None = None  # of the positive class by total of points; None: not known
    seen: tuple[ItemSeen, ...] | None = None  # what each item gave on the training rows; None: not known
    learned: Learned | None = None  # the points before `printed` rearranged them; None: these are they
    performance: tuple[Performance, ...] = ()  # what it got right and wrong, on which rows
    wording: Wording = field(default_factory=Wording)
    reading: Reading | None = field(default=None, hash=False)  # how the file was read that it was learned from

    def __post_init__(self) -> None:
        intercept = declared_number(self.intercept, "the intercept")
        object.__setattr__(self, "intercept", intercept)
        for label in self.classes:
            if not isinstance(label, Label) or (isinstance(label, float) and not math.isfinite(label)):
                raise InvalidCardError(f"the class {label!r} must be text or a finite number")
        if self.negative == self.positive:
            raise InvalidCardError(f"both classes are named {self.positive!r}", "they must differ")
        self._check_items()
        self._check_columns()
        if intercept.denominator > 1 and self.totals_are_whole:
            object.__setattr__(self, "reached", True)  # no score is 0: one way to say it
        if self.seen is not None and len(self.seen) != len(self.items):
            raise InvalidCardError(
                f"the card says of {len(self.seen)} items what they have seen, and has {len(self.items)}"
            )

    def _check_items(self) -> None:
        rules: set[Rule] = set()
        names: set[str] = set()
        for item in self.items:
            if item.rule in rules:
                raise InvalidCardError(
                    f"two items give points for the {item.rule.kind} of {item.column!r} ({item.name})",
                    "join them into one",
                )
            if item.name in names:
                raise InvalidCardError(f"two items are named {item.name!r}", "rename a column")
            rules.add(item.rule)
            names.add(item.name)
            if item.position is not None and not 0 <= item.position < (self.n_columns or 0):
                raise InvalidCardError(f"item {item.name!r} has position {item.position} of {self.n_columns} columns")

    def _check_columns(self) -> None:
        by_column = self.items_by_column()
        for column, items in by_column.items():
            if len({item.position for item in items}) > 1:
                raise InvalidCardError(f"the items on {column!r} name different positions", "name one")
            refusing = [i for i in items if i.missing is None and not isinstance(i.rule, IsMissing)]
            if refusing and any(isinstance(item.rule, IsMissing) for item in items):
                raise InvalidCardError(
                    f"an item gives points when {column!r} is missing, but {refusing[0].name!r} refuses it",
                    "say how many points it gives then, such as missing=0",
                )
        declared = [domain.column for domain in self.domains]
        for column in declared:
            if column not in by_column:
                raise InvalidCardError(f"there is a domain for {column!r}, which no item uses", "leave it out")
        if len(set(declared)) < len(declared):
            raise InvalidCardError(f"a column has two domains ({', '.join(map(repr, declared))})", "keep one")

    @property
    def classes(self) -> tuple[Label, Label]:
        """(negative, positive)."""
        return self.negative, self.positive

    @property
    def threshold(self) -> Fraction:
        """The least total of the positive class; where `cutoff.reached` is false, it must be exceeded."""
        return self.cutoff.threshold

    @property
    def zero_total(self) -> Fraction:
        """The total whose score is 0."""
        return -self.intercept

    @property
    def totals_are_whole(self) -> bool:
        """Whether the points of anyone whose values lie in the domains add up to a whole number."""
        return all(item.gives_whole_points(domain) for _, items, domain in self.by_column() for item in items)

    @property
    def cutoff(self) -> Cutoff:
        """Which totals give the positive class, and how that reads."""
        made = self.provenance
        has_ties = made is not None and not made.threshold_was_free
        return Cutoff(
            threshold=self.zero_total,
            reached=self.reached,
            whole=self.totals_are_whole,
            tie=self.zero_total if has_ties else None,
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The raw columns that the card needs, each once."""
        return tuple(dict.fromkeys(item.column for item in self.items))

    def domain(self, column: str) -> Domain | None:
        """The values that a column may hold; None where the card does not say."""
        return next((domain for domain in self.domains if domain.column == column), None)

    def by_column(self) -> list[tuple[str, list[Item], Domain | None]]:
        """The columns in order, each with its items and its domain."""
        return [(column, items, self.domain(column)) for column, items in self.items_by_column().items()]

    def items_by_column(self) -> dict[str, list[Item]]:
        """The items that use each column."""
        by_column: dict[str, list[Item]] = {}
        for item in self.items:
            by_column.setdefault(item.column, []).append(item)
        return by_column

    @property
    def as_learned(self) -> "Card":
        """The card with the points that the solver found, which may be negative, as the paper prints it."""
        if self.learned is None:
            return self
        return replace(
            self,
            items=self.learned.items,
            intercept=self.learned.intercept,
            risk=None,  # its totals are those of the printed card
            seen=None,
            learned=None,
        )

    @property
    def size_with_intercept(self) -> int:
        """Learned points, and one more for an intercept that is not 0 (the paper counts so)."""
        model = self.as_learned
        return len(model.items) + (model.intercept != 0)

    def _brief(self) -> str:
        terms = [f'{number(item.points)} x "{item.name}"' for item in self.items]
        total = " + ".join(terms) if len(terms) <= 9 else f"the points of {len(terms)} items"
        return f"{self.positive} if {total or 0} {self.cutoff.comparison}"

    def _small_table(self) -> SmallTable:
        rows = [(item.name, number(item.points)) for item in self.items]
        return SmallTable(("item", "points"), [*rows, (f"{self.positive} from", self.cutoff.positive)])
