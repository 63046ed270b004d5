"""The sections of a report: the evidence in words, one topic per file."""
