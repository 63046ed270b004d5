"""Load the kernels that write certificates, or compile them on first use, before a proof waits for them."""

import logging
import tempfile
import threading
from pathlib import Path

from supersparse.engine import registry
from supersparse.engine.answering import answer
from supersparse.engine.certify.certificate import certify
from supersparse.engine.compiling import in_cache
from supersparse.engine.kernels.bound_proofs import close_by, write_dropped
from supersparse.engine.kernels.box_proofs import prove_boxes
from supersparse.engine.options import SolveOptions
from supersparse.engine.warm_up import tiny_problems

_lock = threading.Lock()
_ready = threading.Event()


# those that Python calls: numba keeps only these, with all that they call
_KEPT = (
    (close_by, "bound_proofs.close_by*.nbi"),
    (write_dropped, "bound_proofs.write_dropped*.nbi"),
    (prove_boxes, "box_proofs.prove_boxes*.nbi"),
)


def warm_up() -> None:
    """Certify tiny problems once in a process; later calls do nothing."""
    with _lock:
        if _ready.is_set():
            return
        if not _compiled_before():
            logging.getLogger("supersparse").warning(
                "compiling what writes certificates for this machine: once only, 20 to 60 seconds"
            )
        for problem in tiny_problems():
            points = answer(problem, registry.get("exact"), SolveOptions()).points
            with tempfile.TemporaryDirectory() as folder:
                certify(problem, points, Path(folder) / "proof.vipr.gz")
        _ready.set()


def _compiled_before() -> bool:
    return all(in_cache(kernel, pattern) for kernel, pattern in _KEPT)
