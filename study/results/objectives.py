"""SLIM's training objective against every other linear model of the study, rounded to the same set."""

from dataclasses import dataclass
from fractions import Fraction

from study.results.study import METHODS, Study

LINEAR = ("LR", "Lasso", "Ridge", "EN", "FasterRisk", "LR x10", "LR ±100", "Unit")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveCheck:
    """All comparisons on one table: each fit of one formulation with each rounded model of the same fold."""

    dataset: str
    method: str  # SLIM or SLIM free
    compared: int
    worse: tuple[str, ...]  # where it lost, in words

    @property
    def held(self) -> bool:
        """Whether it was never worse."""
        return not self.worse


def check_objectives(study: Study, dataset: str, method: str) -> ObjectiveCheck:
    """Compare F at the fit's own C0, exactly, as its formulation counts errors and terms."""
    compared, worse = 0, []
    fits = study.results(dataset, method)
    for name in METHODS:
        for other in study.results(dataset, name):
            for own in fits:
                C0 = Fraction(str(own.setting.number("C0")))
                for mine, theirs in zip(own.records, other.records, strict=True):
                    if theirs.in_set is None or mine.proof is None:
                        continue
                    rows = theirs.train.rows
                    rounded = theirs.in_set
                    F = (rounded.objective if method == "SLIM free" else rounded.paper_objective)(rows, C0)
                    compared += 1
                    lead = float(Fraction(mine.proof.objective) - F)
                    if lead > 0:
                        worse.append(
                            f"C0 {float(C0):g}, fold {mine.split}: {name} "
                            f"{other.setting.in_words()} by {lead:.4f}".replace("  ", " ")
                        )
    return ObjectiveCheck(dataset=dataset, method=method, compared=compared, worse=tuple(worse))


def not_rounded(study: Study) -> list[str]:
    """Say which linear models are on record without what they would be in the set."""
    found = []
    for name in LINEAR:
        without = [
            dataset
            for dataset in study.datasets
            if any(r.in_set is None for result in study.results(dataset, name) for r in result.records)
        ]
        if without:
            found.append(f"{name} on {', '.join(without)}")
    return found


def better_in_the_set(study: Study, dataset: str) -> tuple[int, list[Fraction]]:
    """Compare the two searches: the pairs of fits, and by how much F of SLIM free is smaller in SLIM's model.

    A model of the paper's formulation is one of the other at no larger F, since b costs nothing there. F
    without C1, whose part is smaller than any difference in the rest.
    """
    in_the_set = {other.setting: other for other in study.results(dataset, "SLIM")}
    pairs, leads = 0, []
    for own in study.results(dataset, "SLIM free"):
        if own.setting not in in_the_set:
            continue
        C0 = Fraction(str(own.setting.number("C0")))
        for mine, theirs in zip(own.records, in_the_set[own.setting].records, strict=True):
            if mine.proof is not None and theirs.proof is not None:
                pairs += 1
                wrong = Fraction(mine.proof.training_errors - theirs.proof.training_errors, mine.train.rows)
                leads.append(wrong + C0 * (mine.size - theirs.size))
    return pairs, [lead for lead in leads if lead > 0]
