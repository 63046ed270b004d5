"""The command line: parse, call, show; app.py holds the commands together."""
