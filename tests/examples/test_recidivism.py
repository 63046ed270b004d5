"""The criminology table from the published records: rows, questions, sample, checksums."""

import csv
import io

import make_recidivism
import numpy as np
import pytest
from make_recidivism import ALL_ROWS, PUBLISHED, SAMPLE, main, sample

from shared_data import SHARED, needs_shared_data
from supersparse.table.datasets.originals import data_folder
from supersparse.table.datasets.recidivism import people, table

COLUMNS = (
    "name", "sex", "age", "race", "juv_fel_count", "decile_score", "juv_misd_count", "juv_other_count",
    "priors_count", "days_b_screening_arrest", "c_jail_in", "c_jail_out", "c_charge_degree", "c_charge_desc",
    "is_recid", "decile_score", "v_score_text", "priors_count", "two_year_recid", "two_year_recid",
)  # fmt: skip
SOMEBODY = {
    "name": "nobody", "sex": "Male", "age": "30", "race": "-", "juv_fel_count": "0", "decile_score": "9",
    "juv_misd_count": "0", "juv_other_count": "0", "priors_count": "0", "days_b_screening_arrest": "-1",
    "c_jail_in": "2013-08-13 06:00:00", "c_jail_out": "2013-08-13 18:00:00", "c_charge_degree": "F",
    "c_charge_desc": "Escape", "is_recid": "0", "v_score_text": "Low", "two_year_recid": "0",
}  # fmt: skip


def published(*changes):
    """A file like the published one, with a row for each set of changes to somebody."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    writer.writerows([(SOMEBODY | change)[name] for name in COLUMNS] for change in changes)
    return file.getvalue()


def answers(*changes):
    """The names of the columns that are 1, for each row."""
    header, rows = table(people(published(*changes)))
    return [{name for name, value in zip(header, row, strict=True) if value} for row in rows]


def test_rows_are_kept_as_in_the_published_analysis():
    left_out = [
        {"days_b_screening_arrest": ""},
        {"days_b_screening_arrest": "31"},
        {"days_b_screening_arrest": "-31"},
        {"is_recid": "-1"},
        {"c_charge_degree": "O"},
        {"v_score_text": "N/A"},
    ]
    kept = people(published({"days_b_screening_arrest": "30"}, *left_out, {"age": "44"}))
    assert [person.age for person in kept] == [30, 44]


def test_brackets_thresholds_and_the_target():
    (plain, other) = answers(
        {},
        {"sex": "Female", "age": "46", "priors_count": "4", "juv_misd_count": "1", "juv_other_count": "1",
         "c_jail_out": "2013-09-14 06:00:00", "c_charge_degree": "M", "days_b_screening_arrest": "5",
         "two_year_recid": "1"},
    )  # fmt: skip
    assert plain == {"Age_26_to_30", "Priors_eq_0", "ChargeFelony", "ScreenedWithinOneDayOfArrest"}
    assert other == {
        "target", "Female", "Age_ge_46", "Priors_4_to_6", "Priors_ge_2", "Priors_ge_3",
        "JuvenileMisdemeanor_ge_1", "JuvenileOther_ge_1", "JuvenileAny_ge_1", "JuvenileAny_ge_2",
        "JailStay_gt_1d", "JailStay_gt_3d", "JailStay_gt_7d", "JailStay_gt_30d",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("charge", "kinds"),
    [
        ("Robbery / No Weapon", {"RobberyOrCarjacking"}),
        ("Carjacking w/o Deadly Weapon", {"RobberyOrCarjacking"}),
        ("Aggravated Assault W/o Firearm", {"Assault"}),
        ("Robbery W/Firearm", {"RobberyOrCarjacking", "Weapon"}),
        ("Burglary Dwelling Assault/Batt", {"Assault", "Battery", "Burglary"}),
        ("Grand Theft on 65 Yr or Older", {"Theft", "ChildOrElder"}),
        ("Possession Of Hydromorphone", {"Drug"}),
        ("Corrupt Public Servant", set()),  # no licence in it
        ("Susp Drivers Lic 1st Offense", {"Driving"}),
        ("arrest case no charge", {"NoChargeRecorded"}),
    ],
)
def test_a_charge_is_of_the_kinds_that_its_words_name(charge, kinds):
    (found,) = answers({"c_charge_desc": charge})
    assert {name.removeprefix("Charge_") for name in found if name.startswith("Charge_")} == kinds


def test_a_common_charge_has_a_column_of_its_own():
    charges = ["Petit Theft $100- $300"] * 15 + ["Escape"] * 14 + ["arrest case no charge"] * 20
    header, rows = table(people(published(*({"c_charge_desc": charge} for charge in charges))))
    assert [name for name in header if name.startswith("ChargeIs_")] == ["ChargeIs_petit_theft_100_300"]
    assert rows[:, -1].sum() == 15


@needs_shared_data
def test_the_sample_is_drawn_as_the_stored_one_was():
    whole, part = (np.loadtxt(SHARED / name, delimiter=",", skiprows=1, dtype=np.int64) for name in (ALL_ROWS, SAMPLE))
    assert np.array_equal(whole[sample(whole[:, 0])], part)


def test_another_file_is_refused_and_nothing_is_written(tmp_path, capsys):
    file, out = tmp_path / PUBLISHED, tmp_path / "out"
    file.write_text(published({}), encoding="utf-8")
    assert main([str(file), "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert f"is not the {PUBLISHED} known here" in said
    assert make_recidivism.SHA256[PUBLISHED] in said
    assert not out.exists()


def test_a_missing_file_is_named_with_where_to_get_it(tmp_path, capsys):
    assert main([str(tmp_path / "none.csv")]) == 2
    said = capsys.readouterr().err
    assert "none.csv" in said
    assert make_recidivism.WHERE in said


def test_the_published_file_gives_the_known_tables(tmp_path, capsys):
    found = next((place / PUBLISHED for place in (data_folder(), SHARED) if (place / PUBLISHED).is_file()), None)
    if found is None:
        pytest.skip(f"{PUBLISHED} has no licence: nobody may bundle it. Download it from {make_recidivism.WHERE}")
    assert main([str(found), "--out", str(tmp_path)]) == 0  # checksums of what came out are checked within
    assert {path.name for path in tmp_path.iterdir()} == {ALL_ROWS, SAMPLE}
