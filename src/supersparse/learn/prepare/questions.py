"""Questions: the features of a preparation as a file, so that other tables are asked the same.

The file holds cut points and categories, how missing values count, the spellings and codes that were
recognised in the columns it asks about, and what the preparation demands of the points. It holds no row, no
smallest or largest value of a column, and no list of a column's values beyond two.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidCardError, InvalidDataError, SupersparseError
from supersparse.base.schema.tree import tree_of
from supersparse.base.writing import write_file
from supersparse.card import file as card_file
from supersparse.card.card import Card, Label
from supersparse.card.rules import Domain, IsMissing, ValueOf
from supersparse.learn.prepare.feature import Feature, Recorded, plain, plain_value
from supersparse.learn.prepare.fitting import PreparedColumns
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.prepare.settings import Direction
from supersparse.problem.constraints.forms import ConstraintForm
from supersparse.problem.limits import Constraint
from supersparse.table.reading import Reading

FORMAT = "supersparse-questions"
VERSION = 1
_FEW = 2  # values of a column that are kept


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Questions:
    """Yes/no questions on raw columns, and the classes that they are to tell apart."""

    target: str
    card: Card  # one point for each question, with the classes and how the file was read
    directions: tuple[Direction | None, ...]
    constraints: tuple[Constraint, ...]
    recorded: Recorded
    n_candidates: int

    @classmethod
    def of(cls, prepare: Prepare, target: str, classes: tuple[Label, Label], reading: Reading | None) -> "Questions":
        """Take them from a fitted preparation; `classes` are the negative and the positive one."""
        raw = prepare.raw_questions
        domains = {domain.column: domain for domain in raw.domains}
        for feature in prepare.features_:
            if not _is_yes_or_no(feature, domains.get(feature.column)):
                raise InvalidDataError(
                    f"column {feature.column!r} is used as it is, so its counts would be those of single values",
                    "cut it into yes/no questions",
                )
        return cls(
            target=target,
            card=replace(
                raw,
                negative=classes[0],
                positive=classes[1],
                domains=tuple(d for domain in raw.domains if (d := _without_values(domain)) is not None),
                reading=None if reading is None else _of_any_file(reading.about((*raw.columns, target))),
            ),
            directions=tuple(feature.direction for feature in prepare.features_),
            constraints=prepare.constraints_,
            recorded=prepare.recorded,
            n_candidates=prepare.n_candidates_,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The questions, such as "age >= 60"."""
        return tuple(feature.name for feature in self.features)

    @property
    def features(self) -> tuple[Feature, ...]:
        """The questions with their rules."""
        return tuple(
            Feature(
                rule=item.rule,
                position=item.position or 0,
                when_missing=Fraction(0) if isinstance(item.rule, IsMissing) else item.missing,
                unit=item.unit,
                direction=direction,
            )
            for item, direction in zip(self.card.items, self.directions, strict=True)
        )

    def prepare(self) -> Prepare:
        """Return the preparation that asks them, fitted."""
        return Prepare.of_prepared(
            self.recorded,
            PreparedColumns(
                features=self.features,
                constraints=self.constraints,
                domains={domain.column: domain for domain in self.card.domains},
                n_candidates=self.n_candidates,
            ),
        )

    def answers(self, columns: Mapping[str, NDArray[Any]]) -> NDArray[np.int8]:
        """Return 1 for yes and 0 for no, a row for each person."""
        answers = np.asarray(self.prepare().transform(columns))
        for name, feature in zip(self.names, answers.T, strict=True):
            neither = feature[(feature != 0) & (feature != 1)]
            if len(neither):
                raise InvalidDataError(
                    f"column {name!r} has the value {neither[0]}, but its answers are 1 (yes) and 0 (no) "
                    "where the questions were made",
                    "code it in the same way",
                )
        return answers.astype(np.int8)

    def as_data(self) -> dict[str, Any]:
        """Return them as plain data for JSON."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "target": self.target,
            "questions": list(self.names),
            "card": json.loads(card_file.to_json(self.card)),
            "directions": list(self.directions),
            "constraints": [ConstraintForm().write(constraint) for constraint in self.constraints],
            "columns": list(self.recorded.columns),
            "texts": list(self.recorded.texts),
            "parameters": {name: plain(value) for name, value in self.recorded.parameters.items()},
            "n_candidates": self.n_candidates,
        }

    @classmethod
    def from_data(cls, content: Any, source: str) -> "Questions":
        """Read plain data; `source` names them in messages."""
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise InvalidDataError(
                f"{source} holds no questions", "write some with `supersparse counts --save-questions`"
            )
        if content.get("version") != VERSION:
            raise InvalidDataError(
                f"{source} has version {content.get('version')!r} of the format of questions",
                f"this release reads version {VERSION}",
            )
        try:
            questions = _read(content)
            if list(questions.names) != content["questions"]:
                raise InvalidCardError("its questions are not those of its rules")
        except (SupersparseError, LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InvalidDataError(f"{source} is damaged: {error}", "write it again", subject=source) from None
        return questions

    def save(self, path: Path) -> None:
        """Write them to a file."""
        write_file(path, json.dumps(self.as_data(), indent=2) + "\n")

    @classmethod
    def load(cls, path: Path) -> "Questions":
        """Read them from a file."""
        try:
            content = json.loads(path.read_text(encoding="utf-8-sig"))
        except ValueError:
            content = None
        return cls.from_data(content, str(path))

    def differs(self, other: "Questions") -> str | None:
        """Say what others ask differently; None if they ask the same."""
        mine, theirs = self.as_data(), other.as_data()
        asked, also = mine.pop("questions"), theirs.pop("questions")
        for one, two, what in ((asked, also, "do not ask"), (also, asked, "ask")):
            only = [name for name in one if name not in two]
            if only:
                more = f" and {len(only) - 1} more" if len(only) > 1 else ""
                return f"they {what} {only[0]!r}{more}"
        if self.card.classes != other.card.classes:
            negative, positive = other.card.classes
            return (
                f"they have the positive class {positive!r} and the negative class {negative!r}, not "
                f"{self.card.positive!r} and {self.card.negative!r}"
            )
        different = [name for name in mine if mine[name] != theirs[name]]
        return f"they have another {different[0]!r}" if different else None


def _read(content: Mapping[str, Any]) -> Questions:
    card = card_file.from_json(json.dumps(content["card"]), source="the card of the questions")
    directions = content["directions"]
    if not isinstance(directions, list) or any(sign not in (None, "+", "-") for sign in directions):
        raise InvalidCardError("a direction is neither '+' nor '-'")
    if len(directions) != len(card.items):
        raise InvalidCardError(f"there are {len(directions)} directions for {len(card.items)} questions")
    return Questions(
        target=str(content["target"]),
        card=card,
        directions=tuple(cast("Sequence[Direction | None]", directions)),
        constraints=tuple(ConstraintForm().read(tree_of(one), "a constraint") for one in content["constraints"]),
        recorded=Recorded(
            parameters={name: plain_value(value) for name, value in content["parameters"].items()},
            columns=tuple(map(str, content["columns"])),
            texts=tuple(map(str, content["texts"])),
        ),
        n_candidates=int(content["n_candidates"]),
    )


def _is_yes_or_no(feature: Feature, domain: Domain | None) -> bool:
    """Whether a feature is 0 or 1: a condition, or a column of nothing else."""
    if not isinstance(feature.rule, ValueOf):
        return True
    return (
        domain is not None
        and domain.values is not None
        and {0, 1}.issuperset(domain.values)
        and feature.when_missing in (None, 0, 1)
    )


def _without_values(domain: Domain) -> Domain | None:
    """Keep of a domain that numbers are whole, or two values; the rest could be those of one person."""
    if domain.values is not None:
        return domain if len(domain.values) <= _FEW else None
    return Domain(column=domain.column, whole=True) if domain.whole else None


def _of_any_file(reading: Reading) -> Reading:
    """Leave out what belongs to one file: its separator, encoding, decimal signs and sheet."""
    return replace(
        reading,
        separator=None,
        encoding=None,
        decimal=None,
        sheet=None,
        found={},
        columns={
            name: left for name, one in reading.columns.items() if not (left := replace(one, decimal=None)).is_plain
        },
    )
