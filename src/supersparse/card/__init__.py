"""The scoring system as plain data: items with points, threshold, classes; exact scoring; JSON."""
