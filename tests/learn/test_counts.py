"""Counts of several sites: the card of the pooled rows, and a bound on what leaving out small cells costs."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse import Prepare, Problem, ScoringSystem, solve
from supersparse.errors import InvalidDataError
from supersparse.learn.counts import CountTable, is_count_table, pooled
from supersparse.learn.fit import fit
from supersparse.learn.prepare.questions import Questions
from supersparse.learn.progress import Clock
from supersparse.learn.recipe import Recipe
from supersparse.learn.settings.settings import Settings
from supersparse.learn.splits import Folds, repeated_splits
from supersparse.problem.objective import evaluate
from supersparse.table.reading import Reading

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def raw_rows():
    """Ages, whole and rising with the risk, smokers with gaps, and two classes."""
    draw = np.random.default_rng(3)
    age = draw.integers(20, 90, 400)
    smoker = draw.choice(np.array(["yes", "no", None], dtype=object), 400, p=[0.3, 0.6, 0.1])
    ill = draw.random(400) < 0.05 + 0.006 * (age - 20) + 0.3 * (smoker == "yes")
    return {"age": age, "smoker": smoker}, np.where(ill, "ill", "well")


@pytest.fixture(scope="module")
def asked():
    columns, y = raw_rows()
    prepare = Prepare(candidates=6, direction={"age": "+"}).fit(columns, y)
    return Questions.of(prepare, "state", ("well", "ill"), Reading())


def sites(asked, at_least=1, parts=3):
    columns, y = raw_rows()
    return [
        CountTable.of(asked, {n: v[k::parts] for n, v in columns.items()}, y[k::parts].tolist(), at_least)
        for k in range(parts)
    ]


def test_questions_are_the_same_after_a_file(asked, tmp_path):
    asked.save(tmp_path / "asked.json")
    again = Questions.load(tmp_path / "asked.json")
    assert again.differs(asked) is None
    assert again.as_data() == asked.as_data()
    assert again.names == asked.names
    assert again.features == asked.features
    columns, _ = raw_rows()
    assert (again.answers(columns) == asked.answers(columns)).all()
    assert again.prepare().bounds_ == asked.prepare().bounds_
    assert (0, None) in again.prepare().bounds_


def test_a_file_of_questions_holds_no_range_of_a_column(asked):
    columns, _ = raw_rows()
    content = asked.as_data()["card"]
    content.pop("digest")  # whose digits mean nothing
    text = json.dumps(content)
    assert all(domain.low is None and domain.high is None for domain in asked.card.domains)
    assert all(str(end) not in text for end in (columns["age"].min(), columns["age"].max()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(format="x"), "holds no questions; write some with"),
        (lambda c: c.update(version=9), "has version 9 of the format"),
        (lambda c: c["directions"].pop(), "is damaged: there are 5 directions for 6 questions"),
        (lambda c: c["directions"].__setitem__(0, "up"), "is damaged: a direction is neither"),
        (lambda c: c["questions"].reverse(), "is damaged: its questions are not those of its rules"),
        (lambda c: c.pop("card"), "is damaged: 'card'"),
        (lambda c: c["card"].pop("items"), "is damaged: .*digest"),
    ],
)
def test_damaged_questions_are_refused(asked, change, message, tmp_path):
    content = asked.as_data()
    change(content)
    (tmp_path / "asked.json").write_text(json.dumps(content))
    with pytest.raises(InvalidDataError, match=message):
        Questions.load(tmp_path / "asked.json")


@pytest.mark.parametrize("written_out", [True, False])
def test_sites_learn_the_card_of_the_pooled_rows(asked, tmp_path, written_out):
    paths = [tmp_path / f"{k}.csv" for k in range(3)]
    for path, table in zip(paths, sites(asked), strict=True):
        table.save(path)
        assert is_count_table(path)
    together = pooled(paths)
    assert (together.people, together.left_out) == (400, 0)
    recipe = Recipe(settings=Settings.of(C0=0.01, max_points=5, class_weight="balanced"))
    question = together.question(recipe, together.rows(written_out=written_out))
    solution = question.solve(random_state=0)

    columns, y = raw_rows()
    prepare = asked.prepare()
    expected = Problem.of(
        prepare.transform(columns),
        y,
        feature_names=asked.names,
        positive="ill",
        C0=0.01,
        max_points=5,
        class_weight="balanced",
        max_features=10,
        constraints=prepare.constraints_,
        bounds=dict(zip(asked.names, prepare.bounds_, strict=True)),
    )
    best = solve(expected, random_state=0)
    assert best.proven_optimal
    assert best.evaluation.size > 0
    assert solution.objective == best.objective == solution.lower_bound
    assert solution.points == best.points
    assert evaluate(expected, solution.points) == best.evaluation == solution.evaluation
    card, pooled_card = (prepare.raw_card(question.card(one)) for one in (solution, best))
    assert card.items == pooled_card.items
    assert card.intercept == pooled_card.intercept
    assert card.performance == pooled_card.performance
    assert {item.column for item in card.items} <= {"age", "smoker"}
    assert together.cost_in_words(solution) is None


@pytest.mark.parametrize("goal", ["errors", pytest.param("risk", marks=pytest.mark.long)])
def test_the_card_gives_every_person_the_risk_that_its_answers_have(asked, goal):
    columns, y = raw_rows()
    table = CountTable.of(asked, columns, y.tolist(), 1)
    rows = table.rows(written_out=True)
    recipe = Recipe(settings=Settings.of(C0=0.01, max_points=5, goal=goal), options={"random_state": 0})
    question = table.question(recipe, rows)
    splits = repeated_splits(rows.y, 5, 1)
    fitted = fit(question, rows, Folds(splits=splits), clock=Clock(None))
    by_answers = ScoringSystem(fitted.card)
    by_columns = ScoringSystem(table.raw_card(fitted.card))
    assert by_columns.card.risk is not None
    assert set(by_columns.card.columns) <= {"age", "smoker"}
    answers = dict(zip(asked.names, asked.answers(columns).T, strict=True))
    assert (by_answers.predict(answers) == by_columns.predict(columns)).all()
    assert by_answers.predict_risk(answers) == pytest.approx(by_columns.predict_risk(columns), abs=1e-12)


def test_small_cells_are_left_out_and_rounded_up(asked, tmp_path):
    whole, part = sites(asked)[0], sites(asked, at_least=7)[0]
    gone = whole.people - part.people
    assert gone > 0
    assert part.counts.min() >= 7
    assert part.left_out % 7 == 0
    assert gone <= part.left_out < gone + 7
    part.save(tmp_path / "part.csv")
    text = (tmp_path / "part.csv").read_text()
    assert f"Cells of fewer than 7 people are left out: at most {part.left_out} people." in text
    again = CountTable.load(tmp_path / "part.csv")
    assert (again.at_least, again.left_out, again.people) == (7, part.left_out, part.people)
    assert (again.counts == part.counts).all()
    assert (again.answers == part.answers).all()
    assert (again.positive == part.positive).all()


@given(
    st.lists(st.integers(0, 12), min_size=8, max_size=8),
    st.integers(2, 6),
    st.sampled_from([0.01, 0.08]),
    st.sampled_from([None, "balanced"]),
)
def test_what_leaving_out_costs_is_bounded(asked, counts, at_least, C0, class_weight):
    counts[0], counts[1] = counts[0] + at_least, counts[1] + at_least  # both classes stay
    cells = np.array([[a, b] for a in (0, 1) for b in (0, 1) for _ in "yn"])
    labels = np.array([0, 1] * 4)
    counts = np.array(counts)
    kept = counts >= at_least
    hidden = int(counts[~kept].sum())
    table = replace(
        sites(asked)[0],
        counts=counts[kept],
        positive=labels[kept] == 1,
        at_least=at_least,
        left_out=-(-hidden // at_least) * at_least,
    )

    def problem(which, **asked):
        columns = {"a": cells[which, 0], "b": cells[which, 1], "y": labels[which], "n": counts[which]}
        return Problem.of_counts(columns, target="y", C0=C0, max_points=2, **asked)

    part = problem(kept, class_weight=class_weight)
    solution = solve(part, "exhaustive")
    weights = dict(zip((0, 1), part.class_weights, strict=True))
    whole = problem(counts >= 0, class_weight=weights)
    mine, best = evaluate(whole, solution.points), solve(whole, "exhaustive")
    assert mine.objective - best.objective <= table.most_lost(solution)
    errors = solution.evaluation.predicted_errors
    assert errors <= mine.predicted_errors <= errors + table.left_out
    if hidden:
        assert f"is wrong for {errors} to {errors + table.left_out} people" in table.cost_in_words(solution)


@given(
    counts=st.lists(st.integers(0, 9), min_size=8, max_size=8),
    at_least=st.integers(2, 6),
    C0=st.sampled_from([0.001, 0.05, 0.3]),
    class_weight=st.sampled_from([None, "balanced"]),
)
def test_what_merging_costs_is_bounded(asked, counts, at_least, C0, class_weight):
    counts[0], counts[1] = counts[0] + at_least, counts[1] + at_least  # both classes stay
    cells = np.array([[a, b] for a in (0, 1) for b in (0, 1) for _ in "yn"], dtype=np.int8)
    labels, counts = np.array([0, 1] * 4), np.array(counts)
    whole_table = replace(sites(asked)[0], answers=cells, positive=labels == 1, counts=counts, at_least=1, left_out=0)
    table = whole_table.merging(at_least)
    assert (table.counts >= at_least).all()
    assert table.left_out == 0
    for label in (False, True):
        assert table.counts[table.positive == label].sum() == counts[(labels == 1) == label].sum()

    def problem(cells, positive, counts, **asked):
        columns = {"a": cells[:, 0], "b": cells[:, 1], "y": positive.astype(int), "n": counts}
        return Problem.of_counts(columns, target="y", C0=C0, max_points=2, **asked)

    part = problem(table.answers, table.positive, table.counts, class_weight=class_weight)
    solution = solve(part, "exhaustive")
    weights = dict(zip((0, 1), part.class_weights, strict=True))
    whole = problem(cells, labels == 1, counts, class_weight=weights)
    mine, best = evaluate(whole, solution.points), solve(whole, "exhaustive")
    assert mine.objective - best.objective <= table.most_lost(solution)
    errors = solution.evaluation.predicted_errors
    assert errors - table.merged <= mine.predicted_errors <= errors + table.merged
    if table.merged:
        assert "with answers other than their own" in table.cost_in_words(solution)
    else:
        assert table.cost_in_words(solution) is None


def test_merged_cells_are_in_the_file(asked, tmp_path):
    columns, y = raw_rows()
    table = CountTable.of(asked, columns, y.tolist(), 12, merge=True)
    assert table.people == 400
    assert table.merged > 0
    assert (table.counts >= 12).all()
    table.save(tmp_path / "merged.csv")
    again = CountTable.load(tmp_path / "merged.csv")
    assert (again.merged, again.left_out, again.people) == (table.merged, 0, 400)
    assert f"at most {table.merged} people are counted with answers other than" in table.in_words()
    assert pooled([tmp_path / "merged.csv"] * 2).merged == 2 * table.merged
    whole = CountTable.of(asked, columns, y.tolist(), 1)
    assert whole.merging(10**6).left_out == 10**6  # a class with too few people for any cell
    assert whole.merging(10**6).people == 0


def test_different_questions_are_not_added_up(asked, tmp_path):
    columns, y = raw_rows()
    others = Questions.of(Prepare(cut_points={"age": [33]}).fit(columns, y), "state", ("well", "ill"), None)
    sites(asked)[0].save(tmp_path / "a.csv")
    CountTable.of(others, columns, y.tolist(), 1).save(tmp_path / "b.csv")
    with pytest.raises(InvalidDataError, match=r"b\.csv and .*a\.csv asked different questions: they .*ask"):
        pooled([tmp_path / "a.csv", tmp_path / "b.csv"])
    swapped = replace(asked, card=replace(asked.card, negative="ill", positive="well"))
    assert asked.differs(swapped) == (
        "they have the positive class 'well' and the negative class 'ill', not 'ill' and 'well'"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ill,", "dead,", r"line \d+: the class is 'dead'; the classes are 'well' and 'ill'"),
        ("ill,", "ill,-", r"line \d+: the count is '-\d+'; give a whole number of at least 1"),
        ("\n0,", "\n2,", r"line 4: 6 answers of 0 or 1 are needed"),
        (",n\n", ",m\n", "the columns are not those of its questions"),
        (
            '"left_out_at_most": 0',
            '"left_out_at_most": -4',
            "its left_out_at_most is -4, not a whole number of at least 0",
        ),
        ('"left_out_at_most": 0', '"left_out_at_most": 2.7', "its left_out_at_most is 2.7"),
        ('"left_out_at_most": 0', f'"left_out_at_most": {10**30}', "its left_out_at_most is 1000"),
        ('"left_out_at_most": 0', '"left_out_at_most": true', "its left_out_at_most is True"),
        ('"left_out_at_most": 0', '"left_out_at_most": 3', "was changed since it was written: its digest"),
        ('"merged_at_most": 0', '"merged_at_most": 3', "was changed since it was written: its digest"),
        ('"at_least": 1', '"at_least": 0', "its at_least is 0, not a whole number of at least 1"),
        ('"at_least": 1', '"at_least": 50', r"line \d+: the count is \d+, but .* cells have at least 50"),
        (",ill,", ",ill,1", "was changed since it was written: its digest"),
        ('"version": 1, "at_least"', '"version": 2, "at_least"', "it has version 2"),
    ],
)
def test_damaged_counts_are_refused(asked, tmp_path, old, new, message):
    path = tmp_path / "a.csv"
    sites(asked)[0].save(path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(InvalidDataError, match=message):
        CountTable.load(path)


def test_a_line_that_is_there_twice_is_refused(asked, tmp_path):
    path = tmp_path / "a.csv"
    sites(asked)[0].save(path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, lines[3]]) + "\n")
    with pytest.raises(InvalidDataError, match=rf"line {len(lines) + 1}: line 4 counts the same answers"):
        CountTable.load(path)


def test_lines_may_be_in_another_order_and_a_mark_may_stand_before_them(asked, tmp_path):
    path = tmp_path / "a.csv"
    table = sites(asked, at_least=5)[0]
    table.save(path)
    lines = path.read_text().splitlines()
    path.write_text("\ufeff" + "\r\n".join([*lines[:3], *lines[:2:-1]]), encoding="utf-8")
    assert is_count_table(path)
    again = CountTable.load(path)
    assert (again.digest, again.signed) == (table.digest, True)


def test_files_without_a_digest_are_read(asked, tmp_path):
    path = tmp_path / "a.csv"
    table = sites(asked)[0]
    table.save(path)
    path.write_text(path.read_text().replace(f'"digest": "{table.digest}", ', ""))
    again = CountTable.load(path)
    assert (again.people, again.signed) == (table.people, False)
    table.save(tmp_path / "b.csv")
    assert not pooled([tmp_path / "b.csv", path]).signed


def test_other_files_are_no_counts(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    assert not is_count_table(tmp_path / "a.csv")
    assert not is_count_table(tmp_path / "none.csv")
    with pytest.raises(InvalidDataError, match="its first line is not that of a table of counts"):
        CountTable.load(tmp_path / "a.csv")


def test_values_are_not_counted():
    columns, y = raw_rows()
    prepare = Prepare(keep=["age"]).fit(columns, y)
    with pytest.raises(InvalidDataError, match="column 'age' is used as it is"):
        Questions.of(prepare, "state", ("well", "ill"), None)


def test_columns_of_zeros_and_ones_are_answers_already(tmp_path):
    columns, y = raw_rows()
    columns["smoker"] = (columns["smoker"] == "yes").astype(int)
    prepare = Prepare(keep=["smoker"]).fit(columns, y)
    asked = Questions.of(prepare, "state", ("well", "ill"), Reading())
    assert "smoker" in asked.names
    asked.save(tmp_path / "asked.json")
    again = Questions.load(tmp_path / "asked.json")
    table = CountTable.of(again, columns, y.tolist(), 1)
    yes = table.answers[:, again.names.index("smoker")] == 1
    assert table.counts[yes].sum() == columns["smoker"].sum()
    with pytest.raises(InvalidDataError, match="column 'smoker' has the value 2"):
        CountTable.of(again, {**columns, "smoker": 2 * columns["smoker"]}, y.tolist(), 1)


def test_one_class_is_not_enough(asked):
    table = sites(asked)[0]
    with pytest.raises(InvalidDataError, match="the counts hold one class only"):
        table._take(table.positive).rows(written_out=False)
    with pytest.raises(InvalidDataError, match="hold no cell: each had fewer than 1000 people"):
        table.leaving_out(1000).rows(written_out=False)
