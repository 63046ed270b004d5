"""Run: one solve, from the first part to the claim: in this thread, in several, or on an executor.

Limits, reports, checkpoints and restarts are the same for every engine. An engine adds its other work,
such as a search for good models, and says how its numbers become objectives.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic

from supersparse.base.stop import Stop
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving.checkpoint import Checkpoint, locked
from supersparse.engine.proving.cluster import LOOK_SECONDS, Cluster, RemoteEngine, RemoteParts, Slices
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.proving.open_parts import Part
from supersparse.engine.proving.proof import Proof, quick_switches
from supersparse.engine.solution import Claim
from supersparse.problem.conflicts import infeasible
from supersparse.problem.problem import Problem


class Run(ABC, Generic[Part]):
    """A proof under way, within its limits."""

    look_every = 0
    """Work between two looks at the limits; 0 to look after every step."""
    report_every: int
    """Work between two reports of the bound."""
    alone_before_threads = 0
    """Work that is done before threads start."""
    alone_before_executor = 0
    """Work that is done before an executor is asked."""
    proves_smallest = False
    """Whether nothing open means that no model as good has smaller points."""

    def __init__(
        self, problem: Problem, options: SolveOptions, monitor: Monitor, proof: Proof[Part], checkpoint_form: str
    ) -> None:
        self.problem, self.options, self.monitor, self.proof = problem, options, monitor, proof
        self.checkpoint = Checkpoint(options.checkpoint, checkpoint_form, problem)
        self.stop: Stop | None = None
        self._report_at = 0

    @abstractmethod
    def begin(self) -> None:
        """Open the roots, or the parts in a checkpoint."""

    @abstractmethod
    def report(self) -> None:
        """Report the bound to the monitor, and the best model if it does not know it."""

    @property
    @abstractmethod
    def nodes(self) -> int:
        """The work so far, as a limit on nodes counts it."""

    @abstractmethod
    def saved(self) -> dict[str, Any] | None:
        """The content of a checkpoint; None where there is no model yet."""

    @property
    def work(self) -> int:
        """The work of the proof so far."""
        return self.proof.work

    @property
    def work_left(self) -> int | None:
        """The work that the node limit leaves to a step; None where a step is too short to matter."""
        return None

    @property
    def needs_restart(self) -> bool:
        """Whether to begin again with the present knowledge."""
        return False

    @property
    def is_over(self) -> bool:
        """Whether threads should stop."""
        return self.stop is not None or self.needs_restart

    @property
    def other_work(self) -> int:
        """The work so far outside the proof, such as a search."""
        return 0

    def turn(self) -> None:
        """Do the work of this thread between steps."""

    def other_step(self) -> bool:
        """Do what this thread does while others prove; whether there was anything."""
        return False

    def before_threads(self, threads: int) -> Sequence[Callable[[], None]]:
        """The first work of some of the threads."""
        return ()

    def between(self) -> bool:
        """The work of threads between steps, repeated while it returns True."""
        return False

    def slices(self) -> Slices[Any]:
        """The proof as an executor works on it."""
        engine = self.proof.engine
        assert isinstance(engine, RemoteEngine)
        return RemoteParts(self.proof, engine, self.check_in, lambda: self.work_left)

    def reason_to_stop(self) -> Stop | None:
        """The limit that was reached; None to continue."""
        return self.monitor.stop_reason()

    @property
    def is_report_due(self) -> bool:
        return self.work >= self._report_at

    def claim(self) -> Claim | None:
        """Prove, and claim what came out; None to begin again."""
        self.begin()
        self.prove()
        self.monitor.nodes = self.nodes
        if self.needs_restart:
            return None
        self.report()
        if self.stop is not None and self.proof.is_open:
            self.save()
            return self.monitor.claim(stop=self.stop, smallest=False)
        self.checkpoint.remove()
        if self.monitor.best_evaluation is None:
            raise infeasible(self.problem)
        return self.monitor.claim(stop=Stop.OPTIMAL, smallest=self.proves_smallest)

    def prove(self) -> None:
        """Prove until nothing is open, a limit is reached or the run is to begin again."""
        executor, threads = self.options.executor, self.options.n_jobs
        if executor is None and threads == 1:
            self.prove_here()
            return
        self.prove_here(self.alone_before_threads if executor is None else self.alone_before_executor)
        if self.proof.is_open and not self.is_over:
            if executor is None:
                self._prove_in_threads(threads)
            else:  # this process reports and watches the limits
                cluster = Cluster(self.slices(), executor)
                cluster.run(lambda: not self.proof.is_open or self.check_in(), self.other_step)

    def prove_here(self, most: int | None = None) -> None:
        """Prove in this thread, by work done, so that a run can be repeated exactly.

        Ends early, where `most` is given, once so much was done together with the other work.
        """
        look_at = 0
        # a limit seen inside a step, which then does no work, ends the loop as well
        while self.proof.is_open and not self.is_over:
            if self.work >= look_at:
                look_at = self.work + self.look_every
                if self.check_in():
                    break
            if most is not None and self.work + self.other_work >= most:
                break
            self.proof.step(self.check_in, self.work_left)
            self.turn()

    def _prove_in_threads(self, threads: int) -> None:
        """Prove in background threads; this one reports and watches the limits."""
        proof = self.proof
        workers = proof.start(threads, lambda: self.is_over, self.before_threads(threads), self.between)
        try:
            with quick_switches():
                while proof.is_open and not self.check_in():
                    if not self.other_step():
                        proof.wait(LOOK_SECONDS)
        finally:
            proof.finish(workers)

    def check_in(self) -> bool:
        """Count, report and save if due, and return whether to stop; long steps call it midway."""
        self.monitor.nodes = self.nodes
        if self.is_report_due:
            self._report_at = self.work + self.report_every
            self.report()
        if self.checkpoint.is_due:
            self.save()
        self.stop = self.reason_to_stop()
        return self.is_over

    def save(self) -> None:
        """Write the checkpoint, if one was asked for and there is a model to keep."""
        content = self.saved() if self.checkpoint.is_wanted else None
        if content is not None:
            self.checkpoint.save(content)


def run_to_the_end(make: Callable[[], Run[Any]], options: SolveOptions) -> Claim:
    """Run, and begin again as often as that is asked for, while no other search has the checkpoint."""
    with locked(options.checkpoint):
        while True:
            claim = make().claim()
            if claim is not None:
                return claim


def list_all(proof: Proof[Part], options: SolveOptions, monitor: Monitor, nodes: Callable[[], int]) -> bool:
    """Run a proof that lists its models, from its roots; whether none was left out."""
    proof.begin()
    begun = monitor.nodes

    def should_stop() -> bool:
        monitor.nodes = begun + nodes()
        return monitor.stop_reason() is not None

    if options.executor is not None:
        engine = proof.engine
        assert isinstance(engine, RemoteEngine)
        slices = RemoteParts(proof, engine, should_stop)
        Cluster(slices, options.executor).run(lambda: not proof.is_open or should_stop())
    while proof.is_open and not should_stop():
        proof.step(should_stop)
    return not proof.is_open
