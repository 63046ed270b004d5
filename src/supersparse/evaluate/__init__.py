"""How well a card does on rows with known classes: counts, rates, risks, curves, subgroups, drift."""
