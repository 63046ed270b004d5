"""Exporting: a scoring system as code or as a file for other programs, each loaded when used."""

from pathlib import Path

from supersparse.card.card import Card


class Exporting:
    """The part of `ScoringSystem` that leaves Python."""

    __slots__ = ()

    card: Card

    def export(self, target: str, path: str | Path | None = None, **options: object) -> str | bytes:
        """Return the card for another program, and write it to `path` if one is given.

        Targets: "python", "sql", "javascript" and "pmml" give text, "xlsx" and "onnx" bytes. The options
        are those of `to_sql`, `to_xlsx` and so on in `supersparse.export`. A card that a target
        cannot express is refused with `UnsupportedCardError`, which names the item or column.

        >>> from supersparse import ScoringSystem, item
        >>> system = ScoringSystem.of([item("age", at_least=65, points=1)], threshold=0)
        >>> namespace = {}
        >>> exec(system.export("python"), namespace)
        >>> namespace["predict"]({"age": 70})
        'yes'
        """
        from supersparse.export import export

        return export(self.card, target, path, **options)

    def calculator(self, path: str | Path | None = None) -> str:
        """Return a page that scores one person in a browser, in one file without network access.

        It shows points, total and class, and the risk where the card has risks; see `save` for other pages.
        """
        from supersparse.render.calculator import calculator

        page = calculator(self.card)
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page
