"""The report: the card, its proof, performance, stability and limits in one document."""

from supersparse.show.report.making import Report, make_report, write_report
from supersparse.show.report.plan import Plan

__all__ = ["Plan", "Report", "make_report", "write_report"]
