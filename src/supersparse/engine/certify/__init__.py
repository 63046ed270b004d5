"""Certificates: the integer program of a problem, a model, and a derivation that none is better.

The format is VIPR 1.1, so that programs by others can check it; ours is in the folder ``checker``, on its own.
"""
