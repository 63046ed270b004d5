"""Exports see the raw table, so they know every spelling that was read as one category."""

import json

from supersparse import ScoringSystem, item
from supersparse.card.file import from_json
from supersparse.data.reading import ColumnReading, Reading


def test_an_export_treats_variants_as_the_card_does():
    system = ScoringSystem.of([item("smoker", equals="ja", points=2)], threshold=1)
    content = json.loads(system.to_json())
    content.pop("digest")  # of the content before the change
    content["reading"] = Reading(
        columns={"smoker": ColumnReading(spellings={"Ja": "ja", "Nein": "nein"})}
    ).as_data()
    learned = ScoringSystem(from_json(json.dumps(content)))
    module: dict = {}
    exec(learned.export("python"), module)
    assert [module["predict"]({"smoker": s}) for s in ("ja", "Ja", "nein", "Nein")] == [
        "yes",
        "yes",
        "no",
        "no",
    ]
    assert "'ja', 'Ja'" in learned.export("sql")
    assert str(learned) == str(system)
    plain: dict = {}
    exec(system.export("python"), plain)
    assert plain["predict"]({"smoker": "Ja"}) == "no"
