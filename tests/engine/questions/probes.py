"""What the compiled core computes inside, by ``native/tests/probes.cpp``: its functions, and the bounds of a set."""

from ctypes import byref, c_double

import numpy as np

from supersparse.engine import core
from supersparse.engine.questions.search import _Buffers


def softplus_and_log(values):
    """log(1 + e^x) and log x as the loops compute them; the length is a multiple of eight."""
    first, second = np.empty_like(values), np.empty_like(values)
    addresses = (core.pointer(each, np.float64, values.shape) for each in (values, first, second))
    core.library().ss_probe_functions(len(values), *addresses)
    return first, second


def bounds_of(problem, points, room):
    """What each bound says of the set that a card asks, and the card's loss, slope and offset."""
    buffers, numbers = _Buffers(problem), np.empty(6)
    flat = np.array([value for own in points for value in own], np.int32)
    addresses = core.pointer(flat, np.int32, flat.shape), c_double(room), core.pointer(numbers, np.float64, (6,))
    core.library().ss_probe_bounds(byref(buffers.problem), *addresses)
    return dict(zip(("dual", "fit", "loss", "slope", "offset", "minorant"), numbers.tolist(), strict=True))
