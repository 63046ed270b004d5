"""Tables of counts of several sites: how many people gave each combination of answers, in each class.

A site writes such a table; no row of a person leaves it. Cells of fewer than k people are left out, or merged
with others of their class, and the file says at most how many people that are: their number, rounded up to
a multiple of k. Tables of sites that asked the same questions are added up, and what is learned from them is
what the pooled rows would give.

What leaving out costs: let M people be counted and s left out, N = M + s, and let W be the larger class
weight. A card with loss L and penalty P on those counted has at most (M·L + s·W)/N + P on all N, because each
of the s adds at most W/N. Any card has at least M/N of its objective on those counted, so none is below
(M/N)·B, where B is the proven bound. The difference, (M/N)·(L + P - B) + (s/N)·(W + P), is how far from the
best the card can be. It grows with s, so an upper bound on s will do.

What merging costs: let m of the people counted be in another cell than their own. The loss of any card is
another for these alone, so its sum over people differs by at most m·W, in either direction, for the card and
for the best one: 2·m·W/N more.
"""

import codecs
import csv
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError, InvalidOptionError
from supersparse.base.exact import counted
from supersparse.base.writing import whole_text
from supersparse.card.card import Card
from supersparse.card.printed import moved_risk
from supersparse.card.provenance import Suppressed
from supersparse.engine.solution import Solution
from supersparse.learn.prepare.questions import Questions
from supersparse.learn.problem_of_rows import with_directions
from supersparse.learn.recipe import PreparedProblem, Recipe
from supersparse.learn.rows import TrainingRows

FORMAT = "supersparse-counts"
VERSION = 1
COUNT = "n"
FIRST = f"# {FORMAT} "
_MOST_DIGITS = 12  # of a count: all of them together fit 64 bits
NO_RISKS = (
    "The card has no risks, AUC or rates: small cells are mostly of the class that is rarer among people "
    "with the same answers, so those of the people counted would look better than they are. Count with "
    "--at-least 1 where rules allow it, or use rows of a site: "
    "ScoringSystem.load('card.json').recalibrate(rows, outcomes) gives risks, and `supersparse evaluate` "
    "errors and AUC."
)
MOST_PEOPLE = 1_000_000  # up to which they are written out, to be divided into folds


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountTable:
    """Distinct answers with the number of people of each class.

    `left_out` and `merged`, the number of people in another cell than their own, are upper bounds.
    """

    questions: Questions
    answers: NDArray[np.int8]
    positive: NDArray[np.bool_]
    counts: NDArray[np.int64]
    at_least: int = 1
    left_out: int = 0
    merged: int = 0
    signed: bool = True  # False: read from a file without a digest

    @classmethod
    def of(
        cls,
        questions: Questions,
        columns: Mapping[str, NDArray[Any]],
        y: Sequence[object],
        at_least: int,
        *,
        merge: bool = False,
    ) -> "CountTable":
        """Count the rows of one site, and leave out the cells of fewer than `at_least`, or merge them."""
        positive = np.array([label == questions.card.positive for label in y], dtype=bool)
        whole = _counted(questions, questions.answers(columns), positive, np.ones(len(positive), np.int64))
        return whole.merging(at_least) if merge else whole.leaving_out(at_least)

    def leaving_out(self, at_least: int) -> "CountTable":
        """Return the table without the cells of fewer people."""
        small = self.counts < at_least
        hidden = int(self.counts[small].sum())
        return replace(self._take(~small), at_least=at_least, left_out=_rounded_up(hidden, at_least))

    def merging(self, at_least: int) -> "CountTable":
        """Return the table with the cells of fewer people merged with those that are most alike."""
        merged = merge_cells(self.answers, self.positive, self.counts, at_least)
        return replace(
            self,
            answers=self.answers[merged.cells],
            positive=self.positive[merged.cells],
            counts=merged.counts,
            at_least=at_least,
            left_out=_rounded_up(merged.hidden, at_least),
            merged=_rounded_up(merged.moved, at_least),
        )

    @property
    def people(self) -> int:
        return int(self.counts.sum())

    @property
    def suppressed(self) -> Suppressed | None:
        """How many people are left out or merged at most; None if nobody is."""
        if not self.left_out and not self.merged:
            return None
        return Suppressed(left_out=self.left_out, merged=self.merged)

    @property
    def labels(self) -> NDArray[Any]:
        """The class of each cell."""
        card = self.questions.card
        return np.array([card.positive if yes else card.negative for yes in self.positive.tolist()])

    def in_words(self) -> str:
        """Say what was left out or merged."""
        if self.at_least <= 1:
            return "No cell is left out."
        if self.merged:
            text = (
                f"Cells of fewer than {self.at_least} people are merged with the most similar cells of their "
                f"class: at most {self.merged} people are counted with answers other than their own."
            )
            if self.left_out:
                text += f" At most {self.left_out} people are left out."
            return text
        if not self.left_out:
            return f"No cell has fewer than {self.at_least} people, so none is left out."
        return f"Cells of fewer than {self.at_least} people are left out: at most {self.left_out} people."

    @property
    def digest(self) -> str:
        """A digest of the cells, in their fixed order, and of what is said about others."""
        facts = [self.at_least, self.left_out, self.merged]
        cells = [self.answers.tolist(), self.positive.tolist(), self.counts.tolist()]
        return f"sha256:{hashlib.sha256(json.dumps([facts, cells]).encode()).hexdigest()}"

    def save(self, path: Path) -> None:
        """Write a CSV file, with the questions in its first lines."""
        facts = {
            "format": FORMAT,
            "version": VERSION,
            "at_least": self.at_least,
            "left_out_at_most": self.left_out,
            "merged_at_most": self.merged,
            "digest": self.digest,
            "questions": self.questions.as_data(),
        }
        with whole_text(path) as file:
            file.write(f"{FIRST}{json.dumps(facts)}\n")
            file.write("# A line for each combination of answers (1 yes, 0 no) and class that occurs; ")
            file.write(f"{COUNT}: how many people. {self.in_words()}\n")
            lines = csv.writer(file, lineterminator="\n")
            lines.writerow([*self.questions.names, self.questions.target, COUNT])
            for answers, label, n in zip(self.answers.tolist(), self.labels, self.counts, strict=True):
                lines.writerow([*answers, label, n])

    @classmethod
    def load(cls, path: Path) -> "CountTable":
        """Read such a file."""
        try:
            return _read(path)
        except (UnicodeDecodeError, csv.Error) as error:
            raise _unreadable(path, error) from None

    def _take(self, kept: NDArray[np.bool_]) -> "CountTable":
        return replace(self, answers=self.answers[kept], positive=self.positive[kept], counts=self.counts[kept])

    def plus(self, other: "CountTable") -> "CountTable":
        """Add another site's people; it must have asked the same."""
        both = _counted(
            self.questions,
            np.concatenate([self.answers, other.answers]),
            np.concatenate([self.positive, other.positive]),
            np.concatenate([self.counts, other.counts]),
        )
        return replace(
            both,
            at_least=max(self.at_least, other.at_least),
            left_out=self.left_out + other.left_out,
            merged=self.merged + other.merged,
            signed=self.signed and other.signed,
        )

    def rows(self, *, written_out: bool) -> TrainingRows:
        """Return rows to learn from: one for each person, or one for each cell with its count."""
        if not len(self.counts):
            raise InvalidDataError(
                f"the counts hold no cell: each had fewer than {self.at_least} people",
                "count again with fewer questions (--candidates 4), or with a lower --at-least",
            )
        if not self.positive.any() or self.positive.all():
            raise InvalidDataError(
                "the counts hold one class only, and two are needed",
                "count again with fewer questions (--candidates 8), or with a lower --at-least",
            )
        cells = np.arange(len(self.counts))
        if written_out:  # mixed, so that equal people are not in one fold
            cells = np.random.default_rng(0).permutation(np.repeat(cells, self.counts))
        return TrainingRows(
            X=self.answers[cells],
            y=self.labels[cells],
            sample_weight=None if written_out else self.counts,
            rate_groups=None,
            names=self.questions.names,
            title=self.questions.target,
        )

    def question(self, recipe: Recipe, rows: TrainingRows) -> PreparedProblem:
        """Ask the settings of a recipe about these questions and their counts."""
        if recipe.settings.loss.gives_risks and self.suppressed is not None:
            raise InvalidOptionError(
                f"goal is 'risk', but {self._hidden()}; risks learned from the others would be wrong",
                "count with --at-least 1 where rules allow it, or ask for goal errors",
            )
        if recipe.settings.asks_questions:
            raise InvalidOptionError(
                "count tables hold yes/no features, and this card asks questions with several answers",
                "ask for goal errors or questions: false, or count rows with --engine duckdb",
            )
        prepare = self.questions.prepare()
        settings = replace(recipe, prepare=prepare).settings_for(self._by_class())
        settings = with_directions(settings, prepare, self.questions.names)
        settings = replace(settings, positive=str(self.questions.card.positive))
        return replace(recipe, prepare=None, settings=settings).question(rows)

    def raw_card(self, card: Card) -> Card:
        """Return a card on the questions as one on raw columns, with the same risk for each person.

        Where people are left out or merged it has no risks and no rates, because these would be wrong: small
        cells are mostly of the class that is rarer among people with the same answers.
        """
        raw = self.questions.prepare().raw_card(card)
        if self.suppressed is None:
            return replace(raw, risk=moved_risk(card.risk, raw.intercept - card.intercept))
        assert raw.provenance is not None, "it was learned"
        made = replace(raw.provenance, suppressed=self.suppressed)
        return replace(raw, risk=None, performance=(), provenance=made)

    def _by_class(self) -> NDArray[Any]:
        """Return labels in which the classes have their shares of the people."""
        card, yes = self.questions.card, int(self.counts[self.positive].sum())
        shrink = max(1, self.people // MOST_PEOPLE)
        return np.repeat([card.negative, card.positive], [(self.people - yes) // shrink, -(-yes // shrink)])

    def cost_in_words(self, solution: Solution) -> str | None:
        """Bound the errors and the objective with the people left out or merged; None if there are none."""
        if not self.left_out and not self.merged:
            return None
        hidden = self._hidden()
        text = f"{hidden[0].upper()}{hidden[1:]}. "
        errors = solution.evaluation.predicted_errors
        more = self.most_lost(solution)
        constraints = " Constraints on rates hold for those counted." if solution.problem.rate_limits else ""
        return (
            f"{text}{'With them' if self.left_out else 'With their own answers'} the card is wrong for "
            f"{max(0, errors - self.merged)} to {errors + self.left_out + self.merged} people, and no "
            f"allowed card has an objective that is lower by more than {float(more):.4g}.{constraints}"
        )

    def _hidden(self) -> str:
        """Who is left out or merged, in words."""
        parts = []
        if self.left_out:
            everybody = self.people + self.left_out
            parts.append(f"at most {self.left_out} of at most {everybody} people are left out of the counts")
        if self.merged:
            parts.append(f"at most {self.merged} of {self.people} people are counted with answers other than their own")
        return ", and ".join(parts)

    def most_lost(self, solution: Solution) -> Fraction:
        """How much lower than that of this card the least objective on everybody can be."""
        share = Fraction(self.left_out, self.people + self.left_out)
        penalty = solution.objective - solution.evaluation.loss
        most = max(solution.problem.class_weights) + penalty
        moved = Fraction(2 * self.merged, self.people + self.left_out) * max(solution.problem.class_weights)
        return (1 - share) * (solution.objective - solution.lower_bound) + share * most + moved


def _rounded_up(people: int, at_least: int) -> int:
    return -(-people // max(1, at_least)) * at_least


def is_count_table(path: Path) -> bool:
    """Whether a file begins like a table of counts, with or without a byte order mark."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(len(codecs.BOM_UTF8) + len(FIRST))
    return start.removeprefix(codecs.BOM_UTF8).startswith(FIRST.encode())


def pooled(paths: Sequence[Path]) -> CountTable:
    """Read the tables of all sites and add them up."""
    tables = [CountTable.load(path) for path in paths]
    for path, table in zip(paths[1:], tables[1:], strict=True):
        different = tables[0].questions.differs(table.questions)
        if different is not None:
            raise InvalidDataError(
                f"{path} and {paths[0]} asked different questions: {different}",
                ("write the questions at one site with --save-questions, and count with --questions at all others"),
            )
    return reduce(CountTable.plus, tables)


def _counted(
    questions: Questions, answers: NDArray[np.int8], positive: NDArray[np.bool_], counts: NDArray[np.int64]
) -> CountTable:
    """Put equal cells together, in a fixed order."""
    bits = np.packbits(np.column_stack([answers.astype(bool), positive]), axis=1)
    _, first, group = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    sums = np.zeros(len(first), dtype=np.int64)
    np.add.at(sums, group.reshape(-1), counts)
    return CountTable(questions=questions, answers=answers[first], positive=positive[first], counts=sums)


def _unreadable(path: Path, error: Exception) -> InvalidDataError:
    return InvalidDataError(
        f"{path} cannot be read as a table of counts: {error}", "write it again with `supersparse counts`"
    )


def _read(path: Path) -> CountTable:
    """Read a file; every cell occurs once, with at least as many people as the file says."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        try:
            facts = json.loads(first.removeprefix(FIRST)) if first.startswith(FIRST) else None
            if not isinstance(facts, dict) or facts["format"] != FORMAT:
                raise ValueError("its first line is not that of a table of counts")
            if facts["version"] != VERSION:
                raise ValueError(f"it has version {facts['version']!r}, and this release reads {VERSION}")
            facts = {"merged_at_most": 0, **facts}
            at_least = _whole(facts, "at_least", least=1)
            left_out, merged = (_whole(facts, f"{what}_at_most") for what in ("left_out", "merged"))
            questions = Questions.from_data(facts["questions"], f"{path}, line 1,")
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise _unreadable(path, error) from None
        lines = [(k, line) for k, line in enumerate(csv.reader(file), start=2) if line]
    lines = [(k, line) for k, line in lines if not line[0].startswith("# ")]
    if not lines or lines[0][1] != [*questions.names, questions.target, COUNT]:
        raise InvalidDataError(f"{path}: the columns are not those of its questions", "write it again")
    cells, lines_of = [], dict[tuple[int, ...], int]()
    for k, line in lines[1:]:
        answers, positive, n = _cell(path, k, line, questions, at_least)
        other = lines_of.setdefault((*answers, int(positive)), k)
        if other != k:
            raise InvalidDataError(
                f"{path}, line {k}: line {other} counts the same answers and class",
                "write the file again with `supersparse counts`",
            )
        cells.append((answers, positive, n))
    rows, classes, counts = zip(*cells, strict=True) if cells else ((), (), ())
    table = _counted(
        questions,
        np.array(rows, dtype=np.int8).reshape(len(cells), len(questions.names)),
        np.array(classes, dtype=bool),
        np.array(counts, dtype=np.int64),
    )
    table = replace(table, at_least=at_least, left_out=left_out, merged=merged, signed=facts.get("digest") is not None)
    if table.signed and facts["digest"] != table.digest:
        raise InvalidDataError(
            f"{path} was changed since it was written: its digest is of other counts",
            "write it again with `supersparse counts`",
        )
    return table


def _whole(facts: Mapping[str, Any], name: str, least: int = 0) -> int:
    number = facts[name]
    if type(number) is not int or not least <= number < 10**_MOST_DIGITS:
        raise ValueError(
            f"its {name} is {str(number)[:40]}, not a whole number of at least {least} with at most "
            f"{_MOST_DIGITS} digits"
        )
    return number


def _cell(
    path: Path, line: int, cells: Sequence[str], questions: Questions, at_least: int
) -> tuple[list[int], bool, int]:
    """Read one line: answers, whether the class is the positive one, and the count."""
    where = f"{path}, line {line}"
    *answers, label, n = cells if len(cells) > 1 else ["", ""]
    if len(answers) != len(questions.names) or any(cell not in ("0", "1") for cell in answers):
        raise InvalidDataError(f"{where}: {counted(len(questions.names), 'answer')} of 0 or 1 are needed")
    classes = [str(label) for label in questions.card.classes]
    if label not in classes:
        raise InvalidDataError(f"{where}: the class is {label!r}", f"the classes are {classes[0]!r} and {classes[1]!r}")
    if not (n.isascii() and n.isdigit() and len(n) <= _MOST_DIGITS and int(n) > 0):
        raise InvalidDataError(f"{where}: the count is {n[:40]!r}", "give a whole number of at least 1")
    if int(n) < at_least:
        raise InvalidDataError(
            f"{where}: the count is {n}, but the file says that cells have at least {at_least} people",
            "write it again with `supersparse counts`",
        )
    return [int(cell) for cell in answers], label == str(questions.card.positive), int(n)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Merged:
    """Cells by their position before, and how many people are counted in another cell than their own."""

    cells: NDArray[np.intp]  # those that remain
    counts: NDArray[np.int64]  # of each of them
    moved: int
    hidden: int  # people of a class with too few


def merge_cells(
    answers: NDArray[np.int8], positive: NDArray[np.bool_], counts: NDArray[np.int64], at_least: int
) -> _Merged:
    """Join each cell of few people with the one of its class whose answers differ in the fewest questions.

    Of two cells that join, the larger one gives the answers. The smallest cell goes first, until every cell has
    enough people. Classes keep their numbers of people. A class with too few people for any cell is left out.

    >>> answers = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int8)
    >>> found = merge_cells(answers, np.array([True, True, True]), np.array([9, 2, 7]), 5)
    >>> found.cells.tolist(), found.counts.tolist(), found.moved
    ([0, 2], [11, 7], 2)
    """
    now = counts.copy()
    at_home = counts.copy()  # people who are counted where they were
    hidden = 0
    for label in (False, True):
        alive = np.flatnonzero((positive == label) & (now > 0))
        while len(alive) and now[alive].min() < at_least:
            small = alive[np.argmin(now[alive])]
            others = alive[alive != small]
            if not len(others):
                hidden += int(now[small])
                now[small] = at_home[small] = 0
                break
            apart = (answers[others] != answers[small]).sum(axis=1)
            near = others[np.lexsort((-now[others], apart))[0]]
            stays, goes = (near, small) if now[near] >= now[small] else (small, near)
            now[stays] += now[goes]
            now[goes] = at_home[goes] = 0
            alive = alive[alive != goes]
    kept = np.flatnonzero(now)
    return _Merged(cells=kept, counts=now[kept], moved=int(now.sum() - at_home.sum()), hidden=hidden)
