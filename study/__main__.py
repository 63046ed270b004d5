"""The command: ``python -m study run small records.jsonl``, then ``page``."""

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from study.applications import load_crime
from study.fitting import KINDS
from study.page.writing import write_page
from study.plan import Plan, full, small
from study.record_file import read_records, store
from study.records import Record
from study.repeating import choose_tasks, repeat, why_not_repeated
from study.running import load_tables, run, run_applications
from study.study_data import StudyData, load_study_data
from supersparse.base.errors import SupersparseError

PLANS = {"full": full, "small": small}
_APPLICATIONS = "applications"
_STORED = Path(__file__).parent / "stored" / "full.jsonl.gz"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    given = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        if given.command == "run":
            _run(given)
        elif given.command == "store":
            store(given.records, given.stored)
        elif given.command == "repeat":
            return _repeat(given)
        else:
            files = write_page(given.records, given.folder)
            sys.stdout.write(f"{files[0]}\n")
    except SupersparseError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except KeyboardInterrupt:
        goes_on = "; the same command goes on from here" if given.command == "run" else ""
        sys.stderr.write(f"interrupted{goes_on}\n")
        return 130
    return 0


def _repeat(given: argparse.Namespace) -> int:
    plan = _plan(given)
    records = [line for line in read_records(given.records) if isinstance(line, Record)]
    tables, _ = load_tables(plan, lambda name: load_study_data(name, given.data))
    chosen = choose_tasks(plan, tables, records, given.each)
    for left_out in sorted(why_not_repeated(plan, tables, chosen)):
        logging.info("left out: %s", left_out)
    fits = equal = same = 0
    for outcomes in repeat(chosen, n_jobs=given.jobs):
        others = [outcome for outcome in outcomes if not outcome.is_same]
        more = f" (and {len(outcomes) - 1} more of its path)" if len(outcomes) > 1 else ""
        sys.stdout.writelines([f"{other}\n" for other in others] or [f"{outcomes[0]}{more}\n"])
        sys.stdout.flush()
        fits, same = fits + len(outcomes), same + len(outcomes) - len(others)
        equal += sum(outcome.is_equal for outcome in outcomes)
    rounded = f", {equal - same} of them but for the rounding of floats" if equal > same else ""
    sys.stdout.write(f"{equal} of {fits} fits came out as recorded{rounded}\n")
    return 0 if fits and equal == fits else 1


def _plan(given: argparse.Namespace) -> Plan:
    plan = PLANS[given.plan](given.fasterrisk)
    kinds = given.kinds and [kind for kind in given.kinds if kind != _APPLICATIONS]
    return plan.part(datasets=given.datasets, methods=given.methods, kinds=kinds)


def _run(given: argparse.Namespace) -> None:
    def load(name: str) -> StudyData:
        return load_crime(given.data) if name == "recidivism" else load_study_data(name, given.data)

    plan = _plan(given)
    run(plan, load, given.records, n_jobs=given.jobs, elsewhere=given.known, times=_STORED)
    if given.kinds is None or _APPLICATIONS in given.kinds:
        run_applications(load, given.records, plan.seed, elsewhere=given.known)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m study", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    fitting = argparse.ArgumentParser(add_help=False)
    fitting.add_argument("--jobs", type=_at_least_one, default=1, help="processes (%(default)s)")
    fitting.add_argument("--data", type=Path, help="the data folder (else as 'supersparse datasets path' says)")
    fitting.add_argument("--fasterrisk", type=Path, help="where FasterRisk is, or is to be, installed")
    fitting.add_argument("--datasets", type=_names, metavar="NAMES", help="only these, with commas between")
    fitting.add_argument("--methods", type=_names, metavar="NAMES", help="only these, as 'SLIM,SLIM free'")
    fitting.add_argument(
        "--kinds", type=_names, metavar="KINDS", help=f"only these of {', '.join((*KINDS, _APPLICATIONS))}"
    )
    running = commands.add_parser(
        "run", parents=[fitting], help="make the records that are missing; killed, it goes on"
    )
    running.add_argument("plan", choices=sorted(PLANS))
    running.add_argument("records", type=Path, help="a file of JSON lines, made or continued")
    running.add_argument(
        "--known", type=Path, action="append", default=[], help="other records, which are not made again"
    )
    repeating = commands.add_parser(
        "repeat", parents=[fitting], help="fit some of the records again; exit code 1 if one differs"
    )
    repeating.add_argument("plan", choices=sorted(PLANS))
    repeating.add_argument("records", type=Path, help="plain or compressed")
    repeating.add_argument(
        "--each", type=_at_least_one, default=1, help="how many of each method on each dataset (%(default)s)"
    )
    storing = commands.add_parser("store", help="merge and compress records; the same records give the same bytes")
    storing.add_argument("records", type=Path, nargs="+", help="plain or compressed; later ones win")
    storing.add_argument("stored", type=Path)
    page = commands.add_parser("page", help="write the tables, the figures and the verdict")
    page.add_argument("records", type=Path, help="plain or compressed")
    page.add_argument("folder", type=Path)
    return parser


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


if __name__ == "__main__":
    sys.exit(main())
