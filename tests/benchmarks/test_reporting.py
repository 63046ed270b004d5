import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import check, first_cards, overview, run, table
from benchmarks.instances import all_instances
from benchmarks.ratios import against_best
from benchmarks.record import Comparison, Machine, Model, Record, Results, Startup, load, to_line
from benchmarks.suites import Job, Suite
from shared_data import marked_where_missing

MACHINE = Machine(cpu="a chip", cores=2, system="Linux", python="3.11.0", packages=(("numpy", "2.0"),), load=0.1)
MODEL = Model(
    objective=0.0522108, errors=22.0, size=2, l1=6.0, lower_bound=0.0522108, gap=0.0, proven_optimal=True,
    proven_smallest=True, stop="OPTIMAL", nodes=7, incumbents=((0.01, 0.349), (0.02, 0.0522108)),
)  # fmt: skip
OURS = Record(
    instance="breastcancer_reg", solver="exact", version="0.1", limit=60.0, repeats=3, cpu_seconds=0.05,
    proof_seconds=0.04, wall_seconds=0.05, build_seconds=0.001, warm_seconds=1.5, peak_megabytes=180.0,
    model=MODEL, error=None,
)  # fmt: skip
STOPPED = replace(
    OURS, solver="highs", repeats=1, cpu_seconds=60.0, proof_seconds=None,
    model=replace(MODEL, lower_bound=0.02, gap=0.6, proven_optimal=False, proven_smallest=False),
)  # fmt: skip
BROKEN = replace(OURS, solver="scip", model=None, cpu_seconds=None, proof_seconds=None, error="it | crashed")
COMPARED = Comparison(
    instance="breastcancer_max5", size=5, largest=10, fasterrisk_errors=17, fasterrisk_seconds=1.0,
    errors=14, seconds=0.8, proven=True, version="0.1.10", error=None,
)  # fmt: skip
STARTED = Startup(first_incumbent_seconds=1.2, seconds=1.5, error=None)
RESULTS = Results(MACHINE, (OURS, STOPPED, BROKEN), (COMPARED,), STARTED)


def test_results_come_back_from_a_file_as_they_went_in(tmp_path):
    path = tmp_path / "run.jsonl"
    lines = [MACHINE, OURS, STOPPED, BROKEN, COMPARED, STARTED]
    path.write_text("\n".join(map(to_line, lines)) + "\n", encoding="utf-8")
    assert load(path) == RESULTS


def test_an_interrupted_run_goes_on_after_what_it_measured(tmp_path, monkeypatch):
    out, done = run.Out(tmp_path / "run.jsonl.part"), []

    def measured(job):
        if len(done) == 1 and not out.path.with_suffix(".stopped").exists():
            out.path.with_suffix(".stopped").touch()
            raise KeyboardInterrupt
        done.append(job.instance)
        return replace(OURS, instance=job.instance)

    monkeypatch.setattr(run, "run_job", measured)
    jobs = tuple(Job(instance=name, solver="exact", limit=1.0) for name in ("rows_1000", "size_2", "size_3"))
    suite = Suite(name="three", ours=jobs, peers=())
    with pytest.raises(KeyboardInterrupt):
        run.measure(suite, None, out, 1)
    run.measure(suite, None, out, 1)
    assert done == ["rows_1000", "size_2", "size_3"]
    assert [record.instance for record in load(out.path).records] == done


@pytest.mark.parametrize("beside", [False, True])
def test_every_job_is_run_once_side_by_side_or_not(tmp_path, monkeypatch, beside):
    out = run.Out(tmp_path / "run.jsonl.part")
    monkeypatch.setattr(run, "run_job", lambda job: replace(OURS, instance=job.instance))
    ours = tuple(Job(instance=name, solver="exact", limit=1.0) for name in ("rows_1000", "size_2"))
    suite = Suite(name="three", ours=ours, peers=(Job(instance="size_3", solver="exact", limit=1.0),))
    run.measure(suite, None, out, 3, beside=beside)
    found = load(out.path)
    assert sorted(r.instance for r in found.records) == ["rows_1000", "size_2", "size_3"]
    assert ("Ours and peers ran 3 at a time." in table.markdown(found)) is beside


def test_a_part_from_another_machine_gets_nothing_but_fasterrisk(tmp_path, monkeypatch, capsys):
    out = run.Out(tmp_path / "run.jsonl.part")
    out.add(MACHINE)
    monkeypatch.setattr(run.risk_scores, "missing", lambda: None)
    monkeypatch.setattr(run.risk_scores, "compare", lambda name, ours: replace(COMPARED, system="Mars"))
    jobs = (Job(instance="size_2", solver="exact", limit=1.0),)
    run.measure(Suite(name="one", ours=jobs, peers=(), compared=("breastcancer_max5",)), None, out, 1)
    found = load(out.path)
    assert found.records == ()
    assert "nothing is added but FasterRisk" in capsys.readouterr().out
    assert "FasterRisk ran on another machine than ours (Mars)" in table.markdown(found)


def test_a_run_without_fasterrisk_says_so_and_may_be_completed_later(tmp_path, monkeypatch, capsys):
    out = run.Out(tmp_path / "run.jsonl.part")
    monkeypatch.setattr(run.risk_scores, "missing", lambda: "no network")
    run.measure(Suite(name="none", ours=(), peers=(), compared=("breastcancer_max5",)), None, out, 1)
    assert "skipped: FasterRisk: no network" in capsys.readouterr().out
    assert load(out.path).comparisons == ()


def test_the_best_known_cards_have_the_objective_of_their_problem():
    best = {known.name: known for known in first_cards.KNOWN}
    assert len(best) == len(first_cards.KNOWN)
    assert first_cards.objective_of(best["spambase_5_10"], 4601, 57) == pytest.approx(0.095649, abs=1e-6)
    assert first_cards.objective_of(best["spambase_reg_10"], 4601, 57) == pytest.approx(0.144760, abs=1e-6)


@pytest.mark.parametrize(("cpu", "counted"), [(60.4, 60.0), (31.0, 31.0)], ids=["idle", "busy machine"])
def test_a_peer_without_a_proof_counts_as_its_limit_or_the_time_it_had(cpu, counted):
    found = against_best(Results(MACHINE, (OURS, replace(STOPPED, cpu_seconds=cpu))), "breastcancer_reg")
    assert found.at_least
    assert found.value == pytest.approx(counted / 0.05)


def test_the_table_shows_every_run_once():
    lines = [line for line in table.markdown(RESULTS).splitlines() if line.startswith("| breastcancer_reg")]
    assert len(lines) == 3
    assert all(line.replace("\\|", "").count("|") == lines[0].count("|") for line in lines)
    assert "F, l1" in lines[0]
    assert "| 60 | ≥ 1200 |" in lines[1]
    assert "| failed |" in lines[2]
    assert "- breastcancer_reg, scip: it | crashed" in table.markdown(RESULTS).splitlines()


def test_a_column_of_numbers_stands_to_the_right_and_a_bar_does_not_split_a_cell():
    ruler, row = table.grid(("a", "b", "c"), [["x | y", "≥ 3.5", "5 features"]]).splitlines()[1:]
    assert ruler == "| --- | ---: | --- |"
    assert row == "| x \\| y | ≥ 3.5 | 5 features |"


def test_tables_go_between_the_markers_and_nothing_else_changes(tmp_path):
    page = tmp_path / "benchmarks.md"
    page.write_text(f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n", encoding="utf-8")
    table.into_docs("new\n", page)
    assert page.read_text(encoding="utf-8") == f"before\n{table.BEGIN}\nnew\n{table.END}\nafter\n"


def test_the_overview_says_proven_or_the_gap_that_was_left():
    lines = overview.markdown(RESULTS, None).splitlines()
    assert "| breastcancer_reg | proven, 0.05 s | gap 60% | refused | not run | ≥ 1200 |" in lines
    assert "| breastcancer_max5 | 5 features | 17 errors | 14 errors | yes, proven |" in lines


def test_the_overview_shows_a_longer_run_below():
    text = overview.markdown(RESULTS, Results(MACHINE, (replace(OURS, limit=600.0), replace(STOPPED, limit=600.0))))
    assert "With 600 CPU seconds for each of the others:" in text
    assert text.count("| breastcancer_reg |") == 2


def test_the_headlines_say_how_many_of_all_problems_were_proven():
    last = overview.headlines(RESULTS).splitlines()[-1]
    counts = "supersparse 1, HiGHS 0, SCIP 0 and CP-SAT 0"
    assert last == f"Proven of all 1 problems on which they were compared: {counts}."


def test_the_headlines_hold_the_paper_s_settings_and_the_smallest_lead():
    """A selection may not leave out where the others do best."""
    full = load(overview.STORED)
    leads = {name: against_best(full, name) for name in overview.raced(full)}
    known = {name: lead.value for name, lead in leads.items() if lead is not None}
    assert {"breastcancer_paper", "mammo_paper", min(known, key=known.get)} <= set(overview.HEADLINES)


def test_the_pages_hold_the_tables_of_the_stored_runs():
    def shown(page):
        return page.read_text(encoding="utf-8").partition(table.BEGIN)[2].partition(table.END)[0].strip()

    full, longer = load(overview.STORED), load(overview.STORED_LONG)
    assert shown(table.DOCS) == table.markdown(full).strip()
    assert shown(overview.PAGE) == overview.markdown(full, longer).strip()
    assert shown(overview.README) == overview.headlines(full).strip()


@pytest.mark.parametrize(
    "name", marked_where_missing(overview.HEADLINES, lambda name: all_instances()[name].missing is not None)
)
def test_a_headline_says_the_rows_and_columns_of_its_problem(name):
    words, instance = overview.HEADLINES[name], all_instances()[name]
    asked = instance.settings
    if asked.intercept == "paper":
        assert words.endswith("as in the paper")
    else:
        assert words.endswith(f"C0 = {asked.C0}" if asked.C0 is not None else f"at most {asked.max_features}")
        assert (asked.largest, asked.points) == (10, None)  # the README says "points to ±10"
    if instance.missing is not None:
        pytest.skip(instance.missing)
    rows, columns = instance.table().X.shape
    assert words.startswith(f"{rows:,} ")
    assert f", {columns} columns," in words


def test_the_bar_tells_a_pass_from_a_failure():
    def of(results, what):
        return next(v for v in check.verdicts(results) if v.what.startswith(what))

    assert of(RESULTS, "breastcancer_reg, proven in").met is True
    assert of(RESULTS, "breastcancer_reg, 100 times").met is True
    assert of(RESULTS, "haberman_reg, 100 times").met is None
    slow = Results(MACHINE, (replace(OURS, cpu_seconds=0.9), STOPPED))
    assert of(slow, "breastcancer_reg, proven in").met is False
    wrong = Results(MACHINE, (replace(OURS, model=replace(MODEL, l1=7.0)),))
    assert of(wrong, "breastcancer_reg, the known optimum").met is False


@pytest.mark.long
def test_plots_are_drawn_from_a_stored_run(tmp_path):
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    from benchmarks import plots

    def written(folder, results):
        folder.mkdir()
        plots.draw(results, folder, "run")
        return {p.name for p in folder.iterdir()}

    profile = {"run-profile.svg", "run-profile.png"}
    assert written(tmp_path / "no family", RESULTS) == profile
    grown = replace(RESULTS, records=(*RESULTS.records, replace(OURS, instance="rows_1000")))
    assert written(tmp_path / "rows", grown) == profile | {"run-growth.svg", "run-growth.png"}


def test_the_readme_of_the_benchmarks_names_every_file():
    folder = Path(table.__file__).parent
    named = set(re.findall(r"`(\w+\.py)`", (folder / "README.md").read_text(encoding="utf-8")))
    assert named == {path.name for path in folder.glob("*.py")} - {"__init__.py"}
