"""How far a run is, and how long the rest takes."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from supersparse.experiments.fitting import Task
from supersparse.experiments.records import Line, Record, Skipped


class Progress:
    """Estimates the time left from what like fits have taken: on the same table, else of the same method."""

    def __init__(self, tasks: Sequence[Task], known: Iterable[Line], clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._open: dict[tuple[str, str], int] = defaultdict(int)
        for task in tasks:
            self._open[task.data.name, task.method.name] += len(task.settings)
        self._all = self.left = sum(self._open.values())
        self._taken: dict[tuple[str, str], list[float]] = defaultdict(list)
        self._spent = 0.0
        for line in known:
            if isinstance(line, Record):
                self._taken[line.dataset, line.method].append(line.seconds)

    def plan(self) -> str:
        """Say what there is to do."""
        return f"{self._all} fits to make"

    def done(self, found: Sequence[Record | Skipped]) -> str:
        """Count what one task has brought, and say how far the run is."""
        for line in found:
            if isinstance(line, Skipped):
                return f"failed: {line.dataset} {line.method} {line.reason}"
            self._taken[line.dataset, line.method].append(line.seconds)
            self._spent += line.seconds
            self._open[line.dataset, line.method] -= 1
            self.left -= 1
        last = found[-1]
        assert isinstance(last, Record)
        elapsed = self._clock() - self._began
        rate = max(self._spent / elapsed, 1e-9) if elapsed else 1.0  # processor seconds a second: the jobs
        left = sum(count * self._usual(pair) for pair, count in self._open.items() if count > 0) / rate
        return (
            f"{self._all - self.left} of {self._all} fits, about {in_words(left)} left; "
            f"{last.dataset} {last.method} {last.split} {last.setting.in_words()}".rstrip()
        )

    def _usual(self, pair: tuple[str, str]) -> float:
        """The mean time of such a fit, in processor seconds."""
        alike = self._taken.get(pair)
        if not alike:
            alike = [v for (_, method), values in self._taken.items() if method == pair[1] for v in values]
        if not alike:
            alike = [v for values in self._taken.values() for v in values]
        return sum(alike) / len(alike)


def in_words(seconds: float) -> str:
    """Write a time roughly.

    >>> in_words(40), in_words(250), in_words(9000)
    ('40 s', '4 min', '2 h 30 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
