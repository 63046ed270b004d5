"""The paper's mixed-integer program (section 3.3): one neutral model, and one file per back end."""
