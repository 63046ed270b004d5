"""Where a model's size is far from the paper's, what the paper's size would have meant here, and why."""

from dataclasses import dataclass

from study.plan import PAPER_METHODS
from study.results.paper import PaperResult, paper_result
from study.results.study import SPARSE_RULES, Result, Study

_FACTOR, _TERMS = 1.5, 3  # far: by half, and by three terms, leaves or rules

# What is known of the choice that the paper made, by method.
_CONFIDENCE = (
    "other confidences come closer to the paper's size, with a larger test error than our choice; "
    "the paper does not say which it chose"
)
REASONS = {
    "CART": (
        "the paper's size is about that of rpart's default tree, pruned by errors at cp 0.01; we choose the "
        "pruning with the lowest error, as for all methods"
    ),
    "C50T": _CONFIDENCE,
    "C50R": _CONFIDENCE,
    "EN": "a smaller penalty on our path has its size; the paper gives neither its mixture nor its penalties",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FarSize:
    """A median size that is far from the paper's, and the setting on record that comes nearest to it."""

    rule: str
    ours: Result
    paper: PaperResult
    nearest: Result

    @property
    def reason(self) -> str:
        """Why, as far as it is known."""
        if self.nearest.setting == self.ours.setting:
            return "no setting we tried comes closer"
        return REASONS.get(self.ours.method, "not explained")


def far_sizes(study: Study) -> list[FarSize]:
    """All of them, over the paper's nine baselines; our own requirements cover SLIM."""
    found = []
    for rule in ("best", "one_sd"):
        for dataset in study.datasets:
            for method in study.methods(dataset):
                paper = paper_result(rule, dataset, method)
                repeated = rule != "best" and method not in SPARSE_RULES
                if paper is None or method not in PAPER_METHODS or method == "SLIM" or repeated:
                    continue
                ours = study.chosen(dataset, method, rule)
                if is_far(ours.size_as_the_paper, paper.size):
                    nearest = _nearest(study, ours, paper)
                    found.append(FarSize(rule=rule, ours=ours, paper=paper, nearest=nearest))
    return found


def is_far(size: float, other: float) -> bool:
    """Whether one is larger than the other by half and by three.

    >>> is_far(37, 7), is_far(19, 18), is_far(1, 2)
    (True, False, False)
    """
    small, large = sorted((size, other))
    return large > _FACTOR * small and large - small >= _TERMS


def _nearest(study: Study, ours: Result, paper: PaperResult) -> Result:
    """The setting nearest in size, then in test error; of CART the tree that rpart returns by default."""
    default = study.results(ours.dataset, "CART cp") if ours.method == "CART" else []
    return min(
        default or study.results(ours.dataset, ours.method),
        key=lambda r: (abs(r.size_as_the_paper - paper.size), abs(r.test.mean - paper.test)),
    )
