"""Where a baseline differs from the paper's by more than two standard deviations, and why."""

from dataclasses import dataclass
from math import hypot

from supersparse.experiments.plan import PAPER_METHODS
from supersparse.experiments.results.paper import paper_result
from supersparse.experiments.results.study import SPARSE_RULES, Study

# What is known to be different, by method; what is not in here is said to be unexplained.
REASONS = {
    "SVM": "the paper does not give its grid of costs and widths; ours is wider than e1071's defaults",
    "CART": "rpart prunes by errors, scikit-learn by impurity",
    "C50T": "the confidence of pruning is chosen here, which the paper does not say of its own",
    "C50R": "the confidence of pruning is chosen here, which the paper does not say of its own",
    "Ridge": "both paths end where the penalty is 1/10000 of its start, and the error still falls there",
    "EN": "the paper does not give the mixture of its elastic net; ours is half l1, half l2",
    "Lasso": "the paper's deviations look like standard errors: a third of those of LR on the same folds",
    "RF": "the paper's forests have other numbers of features a split, and R grows other trees",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A mean that is more than two standard deviations from the paper's."""

    rule: str
    dataset: str
    method: str
    what: str
    ours: float
    paper: float
    deviations: float  # of the difference, both standard deviations taken together

    @property
    def reason(self) -> str:
        """Why, as far as it is known."""
        return REASONS.get(self.method, "not explained")


def large_differences(study: Study) -> list[Difference]:
    """All of them, over the paper's nine baselines."""
    found = []
    for rule in ("best", "one_sd"):
        for dataset in study.datasets:
            for method in study.methods(dataset):
                paper = paper_result(rule, dataset, method)
                repeated = rule != "best" and method not in SPARSE_RULES
                if paper is None or method not in PAPER_METHODS or method == "SLIM" or repeated:
                    continue
                result = study.chosen(dataset, method, rule)
                for what, ours, mean, sd in (
                    ("test error", result.test, paper.test, paper.test_sd),
                    ("train error", result.train, paper.train, paper.train_sd),
                ):
                    together = max(hypot(ours.sd, sd), 0.05)  # the paper rounds to 0.1
                    deviations = (ours.mean - mean) / together
                    if abs(deviations) > 2:
                        found.append(
                            Difference(
                                rule=rule, dataset=dataset, method=method, what=what,
                                ours=ours.mean, paper=mean, deviations=deviations,
                            )
                        )  # fmt: skip
    return found
