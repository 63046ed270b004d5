"""Exports: a card as Python, SQL, JavaScript, a spreadsheet, PMML or ONNX."""

from supersparse.card.export.targets import FILES, TARGETS, export

__all__ = ["FILES", "TARGETS", "export"]
