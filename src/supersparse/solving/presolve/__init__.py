"""Reductions of a problem: each says where it holds, applies, and restores the answer."""
