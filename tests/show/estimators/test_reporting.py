"""verbose: progress through logging."""

import logging

import numpy as np
import pytest

from supersparse import SLIMClassifier, SLIMClassifierCV
from supersparse.show.estimators.learning import logger, reporting

X, Y = [[0, 1], [1, 0], [2, 1], [3, 0]], [0, 0, 1, 1]


def fit(verbose):
    return SLIMClassifier(C0=0.25, max_points=2, solver="exhaustive", verbose=verbose).fit(X, Y)


def test_nothing_is_said_by_default(caplog, capsys):
    caplog.set_level(logging.DEBUG)
    fit(0)
    assert caplog.text == ""
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("verbose", "at_least", "at_most"), [(1, 2, 3), (2, 4, 100)])
def test_progress_goes_to_the_applications_log(caplog, capsys, verbose, at_least, at_most):
    fit(verbose)
    assert {r.name for r in caplog.records} == {"supersparse"}
    assert {r.levelname for r in caplog.records} == {"INFO"}
    assert at_least <= len(caplog.records) <= at_most
    assert "proven optimal" in caplog.messages[-1]
    assert "the search is complete" in caplog.messages[-1]
    assert capsys.readouterr() == ("", "")


def test_cross_validation_tells_the_error_of_each_value_and_the_choice(caplog):
    many, labels = np.repeat(X, 3, axis=0), np.repeat(Y, 3)
    SLIMClassifierCV(Cs=[0.1, 0.2], cv=3, max_points=2, solver="exhaustive", verbose=1).fit(many, labels)
    assert caplog.messages[-3:] == [
        "C0 0.1  error 0.0000 ± 0.0000  1.0 features",
        "C0 0.2  error 0.0000 ± 0.0000  1.0 features",
        "chosen by rule 'best': C0 0.2",
    ]


def test_without_logging_progress_goes_to_standard_error(monkeypatch, capsys):
    monkeypatch.setattr(logger, "hasHandlers", lambda: False)
    fit(1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "objective" in err
    assert logger.handlers == []


def test_the_logger_is_left_as_it_was():
    before = (logger.level, list(logger.handlers))
    with reporting(2):
        assert logger.isEnabledFor(logging.INFO)
    assert (logger.level, list(logger.handlers)) == before
