"""Constraints on a scoring system, one kind a file; `supersparse.constraints` names them all."""
