"""The TRIPOD checklist (2015): where each item is answered, and what only the authors can add."""

from collections.abc import Sequence

from supersparse.report.blocks import Paragraph, Section, Table

_BY_AUTHORS = "to be added by the authors"

# Collins GS, Reitsma JB, Altman DG, Moons KGM. Ann Intern Med 2015;162:55-63; wordings shortened.
ITEMS = {
    "1": "title",
    "2": "abstract",
    "3a": "background and existing models",
    "3b": "objectives",
    "4a": "study design or source of data",
    "4b": "study dates",
    "5a": "setting, number and location of centres",
    "5b": "eligibility of participants",
    "5c": "treatments received",
    "6a": "outcome, how and when assessed",
    "6b": "blinding of the outcome's assessment",
    "7a": "predictors, how and when measured",
    "7b": "blinding of the predictors' assessment",
    "8": "study size",
    "9": "missing data",
    "10a": "handling of predictors",
    "10b": "type of model, building, internal validation",
    "10c": "for validation: how predictions were calculated",
    "10d": "measures of performance",
    "10e": "model updating",
    "11": "risk groups",
    "12": "development against validation: differences",
    "13a": "flow of participants",
    "13b": "characteristics of participants",
    "13c": "for validation: comparison with development data",
    "14a": "number of participants and events",
    "14b": "unadjusted associations",
    "15a": "full model",
    "15b": "how to use the model",
    "16": "performance with intervals",
    "17": "model updating: results",
    "18": "limitations",
    "19a": "for validation: results against development",
    "19b": "interpretation",
    "20": "clinical use and implications",
    "21": "supplementary information",
    "22": "funding",
}


def checklist(sections: Sequence[Section]) -> Section:
    """Say of every item where it is answered, from what the sections themselves say."""
    places: dict[str, list[str]] = {}
    for section in sections:
        for item in section.tripod:
            places.setdefault(item, []).append(section.title)
    rows = tuple(
        (item, words, "; ".join(places[item]) if item in places else _BY_AUTHORS)
        for item, words in ITEMS.items()
    )
    return Section(
        name="tripod",
        title="TRIPOD checklist",
        tripod=(),
        blocks=(
            Paragraph(
                "A program sees the card and the rows. How people were chosen, treated and followed it "
                "cannot see; an item that is named here may need more from the authors, too."
            ),
            Table(
                caption="Items of TRIPOD (2015) and where this report speaks of them",
                header=("item", "what it asks", "where"),
                rows=rows,
                text_columns=3,
            ),
        ),
    )
