"""Raw tables as columns with roles.

In: a CSV, Excel, Parquet or statistics file, a data frame, an array. Out: one `Table` of columns, each of
one kind, with what was settled about missing values and spellings. Read `files`, `table`, `roles`,
`tidying`; `datasets` holds the paper's tables.
"""
