"""The page of the study: tables, figures and the verdict, from records alone."""
