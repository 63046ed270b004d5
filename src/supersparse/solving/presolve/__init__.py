"""Reductions of a problem: each says where it holds, applies, and leads the answer back."""
