"""The problem: data, settings and limits, frozen and exact.

In: rows, sets of points, penalties, constraints. Out: a `Problem`, and the one exact evaluator of its objective. Read
`asked`, `problem`, `objective`, `log_loss`; `constraints` has one kind a file, `theory` the paper's bounds.
"""
