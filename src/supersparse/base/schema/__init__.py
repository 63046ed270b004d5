"""Strict reading of YAML and JSON with line numbers: trees, and forms of single values."""
