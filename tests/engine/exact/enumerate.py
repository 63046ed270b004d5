"""The truth about small instances, by trying everything: costs in kernel units."""

from itertools import product

import numpy as np

from engine.exact.forms import loss_of
from supersparse.engine.exact.cuts import Cuts
from supersparse.engine.integer_form import OPEN
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.search.incumbent import smallest_coefficients
from supersparse.problem.objective import with_best_intercept


def cuts_of(form):
    """Cuts at the smallest model, as a solve begins."""
    monitor = Monitor(form.problem, SolveOptions(), lambda points: points)
    monitor.incumbent(with_best_intercept(form.problem, smallest_coefficients(form.problem)))
    return Cuts(form, monitor)


def intercepts_for(scores, step, low, high):
    """Enough b of a range to meet every loss: around each row's change of mind."""
    near = {-(int(s) // step) + d for s in scores for d in (-1, 0, 1)}
    return sorted({min(max(b, low), high) for b in near})


def literals_of(vector):
    return tuple(2 * f if v > 0 else 2 * f + 1 for f, v in enumerate(vector) if v)


def cost_of(instance, vector):
    """Least cost of one coefficient vector over the intercepts of an instance; exact forms only."""
    form = instance.form
    scores = np.array(vector) @ form.columns
    allowed = instance.intercepts.tolist()
    if not allowed:
        allowed = intercepts_for(scores, form.step, form.intercept_low, form.intercept_high)
    own = sum(int(form.used_penalty[f]) + form.l1_penalty * abs(v) for f, v in enumerate(vector) if v)
    return own + min(
        loss_of(form.positive, form.negative, scores + b * form.step, form.half)
        + (instance.intercept_penalty + form.l1_penalty * abs(b) if instance.counts_b else 0)
        for b in allowed
    )


def costs_by_support(instance):
    """Least cost of each signed support (sorted literals) within the size limit."""
    best = {}
    for vector in product(*(v.sample.tolist() for v in instance.form.values)):
        support = literals_of(vector)
        if len(support) <= instance.max_features:
            best[support] = min(best.get(support, OPEN), cost_of(instance, vector))
    return best
