"""The time limit of a whole call, shared by its parts."""

import time
from dataclasses import replace

from supersparse.learn.progress import Clock
from supersparse.learn.recipe import Recipe
from supersparse.learn.settings.settings import Settings

RECIPE = Recipe(settings=Settings(), options={"time_limit": 60.0})


def test_parts_take_shares_of_what_is_left(monkeypatch):
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    clock = Clock.of(RECIPE)
    assert clock.limited(RECIPE, 1 / 3).options["time_limit"] == 20
    now += 5
    assert clock.part(0.5).ends == now + 55 / 2
    now += 50
    assert clock.limited(RECIPE).options["time_limit"] == 5
    now += 10
    assert clock.limited(RECIPE).options["time_limit"] == 0


def test_without_a_limit_nothing_is_shared():
    unlimited = replace(RECIPE, options={"time_limit": None})
    clock = Clock.of(unlimited)
    assert clock.left is None
    assert clock.part(0.5).limited(unlimited) is unlimited
