"""The sections of a report: evidence in words, one question a file."""
