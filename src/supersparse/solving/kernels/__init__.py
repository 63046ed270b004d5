"""The hot loops, compiled by numba on first use, and nothing else."""
