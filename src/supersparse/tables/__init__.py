"""Files as tables of raw columns: CSV, TSV and Parquet, each column read as numbers, true/false or text."""
