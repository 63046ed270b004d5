"""Faces of cards and results: text, Markdown, HTML, LaTeX, pictures, a sheet to print, a tree, plots."""
