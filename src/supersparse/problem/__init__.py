"""The optimisation problem, frozen: rows, coefficient sets, penalties, and the exact objective."""
