"""The exact engine: a tree over signed supports, bounded by pair covers, and boxes of coefficients."""
