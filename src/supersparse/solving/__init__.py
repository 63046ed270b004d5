"""Solving: contract, registry, presolve, incumbent search and solvers; start at solve.py."""
