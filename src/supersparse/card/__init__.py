"""The scoring system as plain data.

In: items with points, a threshold, classes, risks. Out: scores and classes, exactly; a JSON file; what an
evaluation, an explanation and an export say of it. Needs numpy alone. Read `card`, `rules`, `scoring`,
`file`; then `evaluate`, `explain`, `export`.
"""
