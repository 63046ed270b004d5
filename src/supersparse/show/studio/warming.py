"""Load what every job needs, so that the first card is not kept waiting."""

from typing import Any

from supersparse.show.studio.worker import Talk


def warm(given: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    """Import the modules of a search, and run the kernels of a goal once, if one is named."""
    import supersparse.show.studio.profiling
    import supersparse.show.studio.searching  # noqa: F401
    from supersparse.engine.warm_up import warm_up

    if given["kernels"] is not None:
        warm_up(given["kernels"])
    return {}
