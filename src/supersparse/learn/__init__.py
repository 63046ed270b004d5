"""A table becomes a card.

In: training rows, a `Recipe`. Out: a card with what was proven of it and how it does on held-out rows. Read `recipe`,
`prepare`, `fitting`, `validating`, `card_of_solution`; `settings` is the file form of what is asked.
"""
