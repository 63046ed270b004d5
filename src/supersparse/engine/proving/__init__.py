"""The frame of every proof: open parts, who works on them, limits, checkpoints, sizes, pools."""
