"""The form: everything that a settings file can say, each in one place."""

from supersparse.base.schema.setting import names_of
from supersparse.learn.settings.settings import PREPARE, SOLVE, Settings
from supersparse.show.studio.choices import form


def test_every_setting_is_in_one_group_with_a_label_and_help():
    described = form()
    placed = [name for group in described["groups"] for name in group["fields"]]
    known = set(names_of(Settings)) - {"solve", "prepare"}
    known |= {f"solve.{name}" for name in SOLVE.fields} | {f"prepare.{name}" for name in PREPARE.fields}
    # chosen in Table and beside each column, in a place of its own, or made in Edit; files are the studio's
    elsewhere = {"positive", "table", "validate", "edits", "solve.checkpoint", "solve.solver_options"}
    elsewhere |= {f"prepare.{name}" for name in ("cut_points", "direction", "shape", "units")}
    in_files = ("ordered", "rare", "update", "changes", "changes_of")
    elsewhere |= {f"prepare.{name}" for name in in_files}
    assert len(placed) == len(set(placed))
    assert set(placed) == known - elsewhere
    for name in placed:
        field = described["fields"][name]
        assert field["label"] != name, name
        assert field["help"], name


def test_the_slope_can_be_whole():
    assert form()["fields"]["slope"]["choices"] == ["free", 1]
