"""Recidivism: the records that ProPublica published, as yes/no questions that leave out race and scores.

The files are those of https://github.com/propublica/compas-analysis, the data behind ProPublica's "Machine
Bias". Its repository states no licence, so they do not come with this package. The questions are about age,
record and charge. Names, dates of birth, race, every COMPAS score, and all that was recorded after release
are no questions; race and scores stand in the raw columns, where a card can be checked by them.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError, InvalidOptionError, did_you_mean
from supersparse.table.datasets.dataset import MISSING, About, Columns, Dataset, Size, numbers, words
from supersparse.table.datasets.originals import RECIDIVISM, RECIDIVISM_VIOLENT, Original, stored_text

LEAST_OF_A_CHARGE = 15  # rows with the same charge, for an indicator of its own
NO_CHARGE = "arrest case no charge"

# The kinds of charges, by words in their texts; a charge may be of several kinds or of none.
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


@dataclass(frozen=True, slots=True, kw_only=True)
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
    charged: bool  # again within two years, or with a violent offence, as the file has it

    @property
    def juvenile(self) -> int:
        return self.juvenile_felonies + self.juvenile_misdemeanours + self.juvenile_others


def people(text: str, *, scored: str = "v_score_text") -> list[Person]:
    """Read the records that ProPublica's analysis keeps: scored, and screened within 30 days of an arrest."""
    return [person for _, person in _kept(*_table_of(text), scored)]


def _table_of(text: str) -> tuple[dict[str, int], list[list[str]]]:
    """Where each column is, and the rows; some columns stand in the file twice, with the same values."""
    header, *rows = csv.reader(io.StringIO(text))
    return {name: index for index, name in reversed(list(enumerate(header)))}, rows


def _kept(place: Mapping[str, int], rows: Sequence[Sequence[str]], scored: str) -> list[tuple[int, Person]]:
    def keeps(row: Sequence[str]) -> bool:
        days = row[place["days_b_screening_arrest"]]
        return (
            days != ""
            and abs(int(days)) <= 30
            and row[place["is_recid"]] != "-1"
            and row[place["c_charge_degree"]] != "O"
            and row[place[scored]] != "N/A"
        )

    return [(k, _person(place, row)) for k, row in enumerate(rows) if keeps(row)]


def _person(place: Mapping[str, int], row: Sequence[str]) -> Person:
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
        charged=whole("two_year_recid") == 1,
    )


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
    common = [text for text, count in charges.most_common() if count >= LEAST_OF_A_CHARGE and text != NO_CHARGE]
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


def table(records: Sequence[Person]) -> tuple[list[str], NDArray[np.int64]]:
    """Answer every question for every person; the target stands first."""
    asked = questions(Counter(person.charge for person in records))
    rows = [[person.charged, *(ask(person) for ask in asked.values())] for person in records]
    return ["target", *asked], np.array(rows, dtype=np.int64)


_DESCRIPTION = (
    "People arrested in Broward County, Florida, in 2013 and 2014 and scored by COMPAS, as ProPublica "
    "published them, kept as in its analysis; 1 is {}. Each feature is a question about age, record or "
    "charge; race and scores stand in the raw table only. For study: nobody should be judged by such a card."
)
ABOUT_VIOLENT = About(
    name="recidivism",
    target="violent charge within 2 years",
    classes=("no", "yes"),
    description=_DESCRIPTION.format("a charge with a violent offence within two years"),
    source="J. Larson and others, ProPublica, github.com/propublica/compas-analysis",
    licence="no licence stated",
)
ABOUT_ANY = replace(
    ABOUT_VIOLENT, target="charge within 2 years", description=_DESCRIPTION.format("any new charge within two years")
)
SIZE_OF_VIOLENT = Size(rows=4020, columns=95, positive=652)
SIZE_OF_ANY = Size(rows=6172, columns=112, positive=2809)
VARIANTS = ("violent", "any")

_NUMBERS = (
    "age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count", "days_b_screening_arrest",
    "decile_score", "v_decile_score",
)  # fmt: skip
_OTHERS = ("is_recid", "c_jail_in", "c_jail_out", "two_year_recid")
_TEXTS = ("sex", "age_cat", "race", "c_charge_degree", "c_charge_desc", "score_text", "v_score_text")


def load_recidivism(variant: Literal["violent", "any"] = "violent", *, folder: Path | None = None) -> Dataset:
    """Records that ProPublica published: 4020 rows with the target violent, 6172 with any charge.

    The rows are read from `folder`; the default is the folder that ``supersparse datasets path`` prints and
    ``supersparse datasets fetch`` fills.
    """
    if variant not in VARIANTS:
        raise InvalidOptionError(f"recidivism has no variant {variant!r}", did_you_mean(variant, VARIANTS))
    if variant == "violent":
        return _read(ABOUT_VIOLENT, SIZE_OF_VIOLENT, RECIDIVISM_VIOLENT, "v_score_text", folder)
    return _read(ABOUT_ANY, SIZE_OF_ANY, RECIDIVISM, "score_text", folder)


def _read(about: About, size: Size, original: Original, scored: str, folder: Path | None) -> Dataset:
    place, rows = _table_of(stored_text(original, folder))
    missing = [name for name in (*_NUMBERS, *_TEXTS, *_OTHERS) if name not in place]
    if missing:
        raise InvalidDataError(
            f"{original.file} has no column {missing[0]!r}",
            "delete the file and fetch it again: supersparse datasets fetch",
        )
    people = _kept(place, rows, scored)
    (_, *names), cells = table([person for _, person in people])
    features = dict(zip(names, cells.T[1:], strict=True))
    data = about.dataset(_raw(about, place, rows), features, np.array([k for k, _ in people], dtype=np.intp))
    return size.check(data, original.file)


def _raw(about: About, place: Mapping[str, int], rows: Sequence[Sequence[str]]) -> Columns:
    """The published columns but for names, dates of birth, case numbers and what came after release."""

    def cells(name: str) -> list[str]:
        return [row[place[name]] or MISSING for row in rows]

    of_numbers = {name: numbers(cells(name)) for name in _NUMBERS}
    of_texts = {name: words(texts, {text: text for text in texts}) for name in _TEXTS for texts in [cells(name)]}
    target = words(cells("two_year_recid"), {"0": about.classes[0], "1": about.classes[1]})
    return Columns(of_numbers | of_texts | {about.target: target})
