"""Measurements: a registry of instances, one command that runs solvers on them, tables and plots."""
