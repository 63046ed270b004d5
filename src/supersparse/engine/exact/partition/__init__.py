"""The partition bound: cost partitioning with balanced sets, for one-hot and binary data."""
