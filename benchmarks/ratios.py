"""How much longer a peer needs to the proof than our engine, counted as the bar counts."""

from dataclasses import dataclass

from benchmarks.record import Record, Results
from benchmarks.suites import OURS, PEERS


@dataclass(frozen=True, slots=True)
class Ratio:
    """A peer's time over ours; `at_least` when the peer was stopped without a proof."""

    value: float
    at_least: bool

    def __str__(self) -> str:
        shown = f"{self.value:.0f}" if self.value >= 10 else f"{self.value:.2g}"
        return ("≥ " if self.at_least else "") + shown


def ratio(peer: Record, ours: Record | None) -> Ratio | None:
    """Return peer over ours: CPU seconds to the proof of F for the peer, of F and l1 for ours.

    A peer without a proof counts as its limit, or as the CPU seconds it really had if they are
    fewer (on a busy machine). None when ours has no proof either, or the peer failed.
    """
    if ours is None or not ours.proven or not ours.cpu_seconds or peer.cpu_seconds is None:
        return None
    seconds = peer.proof_seconds if peer.proof_seconds is not None else min(peer.limit, peer.cpu_seconds)
    return Ratio(seconds / ours.cpu_seconds, at_least=not peer.proven)


def against_best(results: Results, instance: str) -> Ratio | None:
    """Return the ratio of the fastest peer, None when no peer was run."""
    ours = results.of(instance, OURS)
    runs = [results.of(instance, peer) for peer in PEERS]
    found = [r for r in (ratio(run, ours) for run in runs if run is not None) if r is not None]
    return min(found, key=lambda r: (r.value, r.at_least), default=None)
