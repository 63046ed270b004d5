"""When the theorems apply: what must have been declared before the rows were seen."""

from decimal import Decimal
from fractions import Fraction

from supersparse.problem.naming import INTERCEPT
from supersparse.problem.problem import Problem
from supersparse.theory.space import ModelSpace, declared_sets


def obstacles(problem: Problem, cut_points_fitted: bool) -> tuple[str, ...]:
    """Say all that makes the classifiers infinite or chosen after the fact, or errors no plain average."""
    reasons = []
    if problem.intercept.mode == "free":
        reasons.append(
            "the threshold may lie anywhere, so there are infinitely many classifiers; "
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
    return tuple(reasons)


def why_not_directions(problem: Problem, space: ModelSpace) -> str:
    """Name the first set for which Theorem 2 does not count the classifiers."""
    named = list(zip(problem.rows.names, declared_sets(problem), strict=True))
    if problem.intercept.allowed is not None:
        named.append((INTERCEPT, problem.intercept.allowed))
    step = "whole numbers" if space.unit == 1 else f"multiples of 1/{space.unit}"
    for name, values in named:
        if space.is_broken(values):
            return (
                f"the set of {name!r} is not an unbroken run of {step} through 0, "
                "so dividing by a common divisor may leave it"
            )
    return "the intercept's range leaves out 0, so dividing by a common divisor may leave it"


def decimal(value: Fraction) -> str:
    """Show a fraction as a person would write it."""
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.6g}"  # a float could underflow to 0
