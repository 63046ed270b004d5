"""Whether the kernels have been compiled on this machine before."""

from pathlib import Path

from supersparse.solving.kernels.boxes import run_boxes


def compiled_before() -> bool:
    """Whether numba's cache holds the largest kernel; True where numba does not tell."""
    folder = getattr(getattr(run_boxes, "_cache", None), "cache_path", None)
    return folder is None or any(Path(folder).glob("boxes.run_boxes*.nbi"))
