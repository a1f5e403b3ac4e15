"""Tables in text files, Parquet and arrays: their layout, their columns, and what the columns are."""
