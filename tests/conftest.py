"""Settings of all tests."""

import signal

import pytest
from hypothesis import settings

# The same examples in every run, and no test that fails because a machine is busy.
settings.register_profile("same everywhere", deadline=None, derandomize=True, database=None)
settings.load_profile("same everywhere")


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_reaches_the_tests():
    """A run started in the background inherits an ignored SIGINT; tests of Ctrl-C need Python's own."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
