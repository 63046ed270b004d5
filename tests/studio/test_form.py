"""The form: everything that a settings file can say, each in one place."""

from supersparse.problem.asked import names_of
from supersparse.settings.settings import SOLVE, Settings
from supersparse.studio.form import form


def test_every_setting_is_in_one_group_with_a_label_and_help():
    described = form()
    placed = [name for group in described["groups"] for name in group["fields"]]
    known = set(names_of(Settings)) - {"solve"} | {f"solve.{name}" for name in SOLVE.fields}
    # the studio chooses the class in Table, and the files itself
    elsewhere = {"positive", "solve.checkpoint", "solve.solver_options"}
    assert len(placed) == len(set(placed))
    assert set(placed) == known - elsewhere
    for name in placed:
        field = described["fields"][name]
        assert field["label"] != name, name
        assert field["help"], name


def test_the_slope_can_be_whole():
    assert form()["fields"]["slope"]["choices"] == ["free", 1]
