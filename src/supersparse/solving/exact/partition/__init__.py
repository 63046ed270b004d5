"""The second bound: cost partitioning over groups of columns with balanced sets, for one-hot and binary data."""
