"""Answers over many solves: frontier, path, pool, edit, trade-off; data and the functions that make them."""
