"""Pair covers as rows of the MIP: what the exact engine packs, given to a general solver.

If a positive row i and a negative row j are both right, some feature with the right sign puts i
above j: z_i + z_j + Σ α_l >= 1 over the literals (feature, sign) of the pair (`exact/covers.py`
has the proof). The rows cut off no solution with integer z and α; they lift the relaxation.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from supersparse.problem.problem import Problem
from supersparse.solving.exact.covers import pair_pool
from supersparse.solving.exact.instance import instances
from supersparse.solving.integer_form import integer_form
from supersparse.solving.mip.draft import Draft, Linear
from supersparse.solving.mip.write_term import WrittenTerm
from supersparse.solving.presolve.merge import row_groups

Signs = tuple[tuple[int, int], ...]  # (variable, sign) of the binaries made here: 1 when c has that sign


def write_literals(draft: Draft, written: WrittenTerm) -> tuple[tuple[Linear, Linear], Signs]:
    """Say in binaries whether a term is positive and whether it is negative."""
    term, number = written.term, written.variables.number
    if written.variables.choice:
        return tuple(  # type: ignore[return-value]
            Linear(0, tuple((binary, 1) for value, binary in written.variables.choice if value * sign > 0))
            for sign in (1, -1)
        ), ()
    least, greatest = term.values[0], term.values[-1]
    literals, made = [], []
    known = {sign: binary for binary, sign in written.variables.signs}
    if known:  # an exact size has made them
        positive, negative = (Linear(0, ((known[s], 1),)) if s in known else Linear() for s in (1, -1))
        return (positive, negative), written.variables.signs
    for sign, reach in ((1, greatest), (-1, -least)):
        if reach <= 0:
            literals.append(Linear())
        elif min(sign * least, sign * greatest) > 0:
            literals.append(Linear(1))  # a forced term of this sign
        else:
            binary = draft.variable(0, 1)
            # sign·c <= reach·binary, with c = offset + step·k
            draft.row([(number, sign * term.step), (binary, -reach)], upper=-sign * term.offset)
            literals.append(Linear(0, ((binary, 1),)))
            made.append((binary, sign))
    both = [part for literal in literals for part in literal.parts]
    if len(both) == 2:
        draft.row(both, upper=1)
    if written.variables.nonzero is not None:
        draft.row([*both, (written.variables.nonzero, -1)], upper=0)
    return (literals[0], literals[1]), tuple(made)


def write_pair_covers(
    draft: Draft, problem: Problem, literals: Sequence[tuple[Linear, Linear]], binary: Mapping[int, int]
) -> int:
    """Add the covers of each row's nearest opposite rows; return how many.

    `binary` names z of the rows that can be right and wrong. A row that is always wrong covers
    its pairs; `binary` leaves it out, and so are its pairs.
    """
    group, _ = row_groups(list(problem.rows.columns))
    z = {(int(group[row]), bool(problem.rows.positive[row])): variable for row, variable in binary.items()}
    instance = instances(integer_form(problem))[-1]
    pool = pair_pool(instance, (), instance.allowed)
    pairs = np.stack([instance.positive_row[pool.positive], instance.negative_row[pool.negative]], axis=1)
    count = 0
    seen: set[tuple[int, int]] = set()
    for q, (i, j) in enumerate(pairs.tolist()):
        if (i, j) in seen or (i, True) not in z or (j, False) not in z:
            continue
        seen.add((i, j))
        chosen = [literals[x // 2][x % 2] for x in pool.literal[pool.start[q] : pool.start[q + 1]].tolist()]
        parts = [part for literal in chosen for part in literal.parts]
        needed = 1 - sum(literal.constant for literal in chosen)
        if needed > 0:
            draft.row([(z[i, True], 1), (z[j, False], 1), *parts], lower=needed)
            count += 1
    return count
