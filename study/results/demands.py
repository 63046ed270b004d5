"""What we require of this package beyond the paper: its accuracy, and the lowest training objectives."""

from study.results.claims import Verdict, with_slim
from study.results.objectives import better_in_the_set, check_objectives, not_rounded
from study.results.paper import paper_result
from study.results.study import Result, Study


def demands(study: Study) -> list[Verdict]:
    """Accuracy and size beside the paper's SLIM; training objectives beside all other linear models."""
    return [as_accurate_as_the_paper(study), objectives_hold(study)]


def as_accurate_as_the_paper(study: Study) -> Verdict:
    """Whether some C0 of the grid is as good as the paper's SLIM, and what is proven."""
    numbers, ok = [], []
    free = with_free = 0
    for dataset in with_slim(study):
        paper = paper_result("best", dataset, "SLIM")
        if paper is None:
            continue
        near, near_free = (as_good_as_the_paper(study, dataset, method) for method in ("SLIM", "SLIM free"))
        chosen = study.chosen(dataset, "SLIM", "best")
        total = sum(len(r.records) for r in study.results(dataset, "SLIM"))
        proven = sum(r.proven for r in study.results(dataset, "SLIM"))
        ok.append(near is not None)
        with_free += bool(study.results(dataset, "SLIM free"))
        free += near_free is not None
        numbers.append(
            f"{dataset}: {chosen.test.mean:.1f} ± {chosen.test.sd:.1f} % at size {chosen.size:g}, the paper "
            f"{paper.test} ± {paper.test_sd} % at {paper.size}; "
            + (_in_words(near) if near else "no C0 in the grid reaches that error at that size or below")
            + f"; {proven} of {total} fits proven optimal"
        )
    return Verdict(
        claim="For some C0, SLIM is within one deviation of the paper's error or better, at its size or less",
        held=None if not ok else all(ok),
        summary=f"on {sum(ok)} of {len(ok)} datasets"
        + (f"; SLIM free on {free} of {with_free}" if with_free else "; SLIM free is not on record"),
        numbers=tuple(numbers),
    )


def as_good_as_the_paper(study: Study, dataset: str, method: str) -> Result | None:
    """The model of the least error within one deviation of the paper's and no larger than the paper's.

    Of equal errors the smallest, then the one of the largest C0.
    """
    paper = paper_result("best", dataset, "SLIM")
    near = [
        r
        for r in study.results(dataset, method)
        if paper is not None and r.test.mean <= paper.test + paper.test_sd and r.size <= paper.size
    ]
    return min(near, key=lambda r: (r.test.mean, r.size, -r.setting.number("C0")), default=None)


def _in_words(best: Result) -> str:
    C0 = best.setting.number("C0")
    return f"{best.method} with C0 {C0:g} gives {best.test.mean:.1f} % at size {best.size:g}"


def objectives_hold(study: Study) -> Verdict:
    """Whether no rounded linear model has a smaller F on the training rows of any fold, at any C0."""
    checks = [
        check_objectives(study, dataset, method)
        for method in ("SLIM", "SLIM free")
        for dataset in with_slim(study)
        if study.results(dataset, method)
    ]
    compared = sum(c.compared for c in checks)
    numbers = [f"{c.method} on {c.dataset}: {c.compared} comparisons, worse in {len(c.worse)}" for c in checks]
    numbers += [f"{c.method} on {c.dataset}: {line}" for c in checks for line in c.worse[:5]]
    if absent := not_rounded(study):
        numbers.append(f"not compared, or not in every fold: {'; '.join(absent)}")
    searches = [better_in_the_set(study, dataset) for dataset in with_slim(study)]
    if pairs := sum(count for count, _ in searches):
        leads = [lead for _, found in searches for lead in found]
        largest = f", by at most {float(max(leads)):.4f}" if leads else ""
        numbers.append(
            f"SLIM's search found a model with a smaller SLIM-free F in {len(leads)} of {pairs} fits" + largest
        )
    return Verdict(
        claim=(
            "SLIM's training objective, in either formulation, is never worse than that of another linear "
            "model rounded to its set"
        ),
        held=None if not compared else all(c.held for c in checks),
        summary=f"worse in {sum(len(c.worse) for c in checks)} of {compared} comparisons",
        numbers=tuple(numbers),
    )
