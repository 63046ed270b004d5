"""The verdict in words: the paper's claims, our own requirements, and how errors and sizes are counted."""

from collections.abc import Iterator, Sequence

from study.page.table import Table
from study.results.claims import Verdict, paper_claims
from study.results.conventions import fits_with_zero_scores, prices_below_a_row
from study.results.demands import as_good_as_the_paper, demands
from study.results.study import Result, Study


def verdict_text(study: Study) -> Iterator[str]:
    """Two tables, and the numbers of each dataset."""
    claims, asked = paper_claims(study), demands(study)
    yield "## The verdict"
    yield (
        "SLIM is the paper's formulation: the intercept is a coefficient in ±100 and costs C0 like the "
        "others. Only this formulation counts as SLIM in the claims. SLIM free is this package's default, "
        "with a free threshold at no price."
    )
    yield "### The paper's claims"
    yield Table(
        "The paper's claims",
        ("the paper", "our reading", "result", "in numbers"),
        tuple((v.claim, v.reading, v.word, v.summary) for v in claims),
    ).markdown()
    yield "### Our own requirements"
    yield "These two are not claims of the paper; we require them of this package."
    yield Table(
        "Our own requirements",
        ("requirement", "result", "in numbers"),
        tuple((v.claim, v.word, v.summary) for v in asked),
    ).markdown()
    yield "### The numbers for each dataset"
    yield from map(_numbers, (*claims, *asked))


def _numbers(verdict: Verdict) -> str:
    lines = [f"- {line}" for line in verdict.numbers]
    return "\n".join([f"**{verdict.claim}: {verdict.word}.**", "", *lines])


def conventions_text(study: Study) -> Iterator[str]:
    """Scores of 0, and prices below a row."""
    yield "## How errors and prices are counted"
    zero, fits = fits_with_zero_scores(study)
    text = (
        "**Score 0.** All errors on this page are wrong predictions, and a score of exactly 0 predicts the "
        "negative class. SLIM's objective counts such a row as wrong in either class, as the paper's does"
    )
    if fits:
        text += f"; this makes a difference on the training rows in {zero} of its {fits} fits"
    yield text + ". With a free threshold no row has score 0."
    low = prices_below_a_row(study)
    if low:
        yield (
            '**C0 below 1/N.** The paper calls C0 from 1/N to 1 "the interesting values" and says that less '
            '"will prevent any real" regularization: a feature may enter to fix one row. Our grid is the '
            "same for all datasets, and on some its lower end is below 1/N of the training rows: "
            f"{_prices(low)}. {_chosen(study, low)}"
        )


def _prices(low: dict[str, list[float]]) -> str:
    return "; ".join(f"{_list([f'{C0:g}' for C0 in values])} on {name}" for name, values in low.items())


def _chosen(study: Study, low: dict[str, list[float]]) -> str:
    there = [
        name
        for name, values in low.items()
        if any(model.setting.number("C0") in values for model in _named_in_the_verdict(study, name))
    ]
    if not there:
        return (
            "No such model is the one with the lowest error, or the one that a requirement names; the "
            "comparison with the lasso uses the whole grid."
        )
    return (
        "Such a model is the one with the lowest error, or the one that a requirement names, on "
        f"{_list(there)}; the comparison with the lasso uses the whole grid."
    )


def _named_in_the_verdict(study: Study, dataset: str) -> Iterator[Result]:
    yield study.chosen(dataset, "SLIM", "best")
    yield from filter(None, [as_good_as_the_paper(study, dataset, "SLIM")])


def _list(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
