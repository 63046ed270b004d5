"""The report: the card, its proof, performance, stability and limits in one document."""

from supersparse.show.report.plan import Plan
from supersparse.show.report.report import Report, make_report, write_report

__all__ = ["Plan", "Report", "make_report", "write_report"]
