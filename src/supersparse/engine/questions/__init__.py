"""Cards of questions: what may be asked (``problem``), and the search that proves the best (``search``)."""
