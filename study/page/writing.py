"""The whole page: results.md with its tables and figures, from a file of records."""

from collections.abc import Iterator
from pathlib import Path

from study.page.application_text import applications_text
from study.page.comparison_plots import accuracy_against_sparsity, slim_against_lasso
from study.page.difference_text import differences_text
from study.page.number_tables import nested_numbers, results_numbers
from study.page.result_tables import RULES, datasets_table, methods_table, nested_table, results_table
from study.page.slim_plots import contours, performance_over_time
from study.page.table import Table
from study.page.verdict_text import conventions_text, verdict_text
from study.plan import NESTED, full
from study.record_file import in_order, read_records
from study.results.conventions import ties
from study.results.study import METHODS, Study
from supersparse.base.writing import write_file

PAGE = "results.md"


def write_page(records: Path, folder: Path) -> list[Path]:
    """Write the page and what it shows; the same records give the same bytes. Return the files."""
    study = Study(in_order(read_records(records)))
    texts = {PAGE: page_text(study), **tables(study), **figures(study)}
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_file(folder / name, text)
    return [folder / name for name in texts]


def tables(study: Study) -> dict[str, str]:
    """The tables as files for programs and for papers, by file name."""
    found: dict[str, str] = {}
    methods, datasets, nested = methods_table(full(None).methods), datasets_table(study), nested_table(study)
    for name, for_programs, to_print in (
        ("methods", methods, [methods]),
        ("datasets", datasets, [datasets]),
        ("nested", nested_numbers(study), [nested]),
        *((f"results-{rule.replace('_', '-')}", results_numbers(study, rule), _results(study, rule)) for rule in RULES),
    ):
        found |= {f"{name}.csv": for_programs.csv(), f"{name}.tex": "\n".join(table.latex() for table in to_print)}
    return found


def _results(study: Study, rule: str) -> list[Table]:
    return [results_table(study, dataset, rule) for dataset in study.datasets]


def figures(study: Study) -> dict[str, str]:
    """The figures by file name."""
    drawn = {
        "accuracy-sparsity.svg": accuracy_against_sparsity(study),
        "slim-lasso.svg": slim_against_lasso(study),
        "over-time.svg": performance_over_time(study),
        "contours.svg": contours(study),
    }
    return {name: text for name, text in drawn.items() if text is not None}


def page_text(study: Study) -> str:
    """The page in Markdown."""
    return "\n\n".join(_blocks(study)).rstrip() + "\n"


def _blocks(study: Study) -> Iterator[str]:
    yield "# The paper's study: results"
    yield (
        "`python -m study page` generates this page from the stored records; "
        "[the study](../study.md) explains how they are made."
    )
    yield from _made(study)
    yield from verdict_text(study)
    yield from conventions_text(study)
    yield "## Methods and datasets (section 6)"
    yield methods_table(full(None).methods).markdown()
    yield datasets_table(study).markdown()
    yield "## Accuracy against sparsity (section 6.3)"
    yield (
        "Mean test error and median size. Boxes show one standard deviation of the error, and the smallest "
        "to the largest model over the folds. Dark: on the efficient frontier (dotted). Red: SLIM. "
        "Hollow: SLIM free, which is not part of the frontier or the claims."
    )
    yield "![Accuracy against sparsity](accuracy-sparsity.svg)"
    yield "## SLIM against the lasso path (section 6.4)"
    yield "![SLIM against the lasso](slim-lasso.svg)"
    yield "## Tables of results (appendix C)"
    yield (
        "Errors are means over the folds with the standard deviation; sizes are medians with the range, "
        "with and without the intercept. "
        "Next to our figures are the paper's, then ours minus the paper's. The paper counts the intercept "
        "in the sizes of SLIM, Lasso, Ridge and EN but not in those of LR; the difference follows the paper, "
        "and the tables give both sizes. As in the paper, parameters are chosen by the errors that are "
        "reported, which favours all tuned methods; nested cross-validation below avoids this. "
        "The tables as files, `.csv` with a number in each cell and `.tex` for the booktabs package: "
        + ", ".join(f"[{name}]({name})" for name in sorted(tables(study)))
        + "."
    )
    for rule, words in RULES.items():
        yield f"### {words[0].upper()}{words[1:]}"
        if rule != "best":
            yield "Only for methods that offer a sparser choice; the others are as above."
        for dataset, table in zip(study.datasets, _results(study, rule), strict=True):
            yield f"**{dataset}**"
            yield table.markdown()
    yield "### Nested cross-validation"
    yield (
        "The same models, but the settings of each fold are chosen by five folds inside its training rows. "
        "There, SLIM fits get only part of the work limit; [the study](../study.md) says how much."
    )
    nested = nested_table(study)
    if nested.rows:
        yield nested.markdown()
    yield from differences_text(study)
    yield "## Performance over time (appendix D)"
    yield "SLIM's current model at each time: the mean over the folds, with the range in grey."
    yield "![Performance over time](over-time.svg)"
    yield "## C0 and C1 together"
    yield from _contours(study)
    if study.shown:
        yield "## The applications (section 5)"
        yield from applications_text(study)


def _contours(study: Study) -> Iterator[str]:
    yield (
        "The paper mentions a study of C0 and C1 together but does not print it. C1 should break ties "
        "without changing errors or size. The paper's range for that ends at min(1/N, C0) over the largest "
        "‖λ‖1, here 100 P. This guarantees nothing, because two values of F can be closer to each other than "
        "1/N or C0. A C1 below the smallest step of F over the largest ‖λ‖1 provably only breaks ties; "
        'we call it "safe". Each dataset has six values of C1: one that is safe for all folds and C0, '
        "one that is in the paper's range for all of them, and four from 0.00001 to 0.01. The dotted lines "
        "in the figure are the ends of both ranges at the smallest C0."
    )
    found = list(ties(study))
    if not found:
        yield "Not on record."
        return
    rows = tuple((t.dataset, t.where, str(t.fits), str(t.proven), str(t.same), str(t.proven - t.same)) for t in found)
    header = ("dataset", "C1", "fits", "proven, with C1 = auto too", "same F", "different F")
    yield (
        "F without its C1 term, compared with the fit of the same fold and C0 in which C1 only breaks ties. "
        "F is compared where both are proven optimal:"
    )
    yield Table("What C1 changes", header, rows).markdown()
    yield "![C0 and C1](contours.svg)"


def not_on_record(study: Study) -> Iterator[str]:
    """List the methods, nested folds and contours of the full plan that have no records."""
    kinds = {
        **{m: [d for d in study.datasets if m not in study.methods(d)] for m in METHODS},
        **{f"nested folds of {m}": [d for d in study.datasets if study.nested(d, m) is None] for m in NESTED},
        "contours": [d for d in study.datasets if not study.results(d, "SLIM", contour=True)],
    }
    yield from (f"{kind} on {', '.join(without)}" for kind, without in kinds.items() if without)


def _made(study: Study) -> Iterator[str]:
    names = {machine.plan for machine in study.machines}
    if "full" not in names:
        yield (
            "**These records are from the small plan** (`make study-small`: three tables, shorter grids, a "
            "hundredth of the work for each SLIM fit). There are no records of the full study "
            "(`make study`), so this page says nothing about it."
        )
    for machine in study.machines:
        versions = ", ".join(f"{name} {version}" for name, version in machine.versions if version != "-")
        where = f"{machine.processor} ({machine.cores} cores, {machine.system})"
        yield f"Run on {where}, Python {machine.python}; {versions}."
    if absent := list(not_on_record(study)):
        yield f"Not on record, or not for every fold: {'; '.join(absent)}."
    if study.skipped:
        lines = [
            f"- {' '.join(part for part in (s.dataset, s.method, s.split) if part)}: {s.reason}" for s in study.skipped
        ]
        yield "Skipped:"
        yield "\n".join(lines)
