"""certify_risk: write the proof that no card of questions has a smaller log loss, for the checker to read.

The file is one JSON object: the claim, then the tree, which has sets of questions, then ranges of their points, each
closed by the checker's test. docs/certificates.md describes it so that other programs can read it. A leaf is offered to
the functions of the checker that read it later, so a tree that ends is one that it accepts. Where a leaf does not close
in whole numbers, the search splits further; a single card that does not close is better than the one that was to be
proven.
"""

import gzip
import json
import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from supersparse.base.errors import UnsupportedProblemError, VerificationError
from supersparse.engine.certify.checking import checker_module
from supersparse.engine.certify.risk_claim import AnswerRules, claim_of
from supersparse.engine.certify.risk_points import Box, Relaxation
from supersparse.engine.certify.risk_questions import answers_of, card_of
from supersparse.engine.certify.risk_sets import Sets
from supersparse.engine.certify.statement import TableNames
from supersparse.engine.solution import Solution
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

_GROUP = 12  # last questions that one leaf may close
Boxes = dict[int, Box]


class RiskTree:
    """Writes the nodes of a proof that no card of a set has an objective below a bound.

    `cards` is the set of cards as the checker holds it, `refused` the exception of its leaves, and `keep` takes
    each node in turn.
    """

    def __init__(self, cards: Any, refused: type[Exception], bound: Any, sets: Sets, keep: Callable[[list[Any]], None]):
        self.cards, self.refused, self.bound, self.sets, self.keep = cards, refused, bound, sets, keep
        self.ordered = {j: one.ordered for j, one in enumerate(cards.asked)}

    def write(self) -> None:
        opened = [j for j, one in enumerate(self.cards.asked) if one.box]
        self._first({}, opened, self.cards.fewest)

    def _first(self, boxes: Boxes, opened: list[int], least: int) -> None:
        """Take in the questions that all cards must ask, leave out those that none may, then search."""
        if self._is_empty(boxes, opened, least):
            self.keep(["e"])
            return
        full = len(boxes) >= self.cards.most
        for j in [] if full else opened:
            rest = [k for k in opened if k != j]
            inside = boxes | {j: self.cards.asked[j].box}
            must, must_not = self.cards.beyond(boxes, rest), self.cards.beyond(inside, rest)
            if must or must_not:
                self.keep(["q", j])
                for is_last, now in ((must, inside), (not must, boxes)):
                    if is_last:
                        self._first(now, rest, max(least, len(now)))
                    else:
                        self.keep(["e"])
                return
        if full or not opened:
            self._exactly(boxes, least)
            return
        self.keep(["x"])
        self._exactly(boxes, least)
        self._more(boxes, opened, max(least, len(boxes) + 1))

    def _is_empty(self, boxes: Mapping[int, Box | None], opened: Sequence[int], least: int) -> bool:
        over = max(least, len(boxes)) > min(self.cards.most, len(boxes) + len(opened))
        return None in boxes.values() or over or self.cards.beyond(boxes, opened)

    def _accepts(self, node: list[Any], boxes: Boxes, opened: list[int], least: int) -> bool:
        """Offer a leaf to the checker's test; keep it if that accepts it."""
        kind, *rest = node
        try:
            self.cards.leaf(kind, rest, boxes, opened, least, self.bound)
        except self.refused:
            return False
        self.keep(node)
        return True

    def _closed_as_a_set(self, boxes: Boxes, opened: list[int], least: int, *, insists: bool = False) -> bool:
        wanted = float(self.bound - self.cards.price(boxes, opened, least - len(boxes)))
        node = self.sets.leaf([*sorted(boxes), *opened], wanted, insists=insists)
        return node is not None and self._accepts(_by_question(node), boxes, opened, least)

    def _more(self, boxes: Boxes, opened: list[int], least: int) -> None:
        """Cards with these questions and at least one of the open ones."""
        most = self.cards.most
        opened = opened if len(boxes) < most else []
        if self._is_empty(boxes, opened, least):
            self.keep(["e"])
            return
        is_last = len(boxes) == most - 1
        if (not is_last or len(opened) <= _GROUP) and self._closed_as_a_set(boxes, opened, least):
            return
        if is_last and len(opened) > 1:
            nearness = {j: self.sets.predicted([*boxes, j])[0] for j in opened}
            opened = sorted(opened, key=nearness.__getitem__)
            size = len(opened) // 2 if len(opened) <= 2 * _GROUP else _GROUP
            group, rest = sorted(opened[:size]), sorted(opened[size:])
            self.keep(["p", *group])
            self._more(boxes, group, least)
            self._more(boxes, rest, least)
            return
        j = opened[0] if is_last else self._most_telling(boxes, opened)
        rest = [k for k in opened if k != j]
        self.keep(["q", j])
        inside = boxes | {j: self.cards.asked[j].box}
        if len(inside) >= most or not rest:
            self._exactly(inside, max(least, len(inside)))
        else:
            self.keep(["x"])
            self._exactly(inside, max(least, len(inside)))
            self._more(inside, rest, max(least, len(inside) + 1))
        self._more(boxes, rest, least)

    def _most_telling(self, boxes: Boxes, opened: list[int]) -> int:
        """The open question without which the fit of all loses most."""
        asked = [*boxes, *opened]
        i = self.sets.indices(asked)
        inverse = np.linalg.inv(self.sets.hessian[np.ix_(i, i)])
        effects = self.sets.predicted(asked)[2]
        start = 1 + sum(len(self.sets.columns_of[j]) for j in boxes)
        losses = []
        for j in opened:
            place = slice(start, start + len(self.sets.columns_of[j]))
            losses.append(float(effects[place] @ np.linalg.solve(inverse[place, place], effects[place])))
            start = place.stop
        return opened[int(np.argmax(losses))]

    def _exactly(self, boxes: Boxes, least: int) -> None:
        if self._is_empty(boxes, [], least):
            self.keep(["e"])
        elif not self._closed_as_a_set(boxes, [], least, insists=True):
            self._ranges(boxes, least, None, 0.2)

    def _ranges(
        self, boxes: Mapping[int, Box | None], least: int, warm: Mapping[int, Sequence[float]] | None, slope: float
    ) -> None:
        if self._is_empty(boxes, [], least):
            self.keep(["e"])
            return
        known: Boxes = {j: box for j, box in boxes.items() if box is not None}
        loose = [j for j, box in known.items() if not any(box[1])]
        if known and len(loose) == len(known):  # no slope is too steep: a direction comes first
            sizes = {j: float(np.abs(self.sets.effects[self.sets.columns_of[j]]).sum()) for j in loose}
            j = max(sizes, key=sizes.__getitem__)
            self._split(known, least, j, *self._top(known[j]), warm, slope)
            return
        relaxation = Relaxation(self.sets, known, self.ordered)
        wanted = float(self.bound - self.cards.price(known))
        start = relaxation.start(warm, slope)
        done, effects = relaxation.solve(start, wanted, lambda node: self._accepts(node, known, [], least))
        if done:
            return
        points, slope = relaxation.points(effects)
        self._split(known, least, *self._worst(known, points, slope), points, slope)

    def _top(self, box: Box) -> tuple[int, int]:
        """Where a question without a direction is split: which answer, and at how many points."""
        ways, low, high = box
        return (-1, 0) if len(ways) > 1 else (int(np.argmax(np.array(high) - np.array(low))), 0)

    def _worst(self, boxes: Boxes, points: Mapping[int, Sequence[float]], slope: float) -> tuple[int, int, int]:
        """The question, answer and number of points at which to split: the least whole one, by what it moves."""
        best: tuple[float, int, int, int] = (-1.0, -1, -1, 0)
        for j, (ways, low, high) in boxes.items():
            heavy = np.bincount(self.sets.answers[j], self.sets.total * self.sets.scale, len(low))
            if len(ways) > 1:
                size = 1e6 * float((heavy * (np.abs(np.array(points[j]) - points[j][0]) + 0.1)).sum())
                best = max(best, (size, j, -1, 0))
                continue
            for b, (least, most) in enumerate(zip(low, high, strict=True)):
                if least == most:
                    continue
                at = min(max(points[j][b], least), most)
                from_whole = abs(at - round(at))
                k = int(np.floor(at)) if from_whole > 1e-6 else round(at) - (round(at) > least)
                size = float(heavy[b]) * (from_whole + 1e-3 * min(most - least, 3)) + 1e-12
                best = max(best, (size, j, b, min(max(k, least), most - 1)))
        if best[1] < 0:
            raise VerificationError(
                "a card is better than the one to be proven by more than 1e-9",
                "where answers separate the classes, the cap on effects keeps the card from its best slope, and there "
                "is no proof: ask for fewer questions, or leave the certificate out. Otherwise please report this",
            )
        return best[1:]

    def _split(
        self, boxes: Boxes, least: int, j: int, b: int, k: int, warm: Mapping[int, Sequence[float]] | None, slope: float
    ) -> None:
        one, (ways, low, high) = self.cards.asked[j], boxes[j]
        if b < 0:
            self.keep(["d", j])
            for way in ways:
                self._ranges(boxes | {j: one.hull((way,), low, high)}, least, warm, slope)
            return
        self.keep(["r", j, b, k])
        below = one.hull(ways, low, (*high[:b], min(high[b], k), *high[b + 1 :]))
        above = one.hull(ways, (*low[:b], max(low[b], k + 1), *low[b + 1 :]), high)
        self._ranges(boxes | {j: below}, least, warm, slope)
        self._ranges(boxes | {j: above}, least, warm, slope)


def _by_question(node: list[Any]) -> list[Any]:
    """Residuals as plain whole numbers."""
    kind, unit, finer, t = node
    return [kind, int(unit), int(finer), [int(x) for x in t]]


MOST_BYTES = 50_000_000
_LEVEL = 6


def certify_solution(solution: Solution, path: str | os.PathLike[str]) -> None:
    """Write the proof of a solution whose columns hold the numbers of answers."""
    slope, offset = Fraction(str(solution.slope)), Fraction(str(solution.offset))
    certify_risk(solution.problem, solution.points, Path(path), slope=slope, offset=offset)


def certify_risk(
    problem: Problem,
    points: Points,
    path: Path,
    *,
    slope: Fraction,
    offset: Fraction,
    table: TableNames | None = None,
    answers: Sequence[AnswerRules] | None = None,
    blend: float | Fraction = 1,
    check_in: Callable[[], None] = lambda: None,
) -> int:
    """Write the proof of a card with these points, slope and offset (by the learned totals); return its leaves.

    `answers` and `table` tell the checker how to read the table that the problem was made from; `blend` is the
    share of its soft labels that a teacher gave. A VerificationError says if a better card exists.
    """
    claim = claim_of(problem, table or TableNames(), answers, blend)
    unit, checker = Fraction(problem.rows.weight_unit), checker_module()
    cards = checker.Cards(
        claim,
        [checker.Asked(one) for one in claim["questions"]],
        answers_of(problem),
        problem.rows.positive.tolist(),
        [int(weight) * unit for weight in problem.rows.weights.tolist()],
    )
    bound = cards.objective(*card_of(points, slope, offset)) - checker.TOLERANCE
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    leaves = 0
    try:
        with unfinished.open("wb") as raw:
            packed = path.suffix == ".gz"
            file: Any = gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) if packed else raw

            def keep(node: list[Any]) -> None:
                nonlocal leaves
                check_in()
                file.write((",\n" if keep_started else "").encode() + _json(node).encode())
                keep_started.append(True)
                leaves += node[0] in ("l", "t", "c")
                if raw.tell() > MOST_BYTES:
                    raise UnsupportedProblemError(
                        f"the proof would be larger than {MOST_BYTES // 10**6} MB",
                        "ask for fewer questions, or leave the certificate out",
                    )

            keep_started: list[bool] = []
            file.write((_json(claim)[:-1] + ',"tree":[\n').encode())
            sets = Sets(np.array(cards.columns, dtype=np.int64), cards.P, cards.W, cards.D, float(cards.N))
            RiskTree(cards, checker.Refused, bound, sets, keep).write()
            file.write(b"]}\n")
            if packed:
                file.close()
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return leaves


def _json(content: object) -> str:
    return json.dumps(content, separators=(",", ":"))
