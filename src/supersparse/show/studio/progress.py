"""Messages of a running job to the server: its stage, its best card so far, errors and bound."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from supersparse.base.stop import Stop
from supersparse.engine.proving.projection import in_time
from supersparse.engine.solution import Solution, Trace, TraceEvent
from supersparse.learn.fit import FINAL, FIRST
from supersparse.learn.progress import Watch
from supersparse.learn.training_performance import by_classes
from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points
from supersparse.problem.variants import of_classes
from supersparse.show.studio.card_view import card_view, made_card, model_of
from supersparse.show.studio.inquiry import Inquiry

_LOOK = 0.2  # seconds between two looks whether a job was stopped
_PROGRESS_EVERY = 0.1  # seconds
_CARD_EVERY = 0.25
_STAGES = {FIRST: "first", FINAL: "final"}  # how a page knows them


class Talk:
    """A job's line to the server: events that it sends, and whether it was asked to stop."""

    def __init__(self, job_id: int, say: Callable[[dict[str, Any]], None], stopped: Callable[[], bool]) -> None:
        self._job_id = job_id
        self._say = say
        self.stopped = stopped

    def tell(self, event: str, data: Any) -> None:
        self._say({"id": self._job_id, "event": event, "data": data})

    @contextmanager
    def cancel(self, flag: Path) -> Iterator["Cancel"]:
        """Yield what says whether the job was asked to stop, in other processes too: by a file."""
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(_LOOK):
                if self.stopped():
                    flag.touch()
                    return

        flag.unlink(missing_ok=True)
        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield Cancel(flag, self.stopped)
        finally:
            ended.set()
            thread.join()
            flag.unlink(missing_ok=True)


class Cancel:
    """Says whether a job was stopped; a copy in another process looks for a file.

    >>> import pickle
    >>> here = Cancel(Path("no such file"), lambda: True)
    >>> here(), pickle.loads(pickle.dumps(here))()
    (True, False)
    """

    def __init__(self, flag: Path, stopped: Callable[[], bool] | None = None) -> None:
        self._flag, self._stopped = flag, stopped

    def __call__(self) -> bool:
        return self._flag.exists() if self._stopped is None else self._stopped()

    def __reduce__(self) -> tuple[type["Cancel"], tuple[Path]]:
        """A copy does not hear what the server says."""
        return Cancel, (self._flag,)


class Progress(Watch):
    """Follows a fit and tells the server, not too often."""

    def __init__(self, asked: Inquiry, talk: Talk, ids: dict[str, Any]) -> None:
        self._asked, self._talk, self._ids = asked, talk, ids
        self._began = time.monotonic()
        self._stage = "starting"
        self._event: TraceEvent | None = None
        self._best: Points | None = None
        self._shown: Points | None = None
        self._errors: float | None = None
        self._size: int | None = None
        self._cv_error: float | None = None
        self._card: dict[str, float | None] = {}  # what the search for the card ended with, while folds judge it
        self._told = self._drew = float("-inf")

    def about(self, asked: Inquiry) -> None:
        self._asked = asked

    def __call__(self, event: TraceEvent) -> None:
        self._event = event
        if event.points is not None:
            self._best = event.points
        now = time.monotonic()
        if now - self._told >= _PROGRESS_EVERY:
            self._tell_progress()
        if self._best is not self._shown and now - self._drew >= _CARD_EVERY:
            self._tell_card()

    def bound_only(self, event: TraceEvent) -> None:
        """Take note of a bound, where the models are of another problem than the question's."""
        self(replace(event, points=None))

    def stage(self, what: str) -> None:
        self.flush()
        self._stage = _STAGES.get(what, what)
        self._event, self._best, self._shown = None, None, None
        self._tell_progress()

    def cross_validated(self, error: float) -> None:
        self._cv_error = error
        self._tell_progress()
        if self._talk.stopped():  # folds in other processes hear of it here
            raise KeyboardInterrupt

    def flush(self) -> None:
        if self._event is not None:
            self._tell_progress()
        if self._best is not None and self._best is not self._shown:
            self._tell_card()

    def ended(self, solution: Solution) -> None:
        """Tell what a search proved in the end, which it need not have said on its way."""
        self.flush()
        evaluation = by_classes(solution).evaluation
        self._card = {
            "objective": float(solution.objective),
            "bound": float(solution.lower_bound),
            "gap": solution.gap,
            "errors": float(evaluation.training_errors),
            "size": evaluation.size,
            "nodes": solution.nodes,
        }
        self._tell(**self._card, last=True)

    def _tell_progress(self) -> None:
        self._told = time.monotonic()
        if self._best is not None and self._best is not self._shown:
            evaluation = evaluate(of_classes(self._asked.question.problem), self._best)
            self._errors, self._size = float(evaluation.training_errors), evaluation.size
        event = self._event
        if event is None and self._card and self._stage.startswith("fold"):
            self._tell(**self._card)
            return
        self._tell(
            objective=None if event is None or event.objective is None else float(event.objective),
            bound=None if event is None else float(event.lower_bound),
            gap=None if event is None else event.gap,
            errors=None if event is None else self._errors,
            size=None if event is None else self._size,
            nodes=None if event is None else event.nodes,
            proof=None if event is None or not event.gap else in_time(event.projection),
        )

    def _tell(self, **numbers: float | str | None) -> None:
        seconds = round(time.monotonic() - self._began, 3)
        self._talk.tell("progress", {"stage": self._stage, "t": seconds, **numbers, "cv_error": self._cv_error})

    def _tell_card(self) -> None:
        assert self._best is not None
        self._drew, self._shown = time.monotonic(), self._best
        problem = self._asked.question.problem
        evaluation = evaluate(problem, self._best)
        event = self._event
        solution = Solution(
            problem=problem,
            solver="search",
            points=self._best,
            evaluation=evaluation,
            lower_bound=min(evaluation.objective, event.lower_bound) if event is not None else evaluation.objective * 0,
            smallest=False,
            stop=Stop.SEARCH_ENDED,
            nodes=0 if event is None else event.nodes,
            seconds=time.monotonic() - self._began,
            trace=Trace(),
        )
        counted = by_classes(solution).evaluation
        self._errors, self._size = float(counted.training_errors), counted.size
        view = card_view(self._asked, solution, made_card(self._asked, solution), self._ids)
        self._talk.tell("card", {"card": view, "model": model_of(problem, self._best)})
