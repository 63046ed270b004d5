"""Messages name the option, the value and the file that were given, not what is behind them."""

from contextlib import chdir

import pytest
from typer.testing import CliRunner

from supersparse import ScoringSystem, item
from supersparse.errors import InvalidDataError, InvalidOptionError
from supersparse.show.cli.app import app


def told(folder, *arguments):
    """The message of a command that is refused."""
    with chdir(folder):
        done = CliRunner().invoke(app, list(arguments))
    assert isinstance(done.exception, InvalidOptionError | InvalidDataError), done.output
    return str(done.exception)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--cv", "1"], "--cv is 1; give a whole number of at least 2"),
        (["--cv", "0"], "--cv is 0; give a whole number of at least 2"),
        (["--seed", "-1"], "--seed is -1; give a whole number of at least 0"),
        (["--time-limit", "-5"], "--time-limit is -5; give a number of at least 0"),
    ],
)
def test_an_option_out_of_its_range_is_named_as_it_was_given(tiny, given, message):
    assert told(tiny.parent, "fit", tiny.name, "--goal", "errors", "--target", "ill", "--C0", "0.2", *given) == message


def test_a_value_that_is_given_twice_is_refused(tmp_path):
    ScoringSystem.of([item("age", at_least=50, points=2)], threshold=1).save(tmp_path / "card.json")
    message = "'age' is given twice, as '60' and '40'; give one value"
    assert told(tmp_path, "explain", "card.json", "age=60", "age=40") == message
