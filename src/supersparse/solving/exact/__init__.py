"""The exact engine: a tree over signed supports, bounded by pair covers, with a box search at each support."""
