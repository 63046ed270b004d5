"""When the theorems apply: what must have been declared before the rows were seen."""

from decimal import Decimal
from fractions import Fraction

from supersparse.problem.naming import INTERCEPT
from supersparse.problem.problem import Problem
from supersparse.theory.space import ModelSpace


def obstacles(problem: Problem, cut_points_fitted: bool) -> tuple[str, ...]:
    """Say all that makes the classifiers infinite or chosen after the fact, or errors no plain average."""
    reasons = []
    if problem.intercept.mode == "free":
        reasons.append(
            "the intercept has no declared range, so there are infinitely many classifiers; "
            "give intercept=(-100, 100)"
        )
    if cut_points_fitted:
        reasons.append(
            "the cut points were fitted on the same rows, so the classifiers were chosen after seeing the "
            "data; fix the cut points beforehand or fit them on other rows"
        )
    if problem.class_weights[0] != problem.class_weights[1]:
        of_class = zip(problem.class_weights, problem.rows.classes, strict=True)
        shown = ", ".join(f"{decimal(weight)} for {label!r}" for weight, label in of_class)
        reasons.append(
            f"the class weights differ ({shown}) and the theorems are about the plain error rate; "
            "use class_weight=None"
        )
    weights = problem.rows.weights
    least, greatest = (int(w) * problem.rows.weight_unit for w in (weights.min(), weights.max()))
    if least != greatest:
        reasons.append(
            f"the sample weights differ ({decimal(least)} to {decimal(greatest)}) and the theorems are "
            "about rows that count alike; use sample_weight=None"
        )
    if len(problem.ignored) == problem.n_features:
        reasons.append("every column is constant in these rows; add a column that varies")
    return tuple(reasons)


def notes(problem: Problem) -> tuple[str, ...]:
    """Say what was counted other than as it stands in the problem."""
    if not problem.ignored:
        return ()
    names = ", ".join(repr(problem.rows.names[j]) for j in problem.ignored[:3])
    names += ", ..." if len(problem.ignored) > 3 else ""
    return (f"Constant in these rows, and counted with the widest set of the others: {names}.",)


def why_not_directions(problem: Problem, space: ModelSpace) -> str:
    """Name the first set for which Theorem 2 does not count the classifiers."""
    named = list(zip(problem.rows.names, problem.sets, strict=True))
    if problem.intercept.allowed is not None:
        named.append((INTERCEPT, problem.intercept.allowed))
    ignored = {problem.rows.names[j] for j in problem.ignored}
    step = "whole numbers" if space.unit == 1 else f"multiples of 1/{space.unit}"
    for name, values in named:
        if name not in ignored and space.is_broken(values):
            return (
                f"the set of {name!r} is not an unbroken run of {step} through 0, "
                "so dividing by a common divisor may leave it"
            )
    return "the intercept's range leaves out 0, so dividing by a common divisor may leave it"


def decimal(value: Fraction) -> str:
    """Show a fraction as a person would write it."""
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.6g}"  # a float could underflow to 0
