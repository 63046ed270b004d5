"""Names beside points: none on another name or on a point, each as near to its own as there is room."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A place in a panel whose sides are 1, and what it is called."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Label:
    """The left end and the middle of a name's line, and its width."""

    x: float
    y: float
    width: float

    def covers(self, x: float, y: float, height: float) -> bool:
        """Whether a point lies on the name."""
        return self.x <= x <= self.x + self.width and abs(self.y - y) < height / 2

    def overlaps(self, other: "Label", height: float) -> bool:
        """Whether two names lie on each other."""
        apart = self.x + self.width <= other.x or other.x + other.width <= self.x
        return not apart and abs(self.y - other.y) < height * 0.999


def place_names(points: Sequence[Point], letter: float, height: float, gap: float) -> list[Label]:
    """Place one name a point, in their order: where there is no room at all, names go above the panel.

    `letter` and `height` are the width of a letter and the height of a line, `gap` is the room between
    a point and its name.
    """
    placed: list[Label] = []
    for point in points:
        width = letter * len(point.name)
        for label in _candidates(point, width, height, gap):
            free = not any(label.overlaps(other, height) for other in placed)
            if free and not any(label.covers(p.x, p.y, height) for p in points):
                placed.append(label)
                break
    return placed


def _candidates(point: Point, width: float, height: float, gap: float) -> Iterator[Label]:
    """Right and left, over and under the point, further and further away; at last above everything.

    Never level with it: there the line of a frontier may leave the point.
    """
    step = height / 4
    sides = [x for x in (point.x + gap, point.x - gap - width) if 0 <= x <= 1 - width]
    for k in range(round(1 / step)):
        away = height * 0.55 + k * step
        for y in (point.y + away, point.y - away):
            if height / 2 <= y <= 1 - height / 2:
                yield from (Label(x, y, width) for x in sides)
    k = 0
    while True:
        yield Label(point.x + gap, 1 + k * height, width)
        k += 1
