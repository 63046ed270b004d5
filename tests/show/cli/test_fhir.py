"""`predict --to fhir` writes a response for each row, to the form that `export --to fhir` writes."""

import csv
import io
import json

import pytest


def test_fhir_responses_stand_one_a_line_and_refer_to_the_exported_form(run, tmp_path):
    run("demo", "--save-data", "rows.csv", "--out", "card.json", check=True)
    form = json.loads(run("export", "card.json", "--to", "fhir", "--set", "form=values", check=True).stdout)
    done = run("predict", "card.json", "rows.csv", "--to", "fhir", "--set", "form=values", check=True)
    responses = [json.loads(line) for line in done.stdout.splitlines()]
    table = list(csv.DictReader(io.StringIO(run("predict", "card.json", "rows.csv", check=True).stdout)))
    assert len(responses) == len(table) > 600
    assert {one["questionnaire"] for one in responses} == {f"{form['url']}|{form['version']}"}
    totals = [item["answer"][0] for one in responses for item in one["item"] if item["linkId"] == "total"]
    assert [str(next(iter(total.values()))) for total in totals] == [row["total"] for row in table]


@pytest.mark.parametrize(("options", "said"), [
    (["--to", "hl7"], "unknown format 'hl7'"), (["--set", "form=values"], "--set needs --to fhir"),
    (["--to", "fhir", "--with", "x"], "leave out --with"),
    (["--to", "fhir", "--set", "paper=a4"], "has no option 'paper'"),
])  # fmt: skip
def test_formats_of_predict_are_checked(run, tmp_path, options, said):
    run("demo", "--save-data", "rows.csv", "--out", "card.json", check=True)
    done = run("predict", "card.json", "rows.csv", *options)
    assert done.returncode == 2
    assert said in done.stderr
