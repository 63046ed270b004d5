"""The table of the criminology application, from the public file that you download.

    python examples/applications/make_recidivism.py compas-scores-two-years-violent.csv

The file is that of https://github.com/propublica/compas-analysis, the data behind ProPublica's "Machine
Bias". Its repository states no licence, so neither the file nor the table comes with this package. Two tables
are written to the data folder: the 4,020 rows that ProPublica's own analysis keeps, and 558 of them with 106
positives, the size and the imbalance of the paper's survey. Names, dates of birth, race, every COMPAS score,
and all that was recorded after release are left out.
"""

import argparse
import csv
import hashlib
import io
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from supersparse.datasets.originals import data_folder
from supersparse.errors import InvalidDataError, MissingDataError, SupersparseError

PUBLISHED = "compas-scores-two-years-violent.csv"
WHERE = "https://github.com/propublica/compas-analysis"
ALL_ROWS, SAMPLE = "recidivism_violent.csv", "recidivism_violent_558.csv"
# of the texts with line feeds, so that a copy with other line ends is the same file
SHA256 = {
    PUBLISHED: "e226ab4c01e0998d1cca94e1a2bfb8a2f3482362f6021ab863da9bf78cab1edc",
    ALL_ROWS: "fb567ec3847faa50227760c312c63c242b3dd389c1a12dc1cf566ed0f01ed4a2",
    SAMPLE: "4e506608907f29fbbf80975832c8034eec3c1d7cc5433fda48e5a538252a63c5",
}
POSITIVE, NEGATIVE = 106, 452  # of the sample: the paper has 558 rows, 19 % of them positive
LEAST_OF_A_CHARGE = 15  # rows with the same charge, for an indicator of its own
NO_CHARGE = "arrest case no charge"

# What a charge is about, by words in its text; a charge may be of several kinds or of none.
KINDS_OF_CHARGE = {
    "Assault": r"assault",
    "Battery": r"batt",
    "DomesticViolence": r"\bdom|spouse",
    "RobberyOrCarjacking": r"robbery|carjack",
    "Weapon": r"(?<!no )(?<!w/o )(?<!w/o deadly )(weap|firearm|\bwep\b|f/arm|missile)",
    "Burglary": r"burgl",
    "Theft": r"theft|stolen|shoplift",
    "Fraud": r"fraud|counterfeit|forg|personal id|false (name|ownership)|use false|impersonat",
    "Drug": (
        r"cannabis|cocaine|methylene|mdma|drug|contr(ol|olled)? subst|paraphernalia|codone|jwh|alprazolam|"
        r"pyrrolidino|cathinone|amphetamine|buprenorphine|diazepam|heroin|codeine|morph|lsd"
    ),
    "Driving": r"\bdui\b|\bdwi\b|dwls|driv|\blic|licen|\bveh\b|\bdl\b|accident",
    "ResistingOrFleeing": r"flee|resist|\bleo\b|law enforc|police",
    "TrespassOrLoitering": r"tress?pass|loiter",
    "Disorderly": r"disorderly|intoxicat",
    "PropertyDamage": r"damage|mischief|arson",
    "ChildOrElder": r"child|elder|\b65\b",
    "WitnessOrEvidenceTampering": r"tamper|witness",
    "InjunctionOrStalking": r"injunc|stalk|pretrial release",
    "Sexual": r"sex|lewd|prostitut",
    "NoChargeRecorded": NO_CHARGE,
}


@dataclass(frozen=True, kw_only=True)
class Person:
    """One record of the file, as far as it is used."""

    female: bool
    age: int
    priors: int
    juvenile_felonies: int
    juvenile_misdemeanours: int
    juvenile_others: int
    felony: bool
    jail: timedelta
    days_to_screening: int
    charge: str  # in lower case
    violent: bool  # charged with a violent offence within two years

    @property
    def juvenile(self) -> int:
        """Every juvenile offence on record."""
        return self.juvenile_felonies + self.juvenile_misdemeanours + self.juvenile_others


def people(text: str) -> list[Person]:
    """Read the records that ProPublica's analysis keeps: scored, and screened within 30 days of an arrest."""
    header, *rows = csv.reader(io.StringIO(text))
    # three columns stand in the file twice, with the same values
    place = {name: index for index, name in reversed(list(enumerate(header)))}

    def keeps(row: Sequence[str]) -> bool:
        days = row[place["days_b_screening_arrest"]]
        return (
            days != ""
            and abs(int(days)) <= 30
            and row[place["is_recid"]] != "-1"
            and row[place["c_charge_degree"]] != "O"
            and row[place["v_score_text"]] != "N/A"
        )

    def person(row: Sequence[str]) -> Person:
        def whole(name: str) -> int:
            return int(row[place[name]])

        freed, jailed = (datetime.fromisoformat(row[place[name]]) for name in ("c_jail_out", "c_jail_in"))
        return Person(
            female=row[place["sex"]] == "Female",
            age=whole("age"),
            priors=whole("priors_count"),
            juvenile_felonies=whole("juv_fel_count"),
            juvenile_misdemeanours=whole("juv_misd_count"),
            juvenile_others=whole("juv_other_count"),
            felony=row[place["c_charge_degree"]] == "F",
            jail=freed - jailed,
            days_to_screening=abs(whole("days_b_screening_arrest")),
            charge=row[place["c_charge_desc"]].lower(),
            violent=whole("two_year_recid") == 1,
        )

    return [person(row) for row in rows if keeps(row)]


def questions(charges: Counter[str]) -> Mapping[str, Callable[[Person], bool]]:
    """All that is asked of a person, by the name of its column; brackets and thresholds overlap."""

    def between(attribute: str, low: int, high: int) -> Callable[[Person], bool]:
        return lambda p: low <= getattr(p, attribute) <= high

    def at_least(attribute: str, least: int) -> Callable[[Person], bool]:
        return lambda p: getattr(p, attribute) >= least

    def jailed_over(days: int) -> Callable[[Person], bool]:
        return lambda p: p.jail > timedelta(days=days)

    def mentions(words: str) -> Callable[[Person], bool]:
        return lambda p: re.search(words, p.charge) is not None

    def is_charge(name: str) -> Callable[[Person], bool]:
        return lambda p: _column(p.charge) == name

    ages = [(21, 22), (23, 25), (26, 30), (31, 35), (36, 45)]
    priors = [(2, 3), (4, 6), (7, 10)]
    common = [
        text for text, count in charges.most_common() if count >= LEAST_OF_A_CHARGE and text != NO_CHARGE
    ]
    return {
        "Female": lambda p: p.female,
        "Age_le_20": lambda p: p.age <= 20,
        **{f"Age_{low}_to_{high}": between("age", low, high) for low, high in ages},
        "Age_ge_46": at_least("age", 46),
        **{f"Priors_eq_{n}": between("priors", n, n) for n in (0, 1)},
        **{f"Priors_{low}_to_{high}": between("priors", low, high) for low, high in priors},
        "Priors_gt_10": at_least("priors", 11),
        **{f"Priors_ge_{n}": at_least("priors", n) for n in (2, 3, 5, 8, 15)},
        "JuvenileFelony_ge_1": at_least("juvenile_felonies", 1),
        "JuvenileMisdemeanor_ge_1": at_least("juvenile_misdemeanours", 1),
        "JuvenileOther_ge_1": at_least("juvenile_others", 1),
        **{f"JuvenileAny_ge_{n}": at_least("juvenile", n) for n in (1, 2)},
        "ChargeFelony": lambda p: p.felony,
        **{f"JailStay_gt_{days}d": jailed_over(days) for days in (1, 3, 7, 30, 90)},
        "ScreenedWithinOneDayOfArrest": lambda p: p.days_to_screening <= 1,
        **{f"Charge_{kind}": mentions(words) for kind, words in KINDS_OF_CHARGE.items()},
        **{f"ChargeIs_{_column(text)}": is_charge(_column(text)) for text in common},
    }


def _column(charge: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", charge).strip("_")


def table(records: Sequence[Person]) -> tuple[list[str], np.ndarray]:
    """Answer every question for every person; the target stands first."""
    asked = questions(Counter(person.charge for person in records))
    rows = [[person.violent, *(ask(person) for ask in asked.values())] for person in records]
    return ["target", *asked], np.array(rows, dtype=np.int64)


def sample(target: np.ndarray) -> np.ndarray:
    """Draw the rows of the small table, the same everywhere: numpy has promised that of `RandomState`."""
    draw = np.random.RandomState(POSITIVE + NEGATIVE)
    parts = [
        draw.choice(np.flatnonzero(target == value), count, replace=False)
        for value, count in ((1, POSITIVE), (0, NEGATIVE))
    ]
    return np.sort(np.concatenate(parts))


def text_of(header: Sequence[str], rows: np.ndarray) -> str:
    """Write a table as CSV."""
    return "\n".join([",".join(header), *(",".join(map(str, row)) for row in rows.tolist())]) + "\n"


def make(published: Path) -> dict[str, str]:
    """Make the two tables, by file name; the file and what became of it are held against their checksums."""
    if not published.is_file():
        raise MissingDataError(f"{str(published)!r} is not there; download {PUBLISHED} from {WHERE}")
    text = published.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")
    _check(
        PUBLISHED,
        text,
        f"{str(published)!r} is not the {PUBLISHED} known here; "
        f"download the raw file of {WHERE}, not the page that shows it",
    )
    header, rows = table(people(text))
    made = {ALL_ROWS: text_of(header, rows), SAMPLE: text_of(header, rows[sample(rows[:, 0])])}
    for name, content in made.items():
        _check(name, content, f"{name} came out other than expected, which is a mistake of this script")
    return made


def _check(name: str, text: str, complaint: str) -> None:
    found = hashlib.sha256(text.encode("utf-8")).hexdigest()
    if found != SHA256[name]:
        raise InvalidDataError(f"{complaint} (SHA-256 {found}, expected {SHA256[name]})")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Make the criminology application's table.")
    parser.add_argument("file", type=Path, help=f"your copy of {PUBLISHED}, from {WHERE}")
    parser.add_argument("--out", type=Path, help="folder to write to (that of `supersparse datasets path`)")
    given = parser.parse_args(arguments)
    folder = data_folder() if given.out is None else given.out
    try:
        made = make(given.file)
    except SupersparseError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in made.items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")
        print(folder / name)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
