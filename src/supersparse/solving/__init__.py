"""How an answer is found: contract, registry, presolve, incumbent search, solvers; start at solve.py."""
