"""Drawings as SVG: text stays text, nothing is loaded from elsewhere."""

from html import escape

from supersparse.render.drawing import Box, Drawing, Stroke, Text

_FONTS = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"


def drawing_svg(drawing: Drawing) -> str:
    """Return an SVG file as text, black on white and in points."""
    w, h = _n(drawing.width), _n(drawing.height)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}pt" height="{h}pt" viewBox="0 0 {w} {h}" '
            f'role="img" font-family="{_FONTS}" fill="black">',
            f"<title>{escape(drawing.title)}</title>",
            f'<rect width="{w}" height="{h}" fill="white"/>',
            *map(_part, drawing.parts),
            "</svg>",
            "",
        ]
    )


def _part(part: Text | Stroke | Box) -> str:
    match part:
        case Text():
            return _text(part)
        case Stroke():
            dots = (
                f' stroke-dasharray="0 {_n(3 * part.thickness)}" stroke-linecap="round"'
                if part.dotted
                else ""
            )
            return (
                f'<line x1="{_n(part.x1)}" y1="{_n(part.y1)}" x2="{_n(part.x2)}" y2="{_n(part.y2)}" '
                f'stroke="black" stroke-width="{_n(part.thickness)}"{dots}/>'
            )
        case Box():
            corners = f' rx="{_n(part.radius)}"' if part.radius else ""
            return (
                f'<rect x="{_n(part.x)}" y="{_n(part.y)}" width="{_n(part.width)}" height="{_n(part.height)}"'
                f'{corners} fill="{"#d4d4d4" if part.grey else "white"}" stroke="black" '
                f'stroke-width="{_n(part.thickness)}"/>'
            )


def _text(part: Text) -> str:
    anchor = "" if part.anchor == "start" else f' text-anchor="{part.anchor}"'
    weight = ' font-weight="bold"' if part.bold else ""
    colour = ' fill="#555"' if part.faint else ""
    place = f'x="{_n(part.x)}" y="{_n(part.y)}" font-size="{_n(part.size)}"'
    return f"<text {place}{anchor}{weight}{colour}>{escape(part.text)}</text>"


def _n(value: float) -> str:
    """A length without needless digits."""
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"
