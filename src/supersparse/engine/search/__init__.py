"""Incumbents: good models found fast, the warm start of every solver."""
