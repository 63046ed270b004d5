"""How far a run is, and how long the rest takes."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from study.fitting import Task
from study.records import Line, Record, Skipped
from study.setting import Setting

Kind = tuple[str, str, int]  # dataset, method, limit of work (1 where there is none)


class Progress:
    """Estimates the time left from what like fits have taken: of the same method, table and limit of work.

    Where there are none, from fits with another limit, in proportion; then from other tables, then from all.
    """

    def __init__(self, tasks: Sequence[Task], known: Iterable[Line], clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._open: dict[Kind, int] = defaultdict(int)
        for task in tasks:
            for setting in task.settings:
                self._open[kind_of(task.data.name, task.method.name, setting)] += 1
        self._all = self.left = sum(self._open.values())
        self._taken: dict[Kind, list[float]] = defaultdict(list)
        self._spent = 0.0
        for line in known:
            if isinstance(line, Record):
                self._taken[kind_of(line.dataset, line.method, line.setting)].append(line.seconds)

    def plan(self) -> str:
        """Say what there is to do."""
        return f"{self._all} fits to make"

    def done(self, found: Sequence[Record | Skipped]) -> str:
        """Count what one task has brought, and say how far the run is."""
        for line in found:
            if isinstance(line, Skipped):
                return f"failed: {line.dataset} {line.method} {line.reason}"
            kind = kind_of(line.dataset, line.method, line.setting)
            self._taken[kind].append(line.seconds)
            self._spent += line.seconds
            self._open[kind] -= 1
            self.left -= 1
        last = found[-1]
        assert isinstance(last, Record)
        elapsed = self._clock() - self._began
        rate = max(self._spent / elapsed, 1e-9) if elapsed else 1.0  # processor seconds a second: the jobs
        left = sum(count * self._usual(kind) for kind, count in self._open.items() if count > 0) / rate
        return (
            f"{self._all - self.left} of {self._all} fits, about {in_words(left)} left; "
            f"{last.dataset} {last.method} {last.split} {last.setting.in_words()}".rstrip()
        )

    def _usual(self, kind: Kind) -> float:
        """The mean time of such a fit, in processor seconds."""
        table, method, work = kind
        alike = self._taken.get(kind)
        if not alike:
            by_work = {w: times for (t, m, w), times in self._taken.items() if (t, m) == (table, method)}
            alike = [seconds * work / w for w, times in by_work.items() for seconds in times]
        if not alike:
            alike = [v for (_, m, _), values in self._taken.items() if m == method for v in values]
        if not alike:
            alike = [v for values in self._taken.values() for v in values]
        return sum(alike) / len(alike)


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
