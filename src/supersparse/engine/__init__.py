"""How a problem is solved and proven.

In: a `Problem` and options. Out: a `Solution` whose every number was recomputed from the original rows,
with the bound that was proven. Read `solve`, `pipeline`, `verify`; then `exact` and `risk`, the two
engines, over `kernels`; `mip` hands the paper's program to other solvers, `certify` writes proofs,
`answers` holds the results of many solves: frontier, pool, edits.
"""
