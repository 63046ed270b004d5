"""More candidate questions: the same card, a longer proof.

The diagnostic breast cancer data (569 rows, 30 columns of numbers) offer many questions. A card is learned
from the best 60 (the default of `Prepare`), the best 100, and all of them. Run as a script, it prints
the table of docs/prepare.md.
"""

import time
from collections.abc import Sequence

from sklearn.datasets import load_breast_cancer as load_diagnostic

from supersparse import Prepare, SLIMClassifier

SECONDS = 30.0
LIMITS = (60, 100, None)
PENALTIES = (0.01, 0.004)


def line(candidates: int | None, C0: float, seconds: float) -> str:
    """Learn a card from so many questions, and describe it in a row of the table."""
    data = load_diagnostic(as_frame=True)
    began = time.perf_counter()
    prepare = Prepare(candidates=candidates)
    model = SLIMClassifier(prepare=prepare, C0=C0, time_limit=seconds).fit(data.data, data.target)
    took = time.perf_counter() - began
    made = model.scoring_system_.card.provenance
    state = f"{took:.0f} s" if made.proven_optimal else f"gap {100 * float(made.gap):.0f} % in {seconds:.0f} s"
    of_all = f"{len(made.features)} of {made.n_candidates}"
    return f"| {C0} | {of_all} | {model.training_errors_} | {made.size} | {state} |"


def main(
    limits: Sequence[int | None] = LIMITS, penalties: Sequence[float] = PENALTIES, seconds: float = SECONDS
) -> None:
    """Print the table."""
    print("| C0 | questions | training errors | features | proof |")  # noqa: T201
    print("|---|---|---|---|---|")  # noqa: T201
    for C0 in penalties:
        for candidates in limits:
            print(line(candidates, C0, seconds), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
