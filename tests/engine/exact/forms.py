"""Random small integer forms and models for the kernel tests."""

import numpy as np
from hypothesis import strategies as st

from strategies import cases
from supersparse.engine.integer_form import integer_form
from supersparse.engine.presolve import presolve


def form_of(case):
    """The integer form of a presolved random case."""
    return integer_form(presolve(case.problem).problem)


def forms():
    return cases().map(form_of)


@st.composite
def models(draw, data):
    """An index into each coefficient set, as the search kernels hold a model, within the size limit."""
    size = 0
    index = np.empty(len(data.n_values), np.int64)
    forced = int((data.zero < 0).sum())
    for j, n in enumerate(data.n_values.tolist()):
        index[j] = draw(st.integers(0, n - 1))
        if data.zero[j] >= 0 and data.values[j, index[j]] != 0:
            if size + forced >= data.max_size:
                index[j] = data.zero[j]
            else:
                size += 1
    return index


def dense(data):
    """The columns of search data as a matrix, one row for each feature."""
    matrix = np.zeros((len(data.start) - 1, len(data.positive)), np.int64)
    for j in range(len(matrix)):
        some = slice(data.start[j], data.start[j + 1])
        matrix[j, data.row[some]] = data.entry[some]
    return matrix


def loss_of(positive, negative, scores, half):
    """Loss by definition: a score of 0 is wrong for both classes, unless it stands for 1/2."""
    is_high = scores >= 0 if half else scores > 0
    return int(positive[~is_high].sum() + negative[scores >= 0].sum())


def intercept_price(data, b):
    """What a penalised b costs in search units, its share of the tie-break included."""
    if len(data.intercepts) == 0:
        return 0
    return abs(b) * data.l1_penalty + int(data.intercept_penalties[data.intercepts.tolist().index(b)])


def feature_price(data, index):
    """What the coefficients of a model cost in search units."""
    return sum(int(data.value_penalty[j, at]) for j, at in enumerate(index.tolist()))
