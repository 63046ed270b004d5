"""Raw data: one Table and one Column, from frames, arrays, CSV and Parquet; missing values, kinds, roles."""
