"""Hypothesis strategies: settings of every kind, with names and labels that files could misread."""

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from supersparse import Settings, constraints, integers, non_negative, non_positive, one_digit, two_digits
from supersparse.engine.options import SOLVERS
from supersparse.problem.penalties import Levels

HARD_TEXT = [
    "yes", "no", "on", "y", "true", "null", "~", "", " ", "1", "010", "1e-3", "0x1F", "1_000", "1:30", "1/2",
    ".inf", "-", "?", "*", "&a", "!x", "#", "a: b", "a #b", "- a", "[a", "{a}", "'", '"', "\\", "%", "@", "`",
    "|", ">", "=", "<<", "---", "a\nb", "\t", "\x00", "\x7f", "\x85", "\u2028", "\ufeff", "😀", "ß", "-5..5",
    "one_digit", "age>=40", "age*", "(intercept)", "2001-01-01", "12e03", "0o7", "+1",
]  # fmt: skip
texts = st.sampled_from(HARD_TEXT) | st.text(max_size=8)
names = st.lists(texts, min_size=1, max_size=3)
exact_numbers = st.one_of(
    st.integers(-1000, 1000),
    st.fractions(min_value=-5, max_value=5, max_denominator=50),
    st.decimals(-100, 100, places=4, allow_nan=False).map(Fraction),
    st.floats(-1e30, 1e30, allow_nan=False),
    st.sampled_from([Fraction(1, 10**30), 10**40, Fraction("0.12345678901234567890123")]),
)
costs = exact_numbers.map(abs)
shares = st.sampled_from([0, 1, 0.9, Fraction(1, 3), 1e-7])
pairs = st.tuples(exact_numbers, exact_numbers).map(lambda p: tuple(sorted(p, key=lambda v: Fraction(str(v)))))
counts = st.integers(0, 9)


def by_name(values):
    return st.dictionaries(texts, values, min_size=1, max_size=3)


sets = st.one_of(
    st.builds(integers, st.integers(1, 300)),
    st.builds(non_negative, st.integers(1, 30)),
    st.builds(non_positive, st.integers(1, 30)),
    st.just(one_digit()),
    st.just(two_digits()),
    st.lists(exact_numbers, min_size=1, max_size=40),
)
levels = st.sampled_from(
    [
        [([-1, 1], 0.01), ([-2, 2], 0.03)],
        [([0, 1], 0), (range(2, 100), Fraction(1, 3))],
        [([-1], 0), ([0], 0.04), ([1], 0.1)],
        [(one_digit(), 0.5)],
    ]
).map(Levels.of)
labels = st.one_of(texts, st.integers(-3, 3), st.booleans(), st.floats(-2, 2, allow_nan=False))
one_group = st.one_of(st.none(), texts, st.tuples(texts, labels))

CONSTRAINTS = {
    "must_use": st.builds(constraints.must_use, names),
    "must_not_use": st.builds(constraints.must_not_use, names),
    "fixed": st.builds(constraints.fixed, names, exact_numbers)
    | st.builds(constraints.fixed, texts, st.lists(st.none() | counts, min_size=2, max_size=4).map(tuple)),
    "at_most": st.builds(constraints.at_most, counts, of=names),
    "at_least": st.builds(constraints.at_least, counts, of=names),
    "exactly": st.builds(constraints.exactly, counts, of=names),
    "thresholds_per_variable": st.builds(constraints.thresholds_per_variable, counts, by_name(names) | names),
    "same_sign": st.builds(constraints.same_sign, by_name(names) | names),
    "only_if": st.builds(constraints.only_if, names, names),
    "budget": st.builds(constraints.budget, by_name(costs), at_most=costs),
    "close_to": st.builds(
        constraints.close_to,
        by_name(st.lists(counts, min_size=2, max_size=4).map(tuple)),
        questions=st.none() | counts,
        answers=counts,
    ),
    "min_sensitivity": st.builds(constraints.min_sensitivity, shares, group=one_group),
    "min_specificity": st.builds(constraints.min_specificity, shares, group=one_group),
    "max_false_positive_rate": st.builds(constraints.max_false_positive_rate, shares, group=one_group),
    "max_error": st.builds(constraints.max_error, shares, group=one_group),
    "max_difference": st.builds(
        constraints.max_difference,
        st.sampled_from(["sensitivity", "specificity", "false positive rate", "error"]),
        group=texts,
        at_most=shares,
    ),
    "max_total_score": st.builds(constraints.max_total_score, exact_numbers, ranges=st.none() | by_name(pairs)),
}
limits = st.none() | st.floats(1, 1e6, allow_nan=False)
SOLVE = {
    "solver": st.sampled_from(SOLVERS),
    "time_limit": limits,
    "node_limit": st.none() | counts,
    "memory_limit": limits,
    "gap": st.floats(0, 1),
    "absolute_gap": st.floats(0, 1),
    "n_jobs": st.integers(1, 8),
    "random_state": counts,
    "formulation": st.sampled_from(["bigm", "indicator"]),
    "branching_priorities": by_name(st.integers(-5, 5)),
    "pair_covers": st.booleans(),
    "tuning_time": st.sampled_from([0.0, 2.5]),
    "checkpoint": st.sampled_from(["tree.json", "runs/a b.json", "ß.ckpt", "yes"]),  # inside the folder
    "solver_options": by_name(st.one_of(st.booleans(), counts, st.floats(-1e9, 1e9), texts)),
}
ends = st.one_of(pairs, st.tuples(st.none(), exact_numbers), st.tuples(exact_numbers, st.none()), st.just((None, None)))
word = st.sampled_from
TABLE = {
    "target": texts,
    "drop": names,
    "keep": names,
    "category": names,
    "event": texts,
    "time": texts,
    "horizon": st.integers(1, 9999) | st.just(0.5),
    "censored": texts,
    "na": names,
    "default_na": st.booleans(),
    "separator": texts,
    "encoding": texts,
    "decimal": word([".", ","]),
    "dates": word(["dmy", "mdy"]),
    "sheet": texts,
    "header_row": st.integers(1, 9),
    "as_written": names,
}
PREPARE = {
    "cuts": word(["optimal", "quantile", "tree", "none"]),
    "cut_points": by_name(st.lists(exact_numbers, min_size=1, max_size=3)),
    "max_cuts": st.just("auto") | st.integers(1, 9),
    "per_variable": st.none() | st.integers(1, 9),
    "intervals": st.booleans(),
    "missing": word(["item", "median", "mode", "drop"]),
    "direction": by_name(word(["+", "-"])),
    "shape": by_name(word(["monotone", "rising", "falling", "any"])),
    "ordered": by_name(st.lists(texts, min_size=2, max_size=3)),
    "rare": st.just("auto") | exact_numbers.filter(lambda rare: 0 <= rare < 0.5),
    "units": by_name(texts),
    "candidates": st.none() | st.just("auto") | st.integers(1, 99),
    "update": texts,
    "changes": st.integers(0, 9),
    "changes_of": word(["questions", "answers"]),
}
VALIDATE = {"cv": st.integers(2, 9), "repeats": st.integers(1, 9), "cv_groups": texts, "cv_time": texts}
changes = st.one_of(
    st.fixed_dictionaries({"points": st.fixed_dictionaries({"question": texts, "to": exact_numbers})}),
    st.fixed_dictionaries({"drop": texts}, optional={"reason": texts, "at": texts}),
    st.fixed_dictionaries({"add": st.fixed_dictionaries({"question": texts, "points": exact_numbers})}),
    st.fixed_dictionaries({"swap": st.fixed_dictionaries({"question": texts, "for": texts})}),
    st.fixed_dictionaries({"cut": st.fixed_dictionaries({"question": texts, "to": exact_numbers})}),
    st.fixed_dictionaries({"threshold": st.none() | exact_numbers}),
)
KEYS = {
    "C0": costs | by_name(costs),
    "objective": st.sampled_from(["errors", "net_benefit"]),
    "risk_threshold": st.none() | st.sampled_from([0.1, 0.25, 0.5]),
    "goal": st.sampled_from(["errors", "risk"]),
    "slope": st.sampled_from(["free", 1]),
    "tie_break": st.sampled_from(["points", "log_loss"]),
    "slack": st.sampled_from([0, 0.01]),
    "C1": st.just("auto") | costs,
    "points": st.integers(1, 9) | sets | by_name(sets | st.none() | st.integers(1, 9)),
    "max_points": st.just("auto") | st.integers(1, 200),
    "bounds": ends | by_name(ends | st.none()),
    "levels": levels | by_name(levels | st.none()),
    "max_features": st.sampled_from(["auto", None]) | counts,
    "min_features": counts,
    "intercept": st.sampled_from(["free", "paper", "none"]) | pairs,
    "class_weight": st.sampled_from(["auto", "balanced", None]) | st.dictionaries(texts, costs, min_size=1, max_size=2),
    "positive": labels,
    "sample_weight": texts,
    "rate_groups": names,
    "questions": st.none() | st.booleans(),
    "max_questions": st.just("auto") | st.integers(0, 9),
    "min_questions": st.integers(0, 3),
    "change_price": st.sampled_from([0, 0.001]),
    "teacher": st.none() | st.sampled_from(["auto", "ridge", "none"]) | texts,
    "blend": st.sampled_from([0.5, 0.85, 1]),
    "constraints": st.lists(st.one_of(list(CONSTRAINTS.values())), max_size=4),
    "solve": st.fixed_dictionaries({}, optional=SOLVE),
    "table": st.fixed_dictionaries({}, optional=TABLE),
    "prepare": st.fixed_dictionaries({}, optional=PREPARE),
    "validate": st.booleans() | st.fixed_dictionaries({}, optional=VALIDATE),
    "edits": st.lists(changes, max_size=3),
}


def all_settings() -> st.SearchStrategy[Settings]:
    """Settings with any of the keys."""
    return st.fixed_dictionaries({}, optional=KEYS).map(lambda given: Settings.of(**_with_unit(given)))


def _with_unit(given: dict[str, Any]) -> dict[str, Any]:
    """No questions where the goal is errors; said where a file for goal risk would speak of features."""
    goal = given.get("goal")
    if goal == "errors":
        return {name: value for name, value in given.items() if "question" not in name and name != "change_price"}
    return {**given, "questions": False} if goal == "risk" and given.get("questions") is None else given
