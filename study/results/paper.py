"""The figures that the paper prints: appendix C, the data of section 6, the models of section 5."""

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperResult:
    """One column of the paper's tables for one dataset; errors in percent."""

    test: float
    test_sd: float
    train: float
    train_sd: float
    size: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class PaperDataset:
    """One line of the table of datasets; P counts the intercept."""

    name: str
    N: int
    P: int
    task: str


PAPER_DATASETS = {
    "breast-cancer": PaperDataset("breastcancer", 683, 10, "detect breast cancer using a biopsy"),
    "haberman": PaperDataset("haberman", 306, 4, "predict the 5-year survival after breast cancer surgery"),
    "internet-ads": PaperDataset("internetad", 2359, 1431, "predict if an image on the internet is an ad"),
    "mammography": PaperDataset("mammo", 961, 12, "detect breast cancer using a mammogram"),
    "spambase": PaperDataset("spambase", 4601, 58, "predict if an e-mail is spam or not"),
    "tic-tac-toe": PaperDataset("tictactoe", 958, 28, "detect if the first player has won at tic-tac-toe"),
}


def paper_result(rule: str, dataset: str, method: str) -> PaperResult | None:
    """Return what the paper prints; None where it prints nothing.

    >>> paper_result("best", "haberman", "SLIM").test
    23.2
    """
    return _results().get((rule, dataset, method))


@lru_cache
def _results() -> dict[tuple[str, str, str], PaperResult]:
    text = files("study").joinpath("data/paper_results.csv").read_text(encoding="utf-8")
    found = {}
    for row in csv.DictReader(text.splitlines()):
        found[row["rule"], row["dataset"], row["method"]] = PaperResult(
            test=float(row["test"]),
            test_sd=float(row["test_sd"]),
            train=float(row["train"]),
            train_sd=float(row["train_sd"]),
            size=int(row["size"]),
            least=int(row["least"]),
            most=int(row["most"]),
        )
    return found
