"""How many examples a property is tried on."""

from hypothesis import settings


def examples(n: int) -> int:
    """Return n in the long tests, and fewer, in proportion, in the quick ones."""
    return max(1, n * settings().max_examples // 100)
