"""Draw which wing imports which, read from the code, and list the wings in architecture.md."""

import ast
import sys
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent
PICTURE = DOCS / "pictures" / "imports.svg"
PAGE = DOCS / "architecture.md"
SOURCE = DOCS.parent / "src" / "supersparse"
BEGIN, END = "<!-- rooms: begin -->", "<!-- rooms: end -->"
WIDTH, ROW, BOX_WIDTH, BOX_HEIGHT, MARGIN = 860, 84, 118, 34, 20
INK, PAPER, LINE = "#1f2937", "#eef2f7", "#64748b"

Graph = Mapping[str, frozenset[str]]


def import_graph() -> Graph:
    """Read from the syntax trees which room imports which; a room is a folder or a file of the package."""
    rooms = {path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in SOURCE.rglob("*.py")}
    graph: dict[str, set[str]] = {room: set() for room in rooms if not room.startswith("_")}
    for path in SOURCE.rglob("*.py"):
        room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if room in graph and isinstance(node, ast.ImportFrom) and node.module:
                parts = node.module.split(".")
                names = [parts[1]] if len(parts) > 1 else [alias.name for alias in node.names]
                if parts[0] == "supersparse":
                    graph[room] |= {name for name in names if name in graph and name != room}
    return {room: frozenset(graph[room]) for room in sorted(graph)}


def room_table(graph: Graph) -> str:
    """List the rooms from the ground up: what each is, and what it imports."""
    height = heights(graph)

    def from_the_ground(rooms: Iterable[str]) -> list[str]:
        return sorted(rooms, key=lambda room: (height[room], room))

    rows = [
        f"| {room} | {purpose(room)} | {', '.join(from_the_ground(graph[room])) or '-'} |"
        for room in from_the_ground(graph)
    ]
    return "\n".join(["| wing | what it is | imports |", "|---|---|---|", *rows]) + "\n"


def purpose(room: str) -> str:
    """Return the first line of a room's docstring."""
    path = SOURCE / room / "__init__.py"
    text = (path if path.exists() else SOURCE / f"{room}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").splitlines()[0].replace("|", "or")


def without_implied(graph: Graph) -> Graph:
    """Leave out an import that another one leads to anyway."""

    def reach(room: str) -> set[str]:
        return {further for below in graph[room] for further in (below, *reach(below))}

    return {
        room: frozenset(b for b in below if not any(b in reach(other) for other in below - {b}))
        for room, below in graph.items()
    }


def heights(graph: Graph) -> dict[str, int]:
    """Return how far each room stands above the ground: one more than the highest it imports."""
    known: dict[str, int] = {}

    def height(room: str) -> int:
        if room not in known:
            known[room] = 1 + max((height(below) for below in sorted(graph[room])), default=-1)
        return known[room]

    for room in graph:
        height(room)
    return known


def routes(arrows: Graph) -> dict[tuple[str, str], list[str]]:
    """Return the stations of each arrow, one a row: the two rooms and, on long arrows, bends between them."""
    height = heights(arrows)
    return {
        (room, below): [room, *(f"{room} {below} {h}" for h in range(height[room] - 1, height[below], -1)), below]
        for room in arrows
        for below in sorted(arrows[room])
    }


def places(arrows: Graph) -> dict[str, tuple[float, float]]:
    """Return the middle of each room and bend: a row for each height, near to its neighbours there."""
    height = heights(arrows)
    stations = routes(arrows).values()
    for station in (s for stops in stations for s in stops[1:-1]):
        height[station] = int(station.rsplit(" ", 1)[1])
    rows = [[s for s in height if height[s] == h] for h in range(max(height.values()) + 1)]
    neighbours: dict[str, list[str]] = {s: [] for s in height}
    for stops in stations:
        for one, other in pairwise(stops):
            neighbours[one].append(other)
            neighbours[other].append(one)
    x = {station: place for row in rows for station, place in _spread(row).items()}
    for _ in range(30):
        for row in rows:
            wish = {s: sum(x[n] for n in neighbours[s]) / max(len(neighbours[s]), 1) for s in row}
            x |= _spread(sorted(row, key=lambda s: (wish[s], s)))
    top = MARGIN + BOX_HEIGHT / 2
    return {s: (x[s], top + ROW * (len(rows) - 1 - height[s])) for s in height}


def _spread(row: list[str]) -> dict[str, float]:
    """Share the width out in this order; a bend needs less than a box."""
    widths = [0.35 if " " in station else 1.0 for station in row]
    unit = WIDTH / sum(widths)
    return {s: unit * (sum(widths[:i]) + widths[i] / 2) for i, s in enumerate(row)}


def picture(graph: Graph) -> str:
    """Write the drawing: arrows from a room to those that it may import, those that follow left out."""
    arrows = without_implied(graph)
    where = places(arrows)
    bottom = max(y for _, y in where.values()) + BOX_HEIGHT / 2 + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom:.0f}" role="img" '
        f'font-family="sans-serif" font-size="14">',
        "<title>Who may import whom</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
        f'orient="auto"><path d="M0 0L8 4L0 8z" fill="{LINE}"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{bottom:.0f}" fill="white"/>',
    ]
    for stops in routes(arrows).values():
        half = BOX_HEIGHT / 2
        line = "".join(
            f"V{where[one][1] + half:.1f}" + _curve(where[one], where[other]) for one, other in pairwise(stops)
        )
        x, y = where[stops[0]]
        parts.append(
            f'<path d="M{x:.1f} {y + half:.1f}{line}" fill="none" stroke="{LINE}" stroke-width="1.3" '
            'marker-end="url(#tip)"/>'
        )
    for room in arrows:
        x, y = where[room]
        parts.append(
            f'<rect x="{x - BOX_WIDTH / 2:.1f}" y="{y - BOX_HEIGHT / 2:.1f}" width="{BOX_WIDTH}" '
            f'height="{BOX_HEIGHT}" rx="6" fill="{PAPER}" stroke="{INK}"/>'
            f'<text x="{x:.1f}" y="{y + 5:.1f}" text-anchor="middle" fill="{INK}">{room}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _curve(start: tuple[float, float], end: tuple[float, float]) -> str:
    """Lead from the lower edge of one row to the upper edge of the next."""
    (x1, y1), (x2, y2) = start, end
    y1, y2 = y1 + BOX_HEIGHT / 2, y2 - BOX_HEIGHT / 2 - 2
    middle = (y1 + y2) / 2
    return f"C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}"


def main(folder: Path = PICTURE.parent) -> None:
    """Write the picture, and the table into its page."""
    graph = import_graph()
    (folder / PICTURE.name).write_text(picture(graph), encoding="utf-8")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{room_table(graph)}{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
