"""The methods of the study, one file each or a few of a kind."""
