"""The compiled core, and the engine of questions over it, which problems do not reach yet."""
