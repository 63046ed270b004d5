"""`names` starts a file that `fit --names` reads."""

import json

import pytest

ROWS = "age,sex,smoker,seen,ill\n" + "".join(
    f"{20 + 3 * i},{'FM'[i % 2]},{i % 3 // 2},2024-01-{i + 1:02d},{'yes' if i > 9 else 'no'}\n" for i in range(20)
)
ASK = ["--target", "ill", "--no-validate", "--time-limit", "2"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    return path


def card_of(done):
    return json.loads(done.stdout)["card"]


def test_a_start_lists_columns_kinds_and_answers_and_can_be_used(run, table, tmp_path):
    text = run("names", table, "--target", "ill", check=True).stdout
    assert text.splitlines()[1:] == [
        "title: ill",
        "classes:",
        '  "no": "no"',
        '  "yes": "yes"',
        "columns:",
        "  age:  # numbers",
        "    label: age",
        "    unit:",
        "  sex:  # text",
        "    label: sex",
        "    answers:",
        "      F: F",
        "      M: M",
        "  smoker:  # numbers",
        "    label: smoker",
        "    unit:",
        "    answers:",
        '      "0": "0"',
        '      "1": "1"',
        "  # seen: dates",
    ]
    run("names", table, "--target", "ill", "--out", "names.yaml", check=True)
    path = tmp_path / "names.yaml"
    assert path.read_text() == text
    path.write_text(text.replace('"yes": "yes"', '"yes": fallen ill').replace("label: age", "label: Age now"))
    done = run(
        "fit",
        table,
        "--goal",
        "errors",
        *ASK,
        "--no-validate",
        "--names",
        "names.yaml",
        "--drop",
        "smoker",
        "--json",
        check=True,
    )
    words = card_of(done)["wording"]
    assert words["classes"] == {"negative": "no", "positive": "fallen ill"}
    assert words["columns"][0]["label"] == "Age now"
    assert "note: names.yaml names columns that are not used: 'smoker'" in done.stderr


def test_a_title_can_be_given(run, table):
    assert (
        card_of(run("fit", table, "--goal", "errors", *ASK, "--no-validate", "--title", "Falls", "--json", check=True))[
            "title"
        ]
        == "Falls"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("columns:\n  agge: {unit: y}", "names.yaml, line 2, column 3: there is no column 'agge'; did you mean 'age'?"),
        ("columns:\n  sex: {answers: {W: x}}", "line 2, column 19: 'sex' has no value 'W'; known: F, M"),
        ("classes: {maybe: x}", "line 1, column 11: there is no class 'maybe'; known: no, yes"),
    ],
)
def test_faults_show_before_anything_is_learned(run, table, tmp_path, text, message):
    (tmp_path / "names.yaml").write_text(text)
    done = run("fit", table, "--goal", "errors", *ASK, "--names", "names.yaml")
    assert done.returncode == 2
    assert message in done.stderr
    assert "objective" not in done.stderr
