"""Forms: how one kind of value is read from a tree, written back, and described."""
