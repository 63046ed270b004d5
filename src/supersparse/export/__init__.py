"""Exports: a card as Python, SQL, JavaScript, a spreadsheet, PMML or ONNX."""

from supersparse.export.targets import TARGETS, export

__all__ = ["TARGETS", "export"]
