"""What the records say: chosen settings, means, frontiers, and the paper's own figures beside them."""
