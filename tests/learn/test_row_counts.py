"""Rows counted where they are: the same questions, cells and card as from the rows in memory."""

from collections import Counter
from dataclasses import replace

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from supersparse import Prepare, count_rows, solve
from supersparse.errors import InvalidDataError, InvalidOptionError
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings
from supersparse.table import counted_rows

pytest.importorskip("narwhals", minversion="2.14")
pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def frame(n=600, seed=0):
    """Whole numbers, decimals with gaps, texts with gaps, truths, single precision, and a column twice."""
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 95, n)
    weight = np.round(draw.normal(70, 12, n), 1)
    smoker = draw.choice(np.array(["yes", "no", "former", None], dtype=object), n, p=[0.25, 0.5, 0.2, 0.05])
    truth = draw.random(n) < 0.3
    lab = draw.lognormal(0, 1, n).astype(np.float32)
    flag = draw.integers(0, 2, n)
    logit = 0.05 * (age - 60) + (smoker == "yes") + 0.8 * truth + 0.3 * np.log(lab) - 0.5
    ill = np.where(draw.random(n) < 1 / (1 + np.exp(-logit)), "ill", "well")
    gaps = [None if gone else float(v) for v, gone in zip(weight, draw.random(n) < 0.1, strict=True)]
    return polars.DataFrame(
        {"age": age, "weight": gaps, "smoker": smoker, "truth": truth, "lab": lab, "flag": flag,
         "other way": 1 - flag, "ill": ill}
    )  # fmt: skip


def as_duckdb(table):
    duckdb = pytest.importorskip("duckdb")
    return duckdb.connect().from_arrow(table.to_arrow())


def as_dask(table):
    return pytest.importorskip("dask.dataframe").from_pandas(table.to_pandas(), npartitions=3)


def as_ibis(table):
    return pytest.importorskip("ibis").memtable(table.to_pandas())


def as_spark(table):
    session = pytest.importorskip("pyspark.sql").SparkSession.builder.master("local[1]").getOrCreate()
    return session.createDataFrame(table.to_pandas())


LAZY = [
    polars.DataFrame.lazy,
    as_duckdb,
    pytest.param(as_dask, marks=pytest.mark.long),
    pytest.param(as_ibis, marks=pytest.mark.long),
    pytest.param(as_spark, marks=pytest.mark.long),
]


def counted_cells(names, answers, y, counts):
    found = Counter()
    for row, label, n in zip(answers.tolist(), y.tolist(), counts.tolist(), strict=True):
        found[tuple(map(float, row)), label] += n
    return names, found


def cells_in_memory(prepare, table, target="ill"):
    y = table[target].to_numpy()
    return counted_cells(
        list(prepare.get_feature_names_out()), prepare.transform(table.drop(target)), y, np.ones(len(y), int)
    )


def cells_of(counted):
    cells = counted.cells()
    y, counts = cells.pop(counted.target), cells.pop("n")
    return counted_cells(list(cells), np.column_stack(list(cells.values())), y, counts)


def same_but_for_order(one, other):
    """Domains list categories in the order of the rows, or sorted."""

    def sorted_values(domain):
        return domain if domain.values is None else replace(domain, values=tuple(sorted(map(str, domain.values))))

    return [sorted_values(d) for d in one] == [sorted_values(d) for d in other]


@pytest.mark.parametrize("lazily", LAZY)
def test_questions_cells_and_card_are_those_of_the_rows(lazily):
    table = frame()
    counted = count_rows(lazily(table), target="ill")
    prepare = Prepare().fit(table.drop("ill"), table["ill"])
    assert counted.prepare.features_ == prepare.features_
    assert counted.prepare.notes_ == prepare.notes_
    assert counted.prepare.constraints_ == prepare.constraints_
    assert cells_of(counted) == cells_in_memory(prepare, table)

    rows = TrainingRows(
        X=table.drop("ill"), y=table["ill"].to_numpy(), sample_weight=None, rate_groups=None, title="ill"
    )
    recipe = Recipe(settings=Settings(C0=0.05, max_points=2), prepare=Prepare())
    question = recipe.question(rows)
    found = solve(counted.problem(C0=0.05, max_points=2))
    expected = solve(question.problem)
    assert found.proven_optimal
    assert (found.objective, found.points) == (expected.objective, expected.points)
    card, usual = counted.card(found), question.card(expected, "ill", rows)
    assert (card.items, card.intercept, card.seen) == (usual.items, usual.intercept, usual.seen)
    assert card.performance == usual.performance
    assert same_but_for_order(card.domains, usual.domains)
    assert card.provenance.total_weight == len(table)


@given(st.data())
@settings(max_examples=examples(40), deadline=None)
def test_any_small_table_is_counted_as_it_is_prepared(data):
    n = data.draw(st.integers(20, 60))

    def columns(values):
        return st.lists(values, min_size=n, max_size=n)

    numbers = st.one_of(st.none(), st.sampled_from([-99.0, 0.0, 0.1, 0.2, 0.3, 1.0, 2.5, 1e9, float("inf")]))
    texts = st.one_of(st.none(), st.sampled_from(["", "a", "A", "b", "it's", "1"]))
    table = polars.DataFrame(
        {
            "x": polars.Series(data.draw(columns(numbers)), dtype=polars.Float64),
            "k": polars.Series(data.draw(columns(st.integers(-3, 4))), dtype=polars.Int64),
            "t": polars.Series(data.draw(columns(texts)), dtype=polars.String),
            "y": [0, 1] * (n // 2) + [1] * (n % 2),
        }
    )
    prepare = Prepare(rare=data.draw(st.sampled_from([0.05, 0.2])), candidates=None)
    missing = data.draw(st.sampled_from(["item", "median", "mode"]))
    prepare.set_params(missing=missing)
    try:
        usual = prepare.fit(table.drop("y"), table["y"])
    except InvalidDataError:
        with pytest.raises(InvalidDataError):
            count_rows(table.lazy(), target="y", prepare=prepare)
        return
    counted = count_rows(table.lazy(), target="y", prepare=prepare)
    assert counted.prepare.features_ == usual.features_
    assert counted.prepare.notes_ == usual.notes_
    assert cells_of(counted) == cells_in_memory(usual, table, "y")


@pytest.mark.parametrize("lazily", LAZY)
def test_many_numbers_are_cut_at_multiples_and_counted_exactly(lazily, monkeypatch):
    monkeypatch.setattr(counted_rows, "MOST_DIFFERENT", 100)
    table = frame(2000).with_columns(
        tail=polars.Series(np.exp(np.random.default_rng(1).normal(0, 2, 2000)) - 3),
        large=polars.Series(np.random.default_rng(2).integers(-(10**8), 10**8, 2000)),
    )
    counted = count_rows(lazily(table), target="ill", prepare=Prepare(candidates=None))
    notes = "\n".join(counted.prepare.notes_)
    assert "sought at multiples of 0.001 because about" in notes
    assert "large: cut at" in notes or "large: left out" in notes
    assert cells_of(counted) == cells_in_memory(counted.prepare, table)
    usual = Prepare(candidates=None).fit(table.drop("ill"), table["ill"])
    exactly = {feature.name for feature in usual.features_}
    assert len(exactly & {feature.name for feature in counted.prepare.features_}) > 0.8 * len(exactly)
    domain = {d.column: d for d in counted.prepare.raw_questions.domains}["tail"]
    assert domain == {d.column: d for d in usual.raw_questions.domains}["tail"]


def test_folds_divide_the_rows_of_each_cell():
    counted = count_rows(frame().lazy(), target="ill")
    rows, splits = counted.rows(5, 2)
    assert len(splits) == 10
    assert rows.sample_weight.sum() == counted.n_rows == 600
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(len(rows.y)))
        assert 80 < rows.sample_weight[test].sum() < 160
    for division in (splits[:5], splits[5:]):
        assert sorted(np.concatenate([test for _, test in division]).tolist()) == list(range(len(rows.y)))


@pytest.mark.parametrize(
    ("table", "target", "message"),
    [
        ({"a": [1, 2], "y": [0, 1]}, "Y", "did you mean 'y'"),
        ({"a": [1, 2, 3], "y": [0, 1, 2]}, "y", "3 class"),
        ({"a": [1, 2, 3], "y": [0, 1, None]}, "y", "missing in 1 row"),
    ],
)
def test_a_bad_target_is_named(table, target, message):
    with pytest.raises(InvalidDataError, match=message):
        count_rows(polars.LazyFrame(table), target=target)


def test_what_is_no_table_is_refused():
    with pytest.raises(InvalidDataError, match="not a table of rows"):
        count_rows([1, 2], target="y")
    with pytest.raises(InvalidDataError, match="missing='item'"):
        count_rows(frame().lazy(), target="ill", prepare=Prepare(missing="drop"))


def test_lists_are_named_as_such():
    ages = [30, 40, 50, 60, 70, 80] * 20
    rows = polars.LazyFrame({"age": ages, "labs": [[age, 1] for age in ages], "ill": [age >= 60 for age in ages]})
    counted = count_rows(rows, target="ill")
    assert "labs: left out: it holds lists or structures; make columns of single values" in " ".join(
        counted.prepare.notes_
    )
    with pytest.raises(InvalidDataError, match="the target 'labs' holds lists or structures"):
        count_rows(rows, target="labs")


def test_questions_of_counted_rows_give_the_card_of_the_rows():
    """The same answers, counted or row by row, are the same problem."""
    table = frame(500, seed=4)
    counted = count_rows(table.lazy(), target="ill", questions=True)
    assert counted.n_rows == 500
    assert {"age", "smoker", "lab"} <= {one.column for one in counted.prepare.questions_}
    asked = {"goal": "risk", "max_questions": 2, "teacher": "none", "positive": "ill"}
    question = counted.question(**asked)
    X = {name: table[name].to_numpy() for name in table.columns if name != "ill"}
    rows = TrainingRows(X=X, y=table["ill"].to_numpy(), sample_weight=None, rate_groups=None)
    recipe = Recipe(settings=Settings.of(**asked), prepare=counted.prepare, is_made=True)
    in_memory = recipe.question(rows)
    found, expected = question.solve(), in_memory.solve()
    assert found.proven_optimal
    assert found.points.answers == expected.points.answers
    assert float(found.objective) == pytest.approx(float(expected.objective), abs=1e-9)
    card = counted.card(found)
    assert card.items == in_memory.card(expected, "ill", rows).items


def test_the_teacher_of_counted_rows_is_ridge_on_their_answers_by_their_counts():
    table = frame(500, seed=4)
    counted = count_rows(table.lazy(), target="ill", questions=True)
    question = counted.question(goal="risk", max_questions=2, positive="ill")
    rows, _ = counted.rows()
    assert question.teacher.stumps is None
    risks, ill = question.teacher.risks(rows), rows.y == "ill"
    share = counted.counts[ill].sum() / counted.n_rows
    assert np.average(risks, weights=counted.counts) == pytest.approx(share, abs=0.01)
    assert np.average(risks[ill], weights=counted.counts[ill]) > share + 0.1
    p = question.problem.rows.labels
    assert np.abs(p - (0.15 * ill + 0.85 * risks)).max() < 1e-5
    assert counted.card(question.solve()).provenance.settings["teacher"] == "ridge"
    with pytest.raises(InvalidOptionError, match=r"teacher is 'rige', and counts hold no row.*give ridge or none"):
        counted.question(goal="risk", max_questions=2, teacher="rige")
    with pytest.raises(InvalidOptionError, match="counted by questions; give questions=True"):
        counted.question(goal="errors")
