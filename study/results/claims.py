"""The paper's claims, each checked against the records."""

from dataclasses import dataclass

from study.plan import PAPER_METHODS
from study.results.dominance import AgainstLasso, against_lasso, efficient, rivals
from study.results.study import Result, Study

FIXED_SIZE = ("LR", "RF", "SVM", "Ridge")  # their size hardly varies, so it says nothing about stability
JUMPY = ("CART", "C50R", "C50T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One claim of the paper, or one requirement of ours: whether it held, and the numbers."""

    claim: str  # a claim of the paper in its own words, between quotation marks
    held: bool | None  # None: the records do not say
    summary: str
    numbers: tuple[str, ...]
    reading: str = ""  # how we read it, where its words leave that open

    @property
    def word(self) -> str:
        """The verdict in a word or two."""
        return {True: "held", False: "did not hold", None: "not decided"}[self.held]


def paper_claims(study: Study) -> list[Verdict]:
    """The claims (i) to (v) of section 6.3, and that of section 6.4."""
    return [
        _on_the_frontier(study),
        _sparser(study),
        _more_stable(study),
        _jumpy(study),
        _no_single_best(study),
        _lasso(study),
    ]


def _on_the_frontier(study: Study) -> Verdict:
    numbers, on, on_all = [], 0, 0
    for dataset in with_slim(study):
        front = efficient(study, dataset, "best", PAPER_METHODS)
        of_all = efficient(study, dataset, "best")
        on, on_all = on + ("SLIM" in front), on_all + ("SLIM" in of_all)
        numbers.append(
            f"{dataset}: frontier of the paper's methods {', '.join(front)}; of all methods {', '.join(of_all)}"
        )
    held = None if not numbers else on * 2 > len(numbers)
    return Verdict(
        claim=(
            '(i) "SLIM scoring systems often lie on the efficient frontier, meaning other methods were often '
            'unable to produce a model that was both more accurate and more sparse"'
        ),
        reading=(
            "among the paper's ten methods, on more than half of the datasets; errors less than one row apart are ties"
        ),
        held=held,
        summary=f"on {on} of {len(numbers)} datasets; among all methods of this study, on {on_all}",
        numbers=tuple(numbers),
    )


def _sparser(study: Study) -> Verdict:
    numbers, smaller, pairs = [], 0, 0
    for dataset in with_slim(study):
        own = study.chosen(dataset, "SLIM", "best").size
        others = {m: study.chosen(dataset, m, "best").size for m in _baselines(study, dataset)}
        larger = [m for m, size in others.items() if size > own]
        smaller, pairs = smaller + len(larger), pairs + len(others)
        least = min(others, key=lambda m: others[m], default="-")
        numbers.append(
            f"{dataset}: SLIM {own:g}, smaller than {len(larger)} of {len(others)}; "
            f"the smallest other is {least} with {others.get(least, 0):g}"
        )
    return Verdict(
        claim=('(ii) "SLIM scoring systems are generally more sparse than the models produced by other methods"'),
        reading="in more than half of the comparisons with the paper's nine other methods",
        held=None if not pairs else smaller * 2 > pairs,
        summary=f"smaller in {smaller} of {pairs} comparisons",
        numbers=tuple(numbers),
    )


def _range(study: Study, dataset: str, method: str) -> int:
    sizes = study.chosen(dataset, method, "best").sizes()
    return sizes[-1] - sizes[0]


def _more_stable(study: Study) -> Verdict:
    numbers, as_stable, pairs = [], 0, 0
    for dataset in with_slim(study):
        own = _range(study, dataset, "SLIM")
        others = {m: _range(study, dataset, m) for m in _baselines(study, dataset) if m not in FIXED_SIZE}
        as_stable += sum(own <= other for other in others.values())
        pairs += len(others)
        said = ", ".join(f"{m} {span}" for m, span in others.items())
        numbers.append(f"{dataset}: largest minus smallest size: SLIM {own}; {said}")
    return Verdict(
        claim='(iii) "SLIM\'s model sizes are more stable (have less variation) than that of other methods"',
        reading=(
            "a range over the folds that is no wider, in more than half of the comparisons; "
            f"{', '.join(FIXED_SIZE)}, whose sizes hardly vary, are left out"
        ),
        held=None if not pairs else as_stable * 2 > pairs,
        summary=f"no wider range in {as_stable} of {pairs} comparisons",
        numbers=tuple(numbers),
    )


def _jumpy(study: Study) -> Verdict:
    numbers, wide, pairs = [], 0, 0
    for dataset in with_slim(study):
        said = []
        for method in JUMPY:
            if method in study.methods(dataset):
                result = study.chosen(dataset, method, "best")
                span = _range(study, dataset, method)
                share = span / max(result.size, 1)
                wide, pairs = wide + (share >= 0.5), pairs + 1
                said.append(f"{method} median {result.size:g}, range {span}")
        numbers.append(f"{dataset}: {'; '.join(said) or 'not on record'}")
    return Verdict(
        claim=(
            '(iv) "some of the baseline methods have very high variance in model size (e.g., CART, C5.0R and C5.0T)"'
        ),
        reading="a range over the folds of at least half the median, in more than half of the cases",
        held=None if not pairs else wide * 2 > pairs,
        summary=f"in {wide} of {pairs} cases",
        numbers=tuple(numbers),
    )


def _no_single_best(study: Study) -> Verdict:
    numbers, winners, counts = [], [], []
    for dataset in study.datasets:
        there = [m for m in rivals(study, dataset) if m in PAPER_METHODS]
        results = {m: study.chosen(dataset, m, "best").test.mean for m in there}
        if results:
            best = min(results.values())
            own = {m for m, error in results.items() if error == best}
            winners.append(own)
            counts.append(len(efficient(study, dataset, "best", PAPER_METHODS)))
            numbers.append(
                f"{dataset}: most accurate {', '.join(sorted(own))} with {best:.1f} %; "
                f"{counts[-1]} of {len(results)} methods on the frontier"
            )
    always = set.intersection(*winners) if winners else set()
    return Verdict(
        claim=(
            '(v) "there is no single method that performs better than all others on all datasets, although '
            'many methods produce models that lie on the efficient frontier"'
        ),
        reading=(
            "none of the paper's ten methods has the lowest error on all datasets; on average, more than one "
            "is on the frontier"
        ),
        held=None if len(winners) < 2 else not always and sum(counts) > len(counts),
        summary=f"best everywhere: {', '.join(sorted(always)) or 'none'}; {_span(counts)} on the frontier",
        numbers=tuple(numbers),
    )


def _lasso(study: Study) -> Verdict:
    found = [c for dataset in study.datasets if (c := against_lasso(study, dataset)) is not None]
    won = sum(c.dominates for c in found)
    numbers = tuple(
        f"{c.dataset}: {c.word}{_lead(c)}; at the same size or below, SLIM's lowest "
        f"error minus the lasso's is {c.worst:+.2f} points at worst; "
        f"{c.lasso_beaten} of {c.lasso_models} lasso models are dominated"
        for c in found
    )
    enough = None if not found else won * 6 >= 5 * len(found)
    return Verdict(
        claim=(
            "(6.4) \"SLIM's classifiers dominated those of LARS Lasso for five out of the six datasets - "
            "even after accounting for all of the possible choices for LARS' regularization parameter\""
        ),
        reading=(
            "at every size that SLIM reaches over its C0, no lasso model of that size or below has a smaller "
            "error; a difference of less than a row is a tie and does not count as a win"
        ),
        held=enough,
        summary=f"on {won} of {len(found)} datasets",
        numbers=numbers,
    )


def _lead(c: AgainstLasso) -> str:
    """Where the lasso leads: by how many rows, at which size, and what both have there."""
    if c.word != "does not":
        return ""
    slim, lasso = c.lead.slim, c.lead.lasso
    rows = sum(record.test.rows for record in slim.records)
    by = "one row" if c.lead.rows == 1 else f"{c.lead.rows} rows"
    return (
        f", by {by} of {rows}: up to size {c.lead.size:g} SLIM's best is {_model(slim)} "
        f"and the lasso's is {_model(lasso)}"
    )


def _model(result: Result) -> str:
    kind = "the constant card" if result.size_without_intercept == 0 else f"one of size {result.size:g}"
    return f"{kind} ({sum(record.test.errors for record in result.records)} errors)"


def _span(counts: list[int]) -> str:
    return "none" if not counts else f"{min(counts)} to {max(counts)} methods"


def with_slim(study: Study) -> list[str]:
    """The datasets on which SLIM has a whole result."""
    return [dataset for dataset in study.datasets if "SLIM" in study.methods(dataset)]


def _baselines(study: Study, dataset: str) -> list[str]:
    return [m for m in study.methods(dataset) if m in PAPER_METHODS and m != "SLIM"]
