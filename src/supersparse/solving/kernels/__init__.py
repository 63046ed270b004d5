"""The hot loops, compiled by numba when first used; nothing else lives here."""
