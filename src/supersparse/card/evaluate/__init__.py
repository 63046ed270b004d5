"""Evaluation of a card on labelled data: counts, rates, risks, curves, subgroups, drift."""
