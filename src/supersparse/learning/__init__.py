"""Learning: a recipe turns a table into a card; refit, cross-validate, choose, calibrate."""
