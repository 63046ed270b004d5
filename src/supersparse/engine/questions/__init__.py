"""Cards of questions: what may be asked (``problem``), and the search of the compiled core that proves it (``search``)."""
