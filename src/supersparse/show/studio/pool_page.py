"""Browsing a pool of almost equally good cards: filters and pages, from what its run kept."""

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import QueryParams

from supersparse.show.studio.texts import refused, wrong

_MOST = 200  # cards of one page


def filtered(result: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the cards of a pool that fit: of models with the same predictions, the first version that does.

    `wanted` may have ``without`` (questions), ``monotone``, ``cheaper_than`` and ``at_most`` (questions).
    """
    costs = result["costs"]
    found = []
    for k, model in enumerate(result["models"]):
        for v, version in enumerate(model["versions"]):
            cost = cost_of(version, costs)
            if any(name in version["model"]["points"] for name in wanted.get("without", ())):
                continue
            if wanted.get("monotone") and not version["monotone"]:
                continue
            if wanted.get("cheaper_than") is not None and not cost < wanted["cheaper_than"]:
                continue
            if wanted.get("at_most") is not None and version["size"] > wanted["at_most"]:
                continue
            found.append((f"m{k}" if v == 0 else f"m{k}v{v}", {**version, "cost": cost}))
            break
    return found


def cost_of(version: Mapping[str, Any], costs: Mapping[str, float] | None) -> float:
    """What the questions of a card cost together; without costs, the sum of its points."""
    if costs is None:
        return float(version["l1"])
    return sum(costs.get(name, 0.0) for name in version["model"]["points"])


def pool_page(
    run_id: str, run: Mapping[str, Any], result: Mapping[str, Any] | None, query: QueryParams
) -> dict[str, Any]:
    if run["kind"] != "pool":
        raise refused("missing", "no_pool", thing="run", value=run_id)
    if result is None:
        return {
            "total": 0, "count": 0, "complete": False, "within": run["given"]["within"], "left_out": 0,
            "always": [], "never": [], "questions": [], "texts": {}, "cards": [],
            "has_costs": False, "goal": run["goal"],
        }  # fmt: skip
    found = filtered(
        result,
        {
            "without": query.getlist("without"),
            "monotone": query.get("monotone") == "1",
            "cheaper_than": _number(query, "cheaper_than"),
            "at_most": _number(query, "at_most"),
        },
    )
    first = int(_number(query, "from") or 0)
    count = min(_MOST, int(_number(query, "count") or 50))
    names = ("errors", "error", "log_loss", "size", "objective", "sensitivity", "specificity", "l1", "monotone")
    return {
        **{name: result[name] for name in ("complete", "within", "left_out", "always", "never", "questions")},
        "texts": result.get("texts", {}),
        "goal": result["goal"],
        "has_costs": result["costs"] is not None,
        "total": len(result["models"]),
        "count": len(found),
        "cards": [
            {
                "card": f"{run_id}.{which}",
                **{name: version[name] for name in names},
                "cost": version["cost"] if result["costs"] is not None else None,
                "points": version["model"]["points"],
            }
            for which, version in found[first : first + count]
        ],
    }


def _number(query: QueryParams, name: str) -> float | None:
    given = query.get(name)
    if given is None or given == "":
        return None
    try:
        value = float(given)
    except ValueError:
        value = float("nan")
    if not 0 <= value < 1e12:
        raise wrong(name, given, "number")
    return value
