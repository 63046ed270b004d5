"""The ground of every wing; it knows no other.

In: nothing. Out: errors, exact numbers, files written whole, and how a declared setting is read. Read
`errors`, then `exact` and `integer_arrays`, then `schema`; the rest are single helpers.
"""
