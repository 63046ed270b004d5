"""SLIM's training objective against every other linear model of the study, rounded to the same set."""

from dataclasses import dataclass
from fractions import Fraction

from supersparse.experiments.results.study import METHODS, Study


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveCheck:
    """All comparisons on one table: each SLIM fit with each rounded model of the same fold."""

    dataset: str
    compared: int
    worse: tuple[str, ...]  # where SLIM lost, in words

    @property
    def held(self) -> bool:
        """Whether SLIM was never worse."""
        return not self.worse


def check_objectives(study: Study, dataset: str) -> ObjectiveCheck:
    """F at SLIM's C0: errors over rows (a score of 0 wrong) plus C0 times the features. Exact."""
    slim = study.results(dataset, "SLIM")
    compared, worse = 0, []
    for method in METHODS:
        for other in study.results(dataset, method):
            for own in slim:
                price = Fraction(str(own.setting.number("C0")))
                for mine, theirs in zip(own.records, other.records, strict=True):
                    if theirs.in_set_errors is None or theirs.in_set_size is None or mine.proof is None:
                        continue
                    n_rows = theirs.train.rows
                    F = Fraction(theirs.in_set_errors, n_rows) + price * theirs.in_set_size
                    compared += 1
                    lead = float(Fraction(mine.proof.objective) - F)
                    if lead > 0:
                        worse.append(
                            f"C0 {float(price):g}, fold {mine.split}: {method} "
                            f"{other.setting.in_words()} by {lead:.4f}".replace("  ", " ")
                        )
    return ObjectiveCheck(dataset=dataset, compared=compared, worse=tuple(worse))


def better_with_a_price(study: Study, dataset: str) -> tuple[int, list[Fraction]]:
    """Compare the two searches: the pairs of fits, and by how much F of SLIM is smaller in SLIM b's model.

    F without C1, whose part is smaller than any difference in the rest.
    """
    priced = {other.setting: other for other in study.results(dataset, "SLIM b")}
    pairs, leads = 0, []
    for own in study.results(dataset, "SLIM"):
        if own.setting not in priced:
            continue
        price = Fraction(str(own.setting.number("C0")))
        for mine, theirs in zip(own.records, priced[own.setting].records, strict=True):
            if mine.proof is not None and theirs.proof is not None:
                pairs += 1
                wrong = Fraction(mine.proof.training_errors - theirs.proof.training_errors, mine.train.rows)
                leads.append(wrong + price * (mine.size - theirs.size))
    return pairs, [lead for lead in leads if lead > 0]
