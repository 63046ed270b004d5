"""One document from all of it: the card, what was proven, how it does, how stable it is, and its limits."""

from supersparse.report.making import Report, make_report, write_report
from supersparse.report.plan import Plan

__all__ = ["Plan", "Report", "make_report", "write_report"]
