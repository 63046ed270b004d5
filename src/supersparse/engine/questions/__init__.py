"""Cards of questions: the search that proves the best (``search``), and the solver that asks for it (``solver``)."""
