"""Build the paper's MIP (section 3.3) for a problem, with its misprints corrected.

    minimise   Σ_i w_i z_i + Σ_j C0_j α_j (+ C1 Σ_j β_j)
    subject to y_i·score_i + M_i z_i >= γ,   M_i = γ - the worst y_i·score_i
               c_j in its set,  |c_j| <= Λ_j α_j,  |c_j| <= β_j

Variables are created only where needed: z for rows that can be right or wrong, α if C0 or a size limit needs
it, β if l1 is needed and a set has both signs. Levels are written as in appendix A. If a wrong row or a used
feature can help to satisfy a limit, z and α must not be larger than the truth either: `M'_i (1 - z_i) >=
y_i·score_i` with M'_i the best y_i·score_i, and one binary for each sign of c_j.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import row_groups
from supersparse.engine.exact.instance import instances
from supersparse.engine.exact.literals import feature_of, is_negative
from supersparse.engine.exact.pairs import pair_pool
from supersparse.engine.integer_form import integer_form
from supersparse.engine.mip.model import Draft, Linear, Model
from supersparse.engine.mip.precision import LossRows, Precision, limit_rows
from supersparse.engine.mip.program import ExactCost, Program, SolverCost
from supersparse.engine.mip.terms import read_terms
from supersparse.engine.mip.write import WrittenTerm, write_limits, write_same_signs, write_term
from supersparse.engine.options import Formulation
from supersparse.problem.naming import INTERCEPT
from supersparse.problem.problem import Problem

Signs = tuple[tuple[int, int], ...]  # (variable, sign) of the binaries made here: 1 when c has that sign


def write_literals(draft: Draft, written: WrittenTerm) -> tuple[tuple[Linear, Linear], Signs]:
    """Add binaries for whether a term is positive and whether it is negative."""
    term, number = written.term, written.variables.number
    if written.variables.choice:
        return tuple(  # type: ignore[return-value]
            Linear(0, tuple((binary, 1) for value, binary in written.variables.choice if value * sign > 0))
            for sign in (1, -1)
        ), ()
    least, greatest = term.values[0], term.values[-1]
    literals, made = [], []
    known = {sign: binary for binary, sign in written.variables.signs}
    if known:  # already created for an exact size
        positive, negative = (Linear(0, ((known[s], 1),)) if s in known else Linear() for s in (1, -1))
        return (positive, negative), written.variables.signs
    for sign, reach in ((1, greatest), (-1, -least)):
        if reach <= 0:
            literals.append(Linear())
        elif min(sign * least, sign * greatest) > 0:
            literals.append(Linear(1))  # a forced term of this sign
        else:
            name = f"{'plus' if sign > 0 else 'minus'}_{written.label}"
            binary = draft.variable(name, 0, 1)
            # sign·c <= reach·binary, with c = offset + step·k
            reached = [(number, sign * term.step), (binary, -reach)]
            draft.row(f"literal_{name}", reached, upper=-sign * term.offset)
            literals.append(Linear(0, ((binary, 1),)))
            made.append((binary, sign))
    both = [part for literal in literals for part in literal.parts]
    if len(both) == 2:
        draft.row(f"literals_{written.label}", both, upper=1)
    if written.variables.nonzero is not None:
        used = [*both, (written.variables.nonzero, -1)]
        draft.row(f"literals_{written.label}_used", used, upper=0)
    return (literals[0], literals[1]), tuple(made)


def write_pair_covers(
    draft: Draft, problem: Problem, literals: Sequence[tuple[Linear, Linear]], binary: Mapping[int, int]
) -> int:
    """Add the covers of each row's nearest opposite rows; return their number.

    `binary` has z of the rows that can be right or wrong. A row that is always wrong covers its pairs, so it
    and its pairs are left out.
    """
    group, _ = row_groups(list(problem.rows.columns))
    z = {(int(group[row]), bool(problem.rows.positive[row])): variable for row, variable in binary.items()}
    instance = instances(integer_form(problem))[-1]
    pool = pair_pool(instance.in_any_order(), (), instance.allowed)
    pairs = np.stack([instance.positive_row[pool.positive], instance.negative_row[pool.negative]], axis=1)
    count = 0
    seen: set[tuple[int, int]] = set()
    for q, (i, j) in enumerate(pairs.tolist()):
        if (i, j) in seen or (i, True) not in z or (j, False) not in z:
            continue
        seen.add((i, j))
        names = pool.literal[pool.start[q] : pool.start[q + 1]].tolist()
        chosen = [literals[feature_of(name)][is_negative(name)] for name in names]
        parts = [part for literal in chosen for part in literal.parts]
        needed = 1 - sum(literal.constant for literal in chosen)
        if needed > 0:
            count += 1
            draft.row(f"cover_{count}", [(z[i, True], 1), (z[j, False], 1), *parts], lower=needed)
    return count


@dataclass(frozen=True, kw_only=True)
class Numbering:
    """The numbers of features and rows in the names of variables, as in the paper from 1."""

    features: Sequence[int]
    rows: Sequence[int]

    @classmethod
    def of(cls, problem: Problem) -> "Numbering":
        """Number the features and rows of a problem in their order."""
        return cls(features=range(1, problem.n_features + 1), rows=range(1, problem.rows.n_rows + 1))


def build(
    problem: Problem,
    rows: LossRows,
    *,
    formulation: Formulation,
    precision: Precision,
    priorities: Mapping[Any, int],
    pair_covers: bool = False,
    l1_within: Fraction | None = None,
    numbering: Numbering | None = None,
) -> Program:
    """Build the program that minimises F or, with `l1_within`, the l1 of models whose F is not larger.

    `priorities` are those of features, of `INTERCEPT` and of rows, by their places in the problem.
    """
    numbers = Numbering.of(problem) if numbering is None else numbering
    terms = read_terms(problem)
    labels = [str(j) for j in numbers.features] + ["0"] * (len(terms) - problem.n_features)
    limits = limit_rows(problem, terms)
    draft = Draft()
    limit = problem.max_features
    limited = limit is not None and limit < sum(t.counted for t in terms)
    written = [
        write_term(
            draft,
            term,
            label,
            replace(
                limits.wants(t),
                size=term.counted and (limited or term.C0 > 0 or limits.wants(t).size),
                magnitude=term.counted and (l1_within is not None or bool(problem.C1)),
            ),
            priority=priorities.get(INTERCEPT if term.name is None else term.name, 0),
        )
        for t, (term, label) in enumerate(zip(terms, labels, strict=True))
    ]
    if limited:
        assert limit is not None
        draft.words["size"] = f"at most {limit} features"
        draft.row(
            "size",
            [part for w in written for part in w.size.parts],
            upper=limit - sum(w.size.constant for w in written),
        )

    costs = _row_costs(problem)
    in_question = np.flatnonzero(rows.is_open & ((costs > 0) | limits.rows_that_count))
    binaries = [draft.variable(f"z_{numbers.rows[i]}", 0, 1, priorities.get(i, 0)) for i in in_question.tolist()]
    z = dict(zip(in_question.tolist(), binaries, strict=True))
    _write_contradictions(draft, problem, z, numbers)
    write_limits(draft, limits, written, z, rows.is_always_wrong)
    of_signs = write_same_signs(draft, problem.sign_limits, written)
    if pair_covers:
        written = _with_pair_covers(draft, problem, written, z)
    draft.loss(
        [f"loss_{numbers.rows[i]}" for i in in_question.tolist()],
        rows.factors[in_question],
        columns=[w.variables.number for w in written],
        needed=rows.needed[in_question],
        binary=binaries,
        big_m=rows.big_m[in_question] if formulation == "bigm" else None,
    )
    exact = [i for i in z if limits.rows_that_help[i]]
    if exact:
        draft.loss(
            [f"right_{numbers.rows[i]}" for i in exact],
            -rows.factors[exact],
            columns=[w.variables.number for w in written],
            needed=1 - rows.needed[exact],
            binary=[z[i] for i in exact],
            big_m=rows.reverse_big_m[exact] if formulation == "bigm" else None,
            when=True,
        )

    F = _exact(
        draft,
        [
            (Fraction(1), Linear(0, tuple(zip(binaries, costs[in_question], strict=True)))),
            *(part for w in written for part in w.penalty),
            *((Fraction(problem.C1 or 0, problem.unit), w.magnitude) for w in written),
        ],
        offset=sum(costs[rows.is_always_wrong], Fraction(0)),
    )
    aim = SolverCost.of(F, draft.lower, draft.upper, precision)
    if l1_within is not None:
        costs_of_F = [(j, w) for j, w in enumerate(aim.weights.tolist()) if w]
        draft.row("objective", costs_of_F, upper=aim.limit(l1_within))
        l1 = _exact(draft, [(Fraction(1, problem.unit), w.magnitude) for w in written], offset=Fraction(0))
        aim = SolverCost.of(l1, draft.lower, draft.upper, precision)
    return Program(
        problem=problem,
        model=Model(
            names=tuple(draft.names),
            lower=np.array(draft.lower, dtype=np.float64),
            upper=np.array(draft.upper, dtype=np.float64),
            cost=aim.weights,
            cost_offset=aim.offset,
            rows=draft.linear_rows(),
            indicators=draft.indicator_rows(),
            priorities=np.array(draft.priority, dtype=np.int64),
        ),
        F=F,
        aim=aim,
        terms=terms,
        variables=tuple(w.variables for w in written),
        loss_binary=tuple(zip(in_question.tolist(), binaries, strict=True)),
        sign_binary=of_signs,
        words=draft.words,
    )


def _with_pair_covers(
    draft: Draft, problem: Problem, written: list[WrittenTerm], z: Mapping[int, int]
) -> list[WrittenTerm]:
    """Add the pair covers and their binaries.

    They hold for every scoring system, and so for those that satisfy the limits.
    """
    features = [w for w in written if w.term.name is not None]
    made = [write_literals(draft, w) for w in features]
    write_pair_covers(draft, problem, [literals for literals, _ in made], z)
    signed = [
        replace(w, variables=replace(w.variables, signs=signs)) for w, (_, signs) in zip(features, made, strict=True)
    ]
    return [*signed, *(w for w in written if w.term.name is None)]


def _row_costs(problem: Problem) -> NDArray[np.object_]:
    """The cost in F of an error in each row."""
    negative, positive = (w / problem.total_weight for w in problem.class_weights)
    return np.array(
        [
            int(weight) * (positive if is_positive else negative)
            for weight, is_positive in zip(problem.rows.weights, problem.rows.positive, strict=True)
        ],
        dtype=object,
    )


def _write_contradictions(draft: Draft, problem: Problem, binary: Mapping[int, int], numbers: Numbering) -> None:
    """Equal rows of both classes: one of the two is always wrong, so z + z' >= 1."""
    group, _ = row_groups(list(problem.rows.columns))
    first_of: dict[int, int] = {}
    for row in binary:
        other = first_of.setdefault(int(group[row]), row)
        if problem.rows.positive[other] != problem.rows.positive[row]:
            name = f"pair_{numbers.rows[other]}_{numbers.rows[row]}"
            draft.row(name, [(binary[other], 1), (binary[row], 1)], lower=1)


def _exact(draft: Draft, parts: Iterable[tuple[Fraction, Linear]], offset: Fraction) -> ExactCost:
    """Add up ``factor · expression`` into one cost over the draft's variables."""
    weights = [Fraction(0)] * len(draft.lower)
    for factor, expression in parts:
        if factor:
            offset += factor * expression.constant
            for variable, weight in expression.parts:
                weights[variable] += factor * weight
    return ExactCost.of(weights, offset)
