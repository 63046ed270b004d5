"""How far a run is, and how long the rest takes."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from study.fitting import Task
from study.records import Line, Record, Skipped
from study.setting import Setting

Kind = tuple[str, str, int]  # dataset, method, limit of work (1 where there is none)

_START = 5.0  # seconds, as much as is spent before fits tell the pace


class Progress:
    """Estimates the time left from what like fits have taken: of the same method, table and limit of work.

    Where there are none, from fits with another limit, in proportion; then from other tables, then from all.
    Records of this run come before those of another machine, `elsewhere`, whose times are put in proportion
    by the fits that both have made.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        known: Iterable[Line],
        clock: Callable[[], float],
        *,
        elsewhere: Iterable[Line] = (),
        jobs: int = 1,
    ) -> None:
        self._clock = clock
        self._began = clock()
        self._jobs = jobs
        self._open: dict[Kind, int] = defaultdict(int)
        for task in tasks:
            for setting in task.settings:
                self._open[kind_of(task.data.name, task.method.name, setting)] += 1
        self._all = self.left = sum(self._open.values())
        self._taken = _by_kind(known)
        self._elsewhere = _by_kind(elsewhere)
        self._spent = 0.0
        self._expected = 0.0  # by the records from elsewhere, of the fits in `_spent_on_expected`
        self._spent_on_expected = 0.0

    def plan(self) -> str:
        """Say what there is to do, and how long it takes where records tell."""
        left = self._seconds_left()
        return f"{self._all} fits to make" + (f", about {in_words(left / self._jobs)}" if left else "")

    def done(self, found: Sequence[Record | Skipped]) -> str:
        """Count what one task has brought, and say how far the run is."""
        for line in found:
            if isinstance(line, Skipped):
                return f"failed: {line.dataset} {line.method} {line.reason}"
            kind = kind_of(line.dataset, line.method, line.setting)
            if (expected := _usual(kind, self._elsewhere)) is not None:
                self._expected += expected
                self._spent_on_expected += line.seconds
            self._taken[kind].append(line.seconds)
            self._spent += line.seconds
            self._open[kind] -= 1
            self.left -= 1
        last = found[-1]
        assert isinstance(last, Record)
        elapsed = self._clock() - self._began
        # processor seconds a second: the jobs at first, when most of the time went into starting them
        rate = (self._spent + _START * self._jobs) / (elapsed + _START)
        left = self._seconds_left() / rate
        return (
            f"{self._all - self.left} of {self._all} fits, about {in_words(left)} left; "
            f"{last.dataset} {last.method} {last.split} {last.setting.in_words()}".rstrip()
        )

    def _seconds_left(self) -> float:
        """Processor seconds of the open fits, as far as records tell."""
        return sum(count * self._mean(kind) for kind, count in self._open.items() if count > 0)

    def _mean(self, kind: Kind) -> float:
        if not self._taken.get(kind) and (expected := _usual(kind, self._elsewhere)) is not None:
            return expected * self._pace()
        here = _usual(kind, self._taken)
        if here is None:  # another method
            alike = [seconds for values in self._taken.values() for seconds in values]
            return sum(alike) / len(alike) if alike else 0.0
        return here

    def _pace(self) -> float:
        """How much longer a fit takes here than elsewhere."""
        return (self._spent_on_expected + _START) / (self._expected + _START)


def _by_kind(lines: Iterable[Line]) -> dict[Kind, list[float]]:
    taken: dict[Kind, list[float]] = defaultdict(list)
    for line in lines:
        if isinstance(line, Record):
            taken[kind_of(line.dataset, line.method, line.setting)].append(line.seconds)
    return taken


def _usual(kind: Kind, taken: Mapping[Kind, Sequence[float]]) -> float | None:
    """The mean time of such a fit, in processor seconds; None where no record has its method."""
    table, method, work = kind
    alike = list(taken.get(kind, ()))
    if not alike:
        by_work = {w: times for (t, m, w), times in taken.items() if (t, m) == (table, method)}
        alike = [seconds * work / w for w, times in by_work.items() for seconds in times]
    if not alike:
        alike = [v for (_, m, _), values in taken.items() if m == method for v in values]
    return sum(alike) / len(alike) if alike else None


def kind_of(dataset: str, method: str, setting: Setting) -> Kind:
    """What fits have in common that take about the same time."""
    return dataset, method, setting.whole("work") if setting.has("work") else 1


def in_words(seconds: float) -> str:
    """Write a time roughly.

    >>> in_words(40), in_words(250), in_words(9000)
    ('40 s', '4 min', '2 h 30 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
