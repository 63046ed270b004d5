"""The tables of results for programs: one number in a cell, every column with a name of its own."""

from study.page.table import Table
from study.results.paper import PaperResult, paper_result
from study.results.study import Result, Spread, Study

_HEADER = (
    "dataset", "rule", "method", "setting",
    "test_error", "test_error_sd", "paper_test_error", "paper_test_error_sd", "test_error_difference",
    "train_error", "train_error_sd", "paper_train_error", "paper_train_error_sd", "train_error_difference",
    "size_with_intercept", "size_with_intercept_least", "size_with_intercept_most", "size_without_intercept",
    "paper_size", "paper_size_least", "paper_size_most", "size_difference",
)  # fmt: skip


def results_numbers(study: Study, rule: str) -> Table:
    """All datasets under one rule; errors in percent."""
    rows = []
    for dataset in study.datasets:
        for method in study.methods_under(dataset, rule):
            result = study.chosen(dataset, method, rule)
            paper = paper_result(rule, dataset, method)
            rows.append((dataset, rule, method, result.setting.in_words(), *_numbers(result, paper)))
    return Table("All datasets", _HEADER, tuple(rows))


def nested_numbers(study: Study) -> Table:
    """The errors by which the settings were chosen, and those of settings chosen inside; in percent."""
    rows = []
    for dataset, method, reported, nested in study.optimism():
        difference = _percent(nested.mean - reported.mean)
        rows.append((dataset, method, *_spread(reported), *_spread(nested), difference))
    header = (
        "dataset", "method",
        "reported_error", "reported_error_sd", "nested_error", "nested_error_sd", "difference",
    )  # fmt: skip
    return Table("Nested", header, tuple(rows))


def _numbers(result: Result, paper: PaperResult | None) -> list[str]:
    sizes = result.sizes()
    test, train = _spread(result.test), _spread(result.train)
    size = [f"{result.size:g}", str(sizes[0]), str(sizes[-1]), f"{result.size_without_intercept:g}"]
    if paper is None:
        return [*test, "", "", "", *train, "", "", "", *size, "", "", "", ""]
    return [
        *test, str(paper.test), str(paper.test_sd), _percent(result.test.mean - paper.test),
        *train, str(paper.train), str(paper.train_sd), _percent(result.train.mean - paper.train),
        *size, str(paper.size), str(paper.least), str(paper.most),
        f"{result.size_as_the_paper - paper.size:g}",
    ]  # fmt: skip


def _spread(spread: Spread) -> list[str]:
    return [_percent(spread.mean), _percent(spread.sd)]


def _percent(value: float) -> str:
    return f"{value:.4f}"
