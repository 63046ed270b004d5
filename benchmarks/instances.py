"""The registry of instances: what is solved, and what is known about it."""

from dataclasses import dataclass, replace
from fractions import Fraction

from benchmarks import data
from benchmarks.data import Table
from benchmarks.synthetic import Synthetic
from supersparse import Problem

PAPER_SET = tuple(sorted([0, *(s * v for v in (1, 5, 10, 50, 100, 500) for s in (1, -1))]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What the feasibility study found: a proven optimum, or the best known model.

    `size` counts the intercept with ``intercept="paper"``; `l1` is None where it was not
    minimised, `seconds` (CPU, one thread, to the proof) is None for open instances.
    """

    objective: float
    errors: int
    size: int
    l1: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A number of training errors to reach within so many seconds."""

    errors: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a table becomes a problem. `C0` of None: so small that errors come first, then size, then l1."""

    C0: float | None = None
    largest: int | None = None  # coefficients -largest..largest
    points: tuple[int, ...] | None = None
    max_features: int | None = None
    intercept: object = "free"

    def problem(self, table: Table) -> Problem:
        """Make the problem."""
        rows, features = table.X.shape
        return Problem.of(
            table.X,
            table.y,
            C0=Fraction(9, 10 * rows * features) if self.C0 is None else self.C0,
            points=self.largest if self.points is None else list(self.points),
            max_features=self.max_features,
            intercept=self.intercept,
            feature_names=table.names,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One problem of the benchmark. `axis` is the number that grows within a synthetic family."""

    name: str
    group: str  # reference, whole, incumbent, miplib, or a family: rows, features, coefficients, size
    settings: Settings
    file: str | None = None
    synthetic: Synthetic | None = None
    reference: Reference | None = None
    target: Target | None = None
    axis: int | None = None
    limit: float = 60.0  # seconds for our engine in the full run

    @property
    def missing(self) -> str | None:
        """Why the instance cannot be built here, or None."""
        return data.missing(self.file)

    def table(self) -> Table:
        """Read or draw the data."""
        if self.synthetic is not None:
            return self.synthetic.table()
        assert self.file is not None
        return data.read(self.file)


REGULARISED = Settings(C0=0.01, largest=10)
MAX5 = Settings(largest=10, max_features=5)
MIPLIB = (-100, 100)
WHOLE = (-10_000, 10_000)  # so wide that it cuts nothing off


def _study(name: str, file: str, settings: Settings, reference: Reference, limit: float = 60.0) -> Instance:
    return Instance(name=name, group="reference", file=file, settings=settings, reference=reference, limit=limit)


def _known(objective: float, errors: int, size: int, l1: int | None, seconds: float | None) -> Reference:
    return Reference(objective=objective, errors=errors, size=size, l1=l1, seconds=seconds)


def _reference_instances() -> list[Instance]:
    bc, mammo, ttt = "breastcancer.csv", "mammo_p15.csv", "tictactoe.csv"
    haberman, adult, spam = "haberman.csv", "adult.csv.gz", "spambase.csv"
    bc_paper = Settings(C0=0.006, points=PAPER_SET, intercept="paper")
    mammo_paper = Settings(C0=0.002, largest=100, intercept="paper")
    free = {"intercept": "free"}
    return [
        _study("haberman_reg", haberman, REGULARISED, _known(0.245490, 69, 2, 10, 0.017)),
        _study("haberman_max5", haberman, MAX5, _known(0.221895, 67, 3, 10, 0.015)),
        _study("breastcancer_reg", bc, REGULARISED, _known(0.052211, 22, 2, 3, 0.065)),
        _study("breastcancer_max5", bc, MAX5, _known(0.021083, 14, 4, 22, 0.79)),
        _study("breastcancer_paper", bc, bc_paper, _known(0.056211, 22, 4, 125, 21.8)),
        _study("breastcancer_paperfree", bc, replace(bc_paper, **free), _known(0.044211, 22, 2, 15, 0.34)),
        _study("mammo_reg", mammo, REGULARISED, _known(0.228117, 200, 2, 2, 0.001)),
        _study("mammo_max5", mammo, MAX5, _known(0.191802, 184, 5, 9, 0.003)),
        _study("mammo_paper", mammo, mammo_paper, _known(0.201224, 178, 8, 80, 6.5)),
        _study("mammo_paperfree", mammo, replace(mammo_paper, **free), _known(0.200345, 181, 6, 12, 2.7)),
        _study("tictactoe_max5", ttt, MAX5, _known(0.196416, 188, 5, 9, 0.93)),
        _study("tictactoe_reg", ttt, REGULARISED, _known(0.192526, 12, 18, None, 115.0), limit=300.0),
        _study("adult_reg", adult, REGULARISED, _known(0.215621, 6044, 3, 3, 7.6)),
        _study("adult_max5", adult, MAX5, _known(0.173279, 5642, 5, 6, 5.2)),
        _study("spambase_reg", spam, REGULARISED, _known(0.149105, 548, 3, None, None)),
        _study("spambase_max5", spam, MAX5, _known(0.103908, 478, 5, None, None)),
    ]


def _whole_threshold_instances() -> list[Instance]:
    """The same problems with a whole intercept, and a score of 0 wrong for both classes."""
    known = {
        "haberman_reg": _known(0.248758, 70, 2, 10, 0.017),
        "haberman_max5": _known(0.221895, 67, 3, 13, 0.015),
        "breastcancer_reg": _known(0.052211, 22, 2, 6, 0.065),
        "breastcancer_max5": _known(0.021230, 14, 5, 13, 0.79),
        "breastcancer_paperfree": _known(0.044211, 22, 2, 15, 0.34),
        "mammo_reg": _known(0.228117, 200, 2, 4, 0.001),
        "mammo_max5": _known(0.191802, 184, 5, 18, 0.003),
        "mammo_paperfree": _known(0.200345, 181, 6, 24, 2.7),
        "tictactoe_max5": _known(0.196416, 188, 5, 18, 0.93),
        "tictactoe_reg": _known(0.193570, 13, 18, None, 115.0),
        "adult_reg": _known(0.215621, 6044, 3, 6, 7.6),
        "adult_max5": _known(0.173279, 5642, 5, 12, 5.2),
    }
    free = {instance.name: instance for instance in _reference_instances()}
    return [
        replace(
            free[name],
            name=f"{name}_whole",
            group="whole",
            settings=replace(free[name].settings, intercept=WHOLE),
            reference=reference,
        )
        for name, reference in known.items()
    ]


def _incumbent_instances() -> list[Instance]:
    """Problems where the paper's MIP gives the figure to beat: 6.6 % and 2.8 % training error."""
    return [
        Instance(
            name="spambase_17",
            group="incumbent",
            file="spambase.csv",
            settings=Settings(largest=100, max_features=17),
            target=Target(errors=275, seconds=60.0),
        ),
        Instance(
            name="internetad_13",
            group="incumbent",
            file="internetad.csv.gz",
            settings=Settings(largest=100, max_features=13),
            target=Target(errors=66, seconds=60.0),  # 2.8 % of 2359 rows
        ),
    ]


def _miplib_instances() -> list[Instance]:
    """The SLIM instances of MIPLIB 2017, rebuilt with their authors' settings."""
    return [
        Instance(
            name=name, group="miplib", file=file, settings=replace(settings, intercept=MIPLIB),
            reference=reference,
        )
        for name, file, settings, reference in [
            ("adult-regularized", "adult.csv.gz", REGULARISED, _known(0.215621, 6044, 3, 6, None)),
            ("adult-max5features", "adult.csv.gz", MAX5, _known(0.173279, 5642, 5, 12, None)),
            ("breastcancer-regularized", "breastcancer.csv", REGULARISED, _known(0.052211, 22, 2, 6, None)),
        ]
    ]  # fmt: skip


MILLION_ROWS = "rows_1000000"
_LIMIT_OF_A_FAMILY = 30.0


def _family(group: str, axis: int, synthetic: Synthetic, settings: Settings) -> Instance:
    return Instance(
        name=f"{group}_{axis}", group=group, axis=axis, synthetic=synthetic, settings=settings,
        limit=_LIMIT_OF_A_FAMILY,
    )  # fmt: skip


def _synthetic_instances() -> list[Instance]:
    """Families in which one number grows and the others stay."""
    base = Synthetic(rows=2000, features=20, patterns=200)
    settings = Settings(largest=10, max_features=4)
    many = replace(base, patterns=5000, hidden=5)
    whole = replace(base, rows=500, features=8, values=10, hidden=5)
    return [
        *(
            _family("rows", n, replace(many, rows=n), replace(settings, max_features=5))
            for n in (10**3, 10**4, 10**5, 10**6)
        ),
        *(
            _family("features", p, replace(base, features=p, hidden=3), replace(settings, max_features=3))
            for p in (10, 30, 100, 300, 1000)
        ),
        *(_family("coefficients", m, whole, replace(settings, largest=m)) for m in (1, 10, 100, 1000)),
        *(
            _family("size", k, replace(base, hidden=8), replace(settings, max_features=k))
            for k in (2, 3, 4, 5, 6, 8, 10)
        ),
    ]


def all_instances() -> dict[str, Instance]:
    """Return every instance by name, in the order of the tables."""
    listed = [
        *_reference_instances(),
        *_whole_threshold_instances(),
        *_miplib_instances(),
        *_incumbent_instances(),
        *_synthetic_instances(),
    ]
    return {instance.name: instance for instance in listed}
