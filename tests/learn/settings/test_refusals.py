"""A wrong file is refused by line and column, with what would be right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse import Settings
from supersparse.engine.options import SolveOptions
from supersparse.errors import InvalidProblemError, InvalidSettingsError
from supersparse.learn.settings.settings import SOLVE, read_settings

YAML = [
    (
        "C0: 0.1\nmax_featurs: 5",
        "line 2, column 1: unknown key 'max_featurs' in the settings; did you mean 'max_features'?",
    ),
    ("max features: 5", "line 1, column 1: unknown key 'max features' in the settings; did you mean 'max_features'?"),
    ("Max-Points: 5", "did you mean 'max_points'?"),
    ("seed: 5", "it is an option of the solver; write it under 'solve': random_state: ..."),
    ("weights: w", "unknown key 'weights' in the settings; did you mean 'sample_weight'?"),
    ("time_limit: 5", "it is an option of the solver; write it under 'solve'"),
    ("min_sensitivity: 0.9", "it is a constraint; write it under 'constraints': - min_sensitivity: ..."),
    ("nonsense: 1", "known: C0, C1, blend, bounds,"),
    ("C0: 0.1\nmax_features: 3\nC0: 0.2", "line 3, column 1: the key 'C0' is given twice, first at w.yaml, line 1"),
    ("max_features: 010", "line 1, column 15: max_features is '010'; a number has no leading zero; give 'auto'"),
    ("max_features: 1_000", "a number has no underscores"),
    ("C0: 0,01", "a decimal has a point, not a comma"),
    ("C0: '0.01'", "C0 is '0.01'; in quotes it is text; give a number of at least 0"),
    ("C0: .inf", "C0 is '.inf'; give a number"),
    ("C0: 1e9999", "C0 is '1e9999'; give a number"),
    ("C0:", "C0 has no value; give a number of at least 0, or a mapping by feature name or pattern, or leave"),
    ("intercept: fre", "line 1, column 12: intercept is 'fre'; did you mean 'free'?"),
    ("intercept: [5, -5]", "intercept ends at -5, below its start 5; swap them"),
    ("points: 5", "points is 5; write -5..5 for these whole numbers"),
    ("points: {age: non_negative(10)}", "points of 'age' is 'non_negative(10)'; write 0..10"),
    ("points: 5..1", "points is '5..1', which ends below its start; write 1..5"),
    ("points: one_digits", "did you mean 'one_digit'?"),
    ("solve:\n  n_jobs: 0", "line 2, column 11: n_jobs is 0; give a whole number of at least 1, or -1"),
    ("rate_groups: 5", "rate_groups is 5; give the name of a column, or a list of them"),
    ("groups: sex", "unknown key 'groups' in the settings; did you mean 'rate_groups'?"),
    (
        "levels:\n  - values: [1]\n    penalti: 1",
        "line 3, column 5: unknown key 'penalti' in levels, entry 1; did you mean 'penalty'?",
    ),
    ("levels: [{values: [1], penalty: 0}]", "line 1, column 9: levels: the first level has the penalty 0"),
    ("constraints:\n  - at_mst: 2", "line 2, column 5: there is no constraint 'at_mst'; did you mean 'at_most'?"),
    ("constraints:\n  - sensitivity: 0.9", "did you mean 'min_sensitivity'?"),
    ("constraints:\n  - at_most: 2\n    off: a", "line 3, column 5: unknown key 'off' in at_most; did you mean 'of'?"),
    ("constraints:\n  - at_most: 2", "line 2, column 5: at_most lacks 'of'; add it: features by name or pattern"),
    ("constraints:\n  - at_most: 2\n    of: [1]", "line 3, column 10: of, entry 1 is 1; give text, in quotes"),
    ("constraints:\n  - min_sensitivity: 90", "line 2, column 22: min_sensitivity is 90; give a number from 0 to 1"),
    (
        "constraints:\n  - must_use: a\n    fixed: b",
        "'must_use' and 'fixed' are two constraints; write them as separate entries",
    ),
    ("solve: {solver: hihgs}", "line 1, column 17: solver is 'hihgs'; did you mean 'highs'?"),
    ('"*": 3', "unknown key '*'"),
    ("*: 3", "line 1, column 2: while scanning an alias"),
    (
        "points: {*age: 0..5}",
        "line 1, column 10: *age is an alias or anchor of YAML, which settings do not use; a name or pattern",
    ),
    ("C0: &a 1\nC1: *a", "line 1, column 5: &a is an alias or anchor"),
    ("C0: !!python/object/apply:os.system ['x']", "line 1, column 5: the tag"),
    ("a: b: c", "line 1, column 5: mapping values are not allowed here; put text that holds ': ' in quotes"),
    ("solve:\n\tn_jobs: 1", "indent with spaces, not with tabs"),
    ("C0: [1", "line 1, column"),
    ("C0: 1\n---\nC0: 2", "line 2, column 1: a second document begins; keep one in a file"),
    ("? [a]\n: 1", "line 1, column 3: a list of 1 stands where a key must be"),
    ("- C0", "settings must be keys with values, such as 'C0: 0.01'; this is a list of 1"),
    ("", "w.yaml has no settings"),
    ("# nothing\n", "w.yaml has no settings"),
    ("C0: 1\x00", "line 1: it holds the character U+0000"),
    ('C0: 1\npositive: "\\U00110000"', "line 2: \\U00110000 is not a valid character"),
    ("[" * 5000, "nested too deeply"),
]

JSON = [
    (
        '{"C0": 0.1,\n "max_featurs": 5}',
        "line 2, column 2: unknown key 'max_featurs' in the settings; did you mean 'max_features'?",
    ),
    ('{"C0": 0.1, "C0": 1}', "line 1, column 13: the key 'C0' is given twice"),
    ('{"C0": 0.1,}', "line 1, column 1"),
    ('{"C0": NaN}', "line 1, column 8: C0 is 'NaN'; give a number"),
    ('{\t"constraints": [{"at_most":1,"of":["a", 5 ]}]}', "line 1, column 43: of, entry 2 is 5"),
    ("{'C0': 1}", "this is not valid JSON"),
    ("", "this is not valid JSON"),
    ("[" * 100_000, "nested too deeply"),
]


@pytest.mark.parametrize(("text", "message"), YAML)
def test_wrong_yaml_is_refused(text, message):
    with pytest.raises(InvalidSettingsError) as refused:
        read_settings(text, source="w.yaml")
    assert str(refused.value).startswith("w.yaml")
    assert message in str(refused.value)


@pytest.mark.parametrize(("text", "message"), JSON)
def test_wrong_json_is_refused(text, message):
    with pytest.raises(InvalidSettingsError) as refused:
        read_settings(text, "json", source="w.json")
    assert message in str(refused.value)


def test_json_is_read_with_any_white_space_and_escapes():
    settings = read_settings(
        '\n{\t"C0":{"\\ud83d\\ude00" :0.10},\r\n"rate_groups":[ "a" ,"b"],"constraints":[ ]}', "json"
    )
    assert settings == Settings.of(C0={"😀": 0.1}, rate_groups=["a", "b"])


def test_a_file_that_is_no_text_or_has_another_suffix_is_refused(tmp_path):
    (tmp_path / "w.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidSettingsError, match="not UTF-8 text"):
        Settings.load(tmp_path / "w.yaml")
    with pytest.raises(InvalidSettingsError, match=r"ending in \.yaml or \.json"):
        Settings.load(tmp_path / "w.toml")


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path):
    (tmp_path / "w.yaml").write_bytes(b"\xef\xbb\xbfC0: 0.1\r\nmax_features: 2\r\n")
    assert Settings.load(tmp_path / "w.yaml") == Settings.of(C0=0.1, max_features=2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"C0": -1}, "C0 is -1; give a number of at least 0"),
        ({"C0": float("nan")}, "C0 is nan; give a number"),
        ({"points": "five"}, "points is 'five'"),
        ({"levels": [([1], 1), ([1], 2)]}, "the value 1 is in level 1 and in level 2"),
        ({"positive": object}, "positive is <class 'object'>"),
        ({"constraints": ["at_most"]}, "constraints, entry 1 is 'at_most'; give a mapping"),
        ({"solve": {"n_job": 1}}, "unknown key 'n_job' in solve; did you mean 'n_jobs'?"),
        ({"solve": {"solver_options": {"a": [1]}}}, "solve.solver_options.a: solver_options of 'a' is a list"),
    ],
)
def test_wrong_settings_in_python_are_refused(given, message):
    with pytest.raises(InvalidProblemError) as refused:
        Settings.of(**given)
    assert message in str(refused.value)


def test_a_constraint_without_a_form_is_refused():
    from supersparse.problem.limits import Constraint

    class Odd(Constraint):
        def in_words(self):
            return "something odd"

        def limits(self, rows, *, counts_intercept):
            return ()

    with pytest.raises(InvalidProblemError, match="something odd cannot be written to a file"):
        Settings.of(constraints=[Odd()])


WORDS = [
    "C0",
    "points",
    "constraints",
    "at_most",
    "of",
    "solve",
    "..",
    "null",
    "true",
    "1e5",
    "<<",
    "!!int",
    "\\U99999999",
    "\\x",
    "\\ud800",
]
PIECES = st.sampled_from([*"{}[]:,-?&*!|>'\"%@#\\ \n\t0159.", *WORDS, "- ", ": ", "\n  ", "---\n", "%YAML 9"])


@given(st.lists(PIECES | st.characters(), max_size=15).map("".join), st.sampled_from(["yaml", "json"]))
def test_whatever_the_text_it_is_settings_or_refused(text, form):
    try:
        settings = read_settings(text, form)
    except InvalidSettingsError:
        return
    assert Settings.from_dict(settings.to_dict()) == settings


@pytest.mark.parametrize("name", [name for name in SOLVE.fields if name != "solver"])
@pytest.mark.parametrize("value", ["-2", "-1", "0", "0.5", "1", "2", f"1{'0' * 390}", "true", "word", "{a: 1}", "{}"])
def test_what_a_file_may_say_about_the_solver_is_what_solve_takes(name, value):
    try:
        settings = read_settings(f"solve:\n  {name}: {value}")
    except InvalidSettingsError:
        return  # by line and column, as above
    SolveOptions.read(settings.solve)
