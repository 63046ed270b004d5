"""Faces of a card: plain text so far."""
