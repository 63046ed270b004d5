"""Questions over many solves: frontier, C0 path, pool, what-if edits, trade-off, choosing penalties."""
