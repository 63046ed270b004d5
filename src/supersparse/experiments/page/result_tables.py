"""The tables of section 6 and appendix C, with the paper's figure beside each of ours."""

from supersparse.experiments.methods.contract import Method
from supersparse.experiments.page.table import Table
from supersparse.experiments.results.paper import PAPER_DATASETS, PaperResult, paper_result
from supersparse.experiments.results.study import SPARSE_RULES, Result, Study

RULES = {
    "best": "least 5-fold error",
    "one_sd": "sparsest within one standard deviation",
    "one_se": "sparsest within one standard error",
}
_HEADER = (
    "method",
    "test error", "paper", "difference",
    "train error", "paper", "difference",
    "size with intercept", "range", "without", "paper", "range", "difference",
)  # fmt: skip


def methods_table(methods: tuple[Method, ...]) -> Table:
    """What stands for each method here, and what of it was tuned."""
    rows = tuple((m.name, m.title, m.made_with, m.tuning) for m in methods)
    return Table("Methods", ("name", "method", "made with", "free parameters"), rows)


def datasets_table(study: Study) -> Table:
    """The sizes here and in the paper."""
    rows = []
    for name, paper in PAPER_DATASETS.items():
        there = study.tables.get(name)
        N, P = ("not run", "") if there is None else (str(there.rows), str(there.columns))
        rows.append((name, N, str(paper.N), P, str(paper.P), paper.task))
    return Table(
        "Datasets; P counts the intercept", ("dataset", "N", "paper", "P", "paper", "task"), tuple(rows)
    )


def results_table(study: Study, dataset: str, rule: str) -> Table:
    """All methods on one table under one rule."""
    methods = study.methods(dataset)
    if rule != "best":
        methods = [m for m in methods if m in SPARSE_RULES]
    rows = []
    for method in methods:
        result = study.chosen(dataset, method, rule)
        rows.append((method, *_cells(result, paper_result(rule, dataset, method))))
    return Table(f"{dataset}: {RULES[rule]}", _HEADER, tuple(rows))


def long_table(study: Study, rule: str) -> Table:
    """All datasets under one rule, for programs."""
    header = ("dataset", "rule", "setting", *_HEADER)
    rows = []
    for dataset in study.datasets:
        for row in results_table(study, dataset, rule).rows:
            setting = study.chosen(dataset, row[0], rule).setting.in_words()
            rows.append((dataset, rule, setting, *row))
    return Table(f"All datasets: {RULES[rule]}", header, tuple(rows))


def nested_table(study: Study) -> Table:
    """The optimism of reporting the errors by which the parameters were chosen."""
    rows = []
    for dataset in study.datasets:
        for method in study.methods(dataset):
            honest = study.nested(dataset, method)
            if honest is not None:
                reported = study.chosen(dataset, method, "best").test
                rows.append(
                    (
                        dataset, method, f"{reported.mean:.1f} ± {reported.sd:.1f} %",
                        f"{honest.mean:.1f} ± {honest.sd:.1f} %", f"{honest.mean - reported.mean:+.1f}",
                    )
                )  # fmt: skip
    return Table(
        "The paper's protocol and nested cross-validation",
        ("dataset", "method", "same folds choose and report", "nested", "difference"),
        tuple(rows),
    )


def _cells(result: Result, paper: PaperResult | None) -> list[str]:
    sizes, bare = result.sizes(), result.sizes(with_intercept=False)
    ours = [
        f"{result.test.mean:.1f} ± {result.test.sd:.1f} %",
        f"{result.train.mean:.1f} ± {result.train.sd:.1f} %",
        f"{result.size:g}",
    ]
    span = f"{sizes[0]} - {sizes[-1]}"
    middle = f"{bare[len(bare) // 2]}"
    if paper is None:
        return [ours[0], "", "", ours[1], "", "", ours[2], span, middle, "", "", ""]
    compared = bare[len(bare) // 2] if result.method == "LR" else result.size  # as the paper counts it
    return [
        ours[0], f"{paper.test} ± {paper.test_sd} %", f"{result.test.mean - paper.test:+.1f}",
        ours[1], f"{paper.train} ± {paper.train_sd} %", f"{result.train.mean - paper.train:+.1f}",
        ours[2], span, middle,
        str(paper.size), f"{paper.least} - {paper.most}", f"{compared - paper.size:+g}",
    ]  # fmt: skip
