"""Which solver runs on which instance, and for how long."""

from dataclasses import dataclass

from benchmarks.instances import all_instances

OURS = "exact"
CPSAT = "cpsat"  # no solver of the package: it reads the program from a file, see cpsat.py
PEERS = ("highs", "scip", CPSAT)
VARIANTS: dict[str, dict[str, object]] = {"covers": {"pair_covers": True}, "2threads": {"n_jobs": 2}}
"""What may follow a solver's name after a plus, and the options it stands for."""
EXECUTOR = "2processes"
"""May follow as well: slices go to an executor of two processes."""
SOLVERS = (OURS, f"{OURS}+2threads", f"{OURS}+{EXECUTOR}", *PEERS, "highs+covers")
REPEATS = 3
PATIENCE = 4  # a peer's limit is in CPU seconds; it may take so many times as long on a busy machine
FAMILIES = ("rows", "features", "coefficients", "size")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One process: a solver on an instance."""

    instance: str
    solver: str
    limit: float
    repeats: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A named list of jobs; ours run alone, peers may run side by side."""

    name: str
    ours: tuple[Job, ...]
    peers: tuple[Job, ...]
    compared: tuple[str, ...] = ()  # instances on which FasterRisk is run as well
    startup: bool = False


_SMALL = (
    "haberman_reg", "breastcancer_reg", "breastcancer_max5", "mammo_reg", "mammo_max5", "tictactoe_max5",
    "adult_reg", "breastcancer-regularized", "rows_1000", "rows_1000000", "features_100",
    "coefficients_100", "size_4",
)  # fmt: skip
_SMALL_PEERS = ("haberman_reg", "breastcancer_reg", "mammo_reg", "mammo_max5")
_NO_PEERS = ("adult-regularized", "adult-max5features", "spambase_17", "internetad_13")  # like their twins
_COMPARED = ("haberman_max5", "breastcancer_max5", "mammo_max5", "tictactoe_max5", "adult_max5")


def full() -> Suite:
    """Everything, peers 60 s each."""
    listed = all_instances()
    alone = (*FAMILIES, "whole")  # groups without peers
    raced = [i.name for i in listed.values() if i.group not in alone and i.name not in _NO_PEERS]
    return Suite(
        name="full",
        ours=tuple(Job(instance=i.name, solver=OURS, limit=i.limit, repeats=REPEATS) for i in listed.values()),
        peers=_race(raced, 60.0),
        compared=_COMPARED,
        startup=True,
    )


def small() -> Suite:
    """A few minutes, peers 10 s each."""
    return Suite(
        name="small",
        ours=tuple(Job(instance=name, solver=OURS, limit=20.0, repeats=REPEATS) for name in _SMALL),
        peers=_race(_SMALL_PEERS, 10.0),
        compared=_COMPARED[1:4],
        startup=True,
    )


def adult() -> Suite:
    """The two adult instances with 600 s for each peer: one stored run, not part of the full one."""
    names = ("adult_reg", "adult_max5")
    return Suite(
        name="adult",
        ours=tuple(Job(instance=name, solver=OURS, limit=600.0, repeats=REPEATS) for name in names),
        peers=_race(names, 600.0),
    )


def threads() -> Suite:
    """What a second thread, or an executor of two processes, changes: wall time. Needs two free cores."""
    names = ("breastcancer_paper", "mammo_paper", "mammo_paperfree", "adult_max5")
    return Suite(
        name="threads",
        ours=tuple(
            Job(instance=name, solver=solver, limit=120.0, repeats=REPEATS)
            for name in names
            for solver in (OURS, f"{OURS}+2threads", f"{OURS}+{EXECUTOR}")
        ),
        peers=(),
    )


def covers() -> Suite:
    """What pair covers change: bounds and CPU time of HiGHS."""
    names = ("haberman_reg", "breastcancer_reg", "mammo_reg", "mammo_max5")
    return Suite(
        name="covers",
        ours=(),
        peers=tuple(
            Job(instance=name, solver=solver, limit=60.0) for name in names for solver in ("highs", "highs+covers")
        ),
    )


def _race(names: list[str] | tuple[str, ...], limit: float) -> tuple[Job, ...]:
    return tuple(Job(instance=name, solver=peer, limit=limit) for name in names for peer in PEERS)


SUITES = {"full": full, "small": small, "adult": adult, "threads": threads, "covers": covers}
