"""Settings: the one carrier of everything that can be asked, and its file form with line numbers."""
