"""`fit --event`: the risk within a horizon, with people who were lost to follow-up."""

import numpy as np
import pandas as pd
import pytest

from supersparse import ScoringSystem


@pytest.fixture
def followed(tmp_path):
    random = np.random.default_rng(0)
    age = random.integers(30, 90, 300)
    event, loss = random.exponential(2000 / np.exp((age - 60) / 20)), random.uniform(200, 3000, 300)
    other = random.exponential(9000, 300)
    first = np.minimum.reduce([event, loss, other])
    cause = np.select([first == event, first == loss], ["died", "lost"], "moved to a hospice")
    table = pd.DataFrame({"age": age, "days": np.ceil(first), "cause": cause, "died": (cause == "died").astype(int)})
    table.to_csv(tmp_path / "people.csv", index=False)
    return table


def test_the_card_says_within_which_time_and_who_was_lost(run, tmp_path, followed):
    drop = ["--drop", "cause", "--no-validate"]
    done = run("fit", "people.csv", "--event", "died", "--time", "days", "--horizon", "365", *drop, "--out", "c.json",
               check=True)  # fmt: skip
    lost = int(((followed.days <= 365) & (followed.died == 0)).sum())
    said = " ".join(done.stdout.split())
    assert said.startswith("Died within 365 days")
    assert f"risk of died within 365 days. {lost} of 300 people were lost before" in said
    assert f"Cases, events 300, {((followed.days <= 365) & (followed.died == 1)).sum()}" in said
    assert "Next" not in done.stderr
    assert "days" not in ScoringSystem.load(tmp_path / "c.json").card.columns
    refused = run("report", "c.json", "people.csv", "--target", "died")
    assert refused.returncode == 2
    assert "within a horizon" in refused.stderr


def test_other_events_are_asked_for_and_named(run, tmp_path, followed):
    asks = ["fit", "people.csv", "--event", "cause", "--time", "days", "--horizon", "365", "--drop", "died",
            "--no-validate"]  # fmt: skip
    refused = run(*asks, "--positive", "died")
    assert refused.returncode == 2
    assert "with censored that of who was lost" in refused.stderr
    done = run(*asks, "--positive", "died", "--censored", "lost", "--out", "c.json", check=True)
    others = int(((followed.days <= 365) & (followed.cause == "moved to a hospice")).sum())
    assert f"{others} had another event that rules it out" in " ".join(done.stdout.split())
    assert ScoringSystem.load(tmp_path / "c.json").card.provenance.horizon.others == others


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--event", "died"], "add --time"),
        (["--event", "died", "--time", "days"], "add --horizon"),
        (["--event", "died", "--time", "days", "--horizon", "9999"], "nobody is followed to 9999"),
        (["--event", "died", "--time", "days", "--horizon", "365", "--target", "died"], "remove --target"),
    ],
)
def test_what_is_missing_is_named(run, followed, words, said):
    done = run("fit", "people.csv", *words, "--drop", "cause")
    assert done.returncode == 2
    assert said in done.stderr
