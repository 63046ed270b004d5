"""Results of many solves: frontier, path, pool, edit and trade-off."""
