"""`doctor` finds what is there, and says so when something is not."""

import json

from supersparse import __version__
from supersparse.errors import SolverFailedError
from supersparse.show.cli import doctor


def test_all_is_well_here(run):
    done = run("doctor", check=True)
    assert done.stdout.startswith(f"supersparse {__version__}, Python ")
    assert done.stdout.endswith("Everything works.\n")
    document = json.loads(run("doctor", "--json", check=True).stdout)
    assert document["well"]
    assert {solver["name"] for solver in document["solvers"]} >= {"exact", "highs", "exhaustive"}


def test_a_solver_that_does_not_work_is_exit_code_1(run, monkeypatch):
    def solve(*_, **__):
        raise SolverFailedError("no luck")

    monkeypatch.setattr("supersparse.show.cli.doctor.solve", solve)
    done = run("doctor")
    assert done.returncode == 1
    assert "FAILED, no luck" in done.stdout


def test_packages_that_are_missing_come_with_a_remedy(run, monkeypatch):
    real = doctor.installed_version
    monkeypatch.setattr(doctor, "installed_version", lambda name: None if name == "pyarrow" else real(name))
    assert "pyarrow          -" in run("doctor", check=True).stdout
    assert "pip install pyarrow" in run("doctor").stdout
    monkeypatch.setattr(doctor, "installed_version", lambda name: None if name == "scipy" else real(name))
    done = run("doctor")
    assert done.returncode == 1
    assert "scipy MISSING" in done.stdout
