"""The tables of section 6 and appendix C, with the paper's figure beside each of ours."""

from study.methods.contract import Method
from study.page.table import Table
from study.results.paper import PAPER_DATASETS, PaperResult, paper_result
from study.results.study import Result, Spread, Study

RULES = {
    "best": "lowest 5-fold error",
    "one_sd": "sparsest within one standard deviation",
    "one_se": "sparsest within one standard error",
}
_HEADER = (
    "method",
    "test error, %", "paper", "diff.",
    "train error, %", "paper", "diff.",
    "size (range)", "without b", "paper (range)", "diff.",
)  # fmt: skip


def methods_table(methods: tuple[Method, ...]) -> Table:
    """The implementation of each method, and its tuned parameters."""
    rows = tuple((m.name, m.title, m.made_with, m.tuning) for m in methods)
    return Table("Methods", ("name", "method", "implementation", "tuned parameters"), rows)


def datasets_table(study: Study) -> Table:
    """The sizes here and in the paper."""
    rows = []
    for name, paper in PAPER_DATASETS.items():
        there = study.tables.get(name)
        N, P = ("not run", "") if there is None else (str(there.rows), str(there.columns))
        rows.append((name, N, str(paper.N), P, str(paper.P), paper.task))
    return Table("Datasets; P counts the intercept", ("dataset", "N", "paper", "P", "paper", "task"), tuple(rows))


def results_table(study: Study, dataset: str, rule: str) -> Table:
    """All methods on one table under one rule."""
    rows = []
    for method in study.methods_under(dataset, rule):
        result = study.chosen(dataset, method, rule)
        rows.append((method, *_cells(result, paper_result(rule, dataset, method))))
    return Table(f"{dataset}: {RULES[rule]}", _HEADER, tuple(rows))


def nested_table(study: Study) -> Table:
    """The optimism of reporting the errors by which the parameters were chosen."""
    rows = [
        (dataset, method, _spread(reported), _spread(nested), _signed(nested.mean - reported.mean))
        for dataset, method, reported, nested in study.optimism()
    ]
    return Table(
        "The paper's protocol and nested cross-validation",
        ("dataset", "method", "same folds choose and report, %", "nested, %", "difference"),
        tuple(rows),
    )


def _cells(result: Result, paper: PaperResult | None) -> list[str]:
    sizes = result.sizes()
    test, train = _spread(result.test), _spread(result.train)
    size, without = _size(result.size, sizes[0], sizes[-1]), f"{result.size_without_intercept:g}"
    if paper is None:
        return [test, "", "", train, "", "", size, without, "", ""]
    return [
        test, f"{paper.test} ± {paper.test_sd}", _signed(result.test.mean - paper.test),
        train, f"{paper.train} ± {paper.train_sd}", _signed(result.train.mean - paper.train),
        size, without, _size(paper.size, paper.least, paper.most),
        _signed(result.size_as_the_paper - paper.size, "g"),
    ]  # fmt: skip


def _spread(spread: Spread) -> str:
    return f"{spread.mean:.1f} ± {spread.sd:.1f}"


def _signed(difference: float, digits: str = ".1f") -> str:
    """Format with a sign, except what rounds to nothing."""
    text = f"{difference:+{digits}}"
    return text.lstrip("+-") if float(text) == 0 else text


def _size(middle: float, least: int, most: int) -> str:
    return f"{middle:g} ({least}–{most})"
