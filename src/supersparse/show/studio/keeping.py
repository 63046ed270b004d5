"""Cards that were kept: of runs, as they were saved, and of edits, made again from their steps."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from supersparse.card import file as card_file
from supersparse.card.card import Card
from supersparse.engine.solution import Solution
from supersparse.show.document import ScoringSystem
from supersparse.show.studio.asking import Inquiry, asked_of
from supersparse.show.studio.editing import edited_card
from supersparse.show.studio.showing import card_view, made_card, solution_of
from supersparse.show.studio.worker import Talk


def kept_card(given: Mapping[str, Any]) -> tuple[Inquiry, Solution, Card]:
    """Return the question, the solution and the card of a request."""
    if "changes" in given:
        return edited_card(given)
    asked = asked_of(given)
    solution = solution_of(asked.question.problem, given["model"], given.get("found") or {})
    saved = given.get("card_file")
    if saved is not None and Path(saved).exists():
        return asked, solution, card_file.load(saved)
    return asked, solution, made_card(asked, solution, remembers=True)


def show(given: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    """Return a card as JSON."""
    asked, solution, card = kept_card(given)
    view = card_view(asked, solution, card, given["ids"])
    view["cross_validated"] = given.get("cross_validated")
    return view


def picture(given: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    """Return a card as a drawing."""
    return {"svg": ScoringSystem(kept_card(given)[2]).to_svg()}
