"""Colours of risks: the darker, the higher, so that a bar also reads in black and white."""

from itertools import pairwise

_STOPS = (
    (0.0, (241, 246, 244)),
    (0.1, (251, 233, 192)),
    (0.25, (246, 194, 124)),
    (0.5, (222, 124, 58)),
    (0.75, (178, 62, 40)),
    (1.0, (112, 18, 30)),
)
_DARK, _LIGHT = "#000000", "#ffffff"  # on any colour one of them has a contrast of 4.5 or more


def risk_colour(risk: float) -> str:
    """Return the colour of a risk from 0 to 1.

    >>> risk_colour(0), risk_colour(1)
    ('#f1f6f4', '#70121e')
    """
    for (low, start), (high, end) in pairwise(_STOPS):
        if risk <= high:
            part = (risk - low) / (high - low)
            mixed = (round(a + part * (b - a)) for a, b in zip(start, end, strict=True))
            return "#" + "".join(f"{value:02x}" for value in mixed)
    return risk_colour(1.0)


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, as WCAG defines it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours, from 1 to 21; text needs 4.5."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def ink_on(colour: str) -> str:
    """Return black or white, whichever reads better on a colour."""
    return _DARK if contrast(_DARK, colour) >= contrast(_LIGHT, colour) else _LIGHT
