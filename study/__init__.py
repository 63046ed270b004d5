"""The paper's study (sections 5 and 6, appendices C and D): ten methods and more, six datasets."""
