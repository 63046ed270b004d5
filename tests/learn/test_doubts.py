"""What a good card would not show: a column that gives the class away, and a class of few rows."""

import numpy as np
import pytest
from typer.testing import CliRunner

from supersparse import SLIMClassifier
from supersparse.learn import doubts as doubts_module
from supersparse.learn.doubts import doubts
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings
from supersparse.show.cli.app import app

N = 60


def asked(columns, positive, *, prepares=True):
    y = np.where(positive, "ill", "well")
    table = {name: np.array(values, dtype=float) for name, values in columns.items()}
    X = table if prepares else np.column_stack(list(table.values()))
    rows = TrainingRows(X=X, y=y, sample_weight=None, rate_groups=None, names=list(table))
    prepare = Prepare() if prepares else None
    return doubts(Recipe(settings=Settings(C0=0.01), prepare=prepare).question(rows), rows)


def ages(n=N):
    return [20 + 7 * k % 50 for k in range(n)]


def test_a_column_that_is_filled_for_one_class_only_is_doubted():
    positive = np.arange(N) % 3 == 0
    days = [k % 15 + 1 if ill else np.nan for k, ill in enumerate(positive)]
    (doubt,) = asked({"age": ages(), "days": days}, positive)
    assert doubt == (
        "'days': all 40 rows with no value are negative; was this known before the outcome? If not: --drop days"
    )


def test_an_answer_of_one_class_is_doubted_unless_chance_explains_it():
    positive = np.arange(400) % 4 == 0
    ward = np.where(positive & (np.arange(400) < 200), 2.0, np.arange(400) // 3 % 2)
    (doubt,) = asked({"age": ages(400), "ward": ward}, positive)
    assert doubt.startswith("'ward': all 50 rows with 2 are positive; was this known before the outcome?")
    rare = np.arange(400) < 4
    site = np.where(np.arange(400) < 380, 0.0, 1.0)  # 20 rows without any of four events, by chance
    assert not any("site" in doubt for doubt in asked({"age": ages(400), "site": site}, rare))


def test_a_column_that_does_as_well_as_all_others_is_doubted():
    rng = np.random.default_rng(3)
    positive = rng.random(300) < 0.4
    weak, code = rng.normal(positive * 0.5, 1), rng.normal(positive * 3.0, 1)
    (doubt,) = asked({"weak": weak, "length_of_stay": code}, positive)
    assert doubt.startswith("'length_of_stay': Length of stay alone separates the classes as well as all other columns")
    assert doubt.endswith("was this known before the outcome? If not: --drop length_of_stay")
    assert asked({"weak": weak, "other": rng.normal(positive * 0.6, 1)}, positive) == ()


def test_columns_of_many_values_are_not_looked_at_value_by_value(monkeypatch):
    texts = []
    monkeypatch.setattr(doubts_module, "_in_words", lambda value: texts.append(value) or str(value))
    X = {"weight": np.arange(400) * 7 % 401 / 8, "ward": np.arange(400) % 3}
    doubts_module.leaks_among(X, np.arange(400) % 2 == 0)
    assert sorted(texts) == [0, 1, 2]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_that_separates_the_classes_is_doubted_without_preparation_too(sign):
    positive = np.arange(N) % 3 == 0
    dose = [sign * (k + 100 * ill) for k, ill in enumerate(positive)]
    (doubt,) = asked({"age": ages(), "dose": dose}, positive, prepares=False)
    assert doubt.startswith("'dose' alone separates the classes")
    (doubt,) = asked({"a": dose, "b": dose}, positive, prepares=False)
    assert doubt.startswith("'a' alone (as do 1 more) separates the classes")


def test_rows_beyond_the_first_glance_count():
    positive = np.arange(3000) % 3 == 0
    dose = positive.astype(float)
    dose[-1] = 1.0 - dose[-1]
    assert asked({"age": ages(3000), "dose": dose}, positive, prepares=False) == ()


def test_a_class_of_few_rows_is_doubted_and_what_separates_it_is_not():
    for few, doubted in ((3, True), (9, True), (20, False)):
        positive = np.arange(N) < few
        dose = positive if few < 10 else ages()  # fewer than ten rows may be separated by chance
        found = asked({"age": ages(), "dose": dose}, positive, prepares=False)
        assert found == (
            (
                f"the class 'ill' has only {few} rows, so all figures of the card are imprecise, those on "
                "rows left out too",
            )
            if doubted
            else ()
        )


def test_the_notes_of_a_classifier_have_the_doubts():
    positive = np.arange(N) % 3 == 0
    days = [k % 15 + 1 if ill else np.nan for k, ill in enumerate(positive)]
    table = {"age": np.array(ages(), dtype=float), "days": np.array(days)}
    model = SLIMClassifier(prepare="auto", C0=0.1).fit(table, positive)
    assert model.prepare_.notes_[-1].startswith("'days': all 40 rows with no value are negative")
    assert "days: no cut" in " ".join(model.prepare_.notes_)  # it is not left out: its gaps are a question


def test_fit_prints_the_doubts_and_says_that_there_are_fewer_folds(tmp_path):
    lines = [f"{7 * k % 10},{3 * k % 10},{'yes' if k in (3, 50, 70) else 'no'}" for k in range(90)]
    (tmp_path / "rows.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    asks = [
        "fit",
        str(tmp_path / "rows.csv"),
        "--goal",
        "errors",
        "--target",
        "y",
        "--C0",
        "0.1",
        "--max-features",
        "1",
    ]
    done = CliRunner().invoke(app, asks)
    assert "note: the class 'yes' has only 3 rows, so all figures" in done.stderr
    assert "note: 3 folds instead of 5, because there are only 3 rows of a class" in done.stderr
