"""All that people see.

In: cards, solutions, what folds said. Out: printed cards, pictures and plots (`document`), the `report`,
the command line (`cli`), the studio in a browser, and the scikit-learn classifiers (`estimators`).
"""
