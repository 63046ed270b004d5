"""The TRIPOD+AI checklist: where the report speaks to each item, and what the authors have to add."""

from collections.abc import Sequence

from supersparse.show.report.blocks import NONE, TRIPOD, Paragraph, Section, TableBlock

# Collins GS, et al. BMJ 2024;385:e078378. Numbers and topics are theirs; what the authors have to add to
# this report is in our words.
ITEMS = {
    "1": ("Title", "a title that names development or evaluation, population and outcome"),
    "2": ("Abstract", "a structured abstract, by TRIPOD+AI for Abstracts"),
    "3a": ("Background: context", "healthcare context, diagnostic or prognostic, rationale, other models"),
    "3b": ("Background: purpose", "target population, place in the care pathway, intended users"),
    "3c": ("Background: inequalities", "known health inequalities between sociodemographic groups"),
    "4": ("Objectives", "objectives; development, evaluation or both"),
    "5a": ("Data: sources", "source (trial, cohort, registry, routine care), why, how representative"),
    "5b": ("Data: dates", "start and end of accrual, end of follow-up"),
    "6a": ("Participants: setting", "setting, number and location of centres"),
    "6b": ("Participants: eligibility", "criteria for inclusion and exclusion"),
    "6c": ("Participants: treatments", "treatments received, and how they were handled"),
    "7": ("Data preparation", "cleaning and checks before the table was read; alike in all groups?"),
    "8a": ("Outcome: definition", "definition, time horizon, how and when assessed, why this outcome"),
    "8b": ("Outcome: assessors", "if judgement was needed: who assessed it, with what qualification"),
    "8c": ("Outcome: blinding", "whether assessors were blind to the predictors"),
    "9a": ("Predictors: choice", "how the candidate predictors were chosen before the table was made"),
    "9b": ("Predictors: definition", "how and when each was measured; blinding"),
    "9c": ("Predictors: assessors", "if judgement was needed: who assessed them, with what qualification"),
    "10": ("Sample size", "how the number of participants was arrived at, and whether it is enough"),
    "11": ("Missing data", "why values are missing; rows left out before the table was made"),
    "12a": ("Analysis: use of data", "whether other data were used to choose settings"),
    "12b": ("Analysis: predictors", "changes made to predictors before the table was read"),
    "12c": ("Analysis: model building", "why this type of model; how C0, limits and constraints were chosen"),
    "12d": ("Analysis: clusters", "differences between centres or countries, if the data have several"),
    "12e": ("Analysis: measures", "which measures matter for the decision, and why"),
    "12f": ("Analysis: updating", "any recalibration or revision of the model"),
    "12g": ("Analysis: predictions", "how predictions were made, if not with the card in this report"),
    "13": ("Class imbalance", "why classes were weighted, if they were"),
    "14": ("Fairness", "approaches to fairness, and why; subgroups can be compared with --by"),
    "15": ("Model output", "why this threshold fits the decision"),
    "16": ("Training versus evaluation", "differences in setting, eligibility, outcome and predictors"),
    "17": ("Ethical approval", "ethics committee and consent, or waiver"),
    "18a": ("Funding", "source of funding and role of the funders"),
    "18b": ("Conflicts of interest", "declarations of all authors"),
    "18c": ("Protocol", "where it can be read, or that there is none"),
    "18d": ("Registration", "register and number, or that the study was not registered"),
    "18e": ("Data sharing", "whether and where the data are available"),
    "18f": ("Code sharing", "where the code and the card file are available"),
    "19": ("Patient and public involvement", "involvement in design, conduct and reporting, or none"),
    "20a": ("Results: flow", "flow of participants up to this table; follow-up time"),
    "20b": ("Results: characteristics", "characteristics that are not in the table, by centre and group"),
    "20c": ("Results: comparison", "comparison with development, beyond the items of the card"),
    "21": ("Results: numbers", "participants and events of analyses that are not in this report"),
    "22": ("Model specification", "restrictions on access or re-use"),
    "23a": ("Performance", "which subgroups are key"),
    "23b": ("Performance: clusters", "differences in performance between centres, if examined"),
    "24": ("Model updating", "the updated model and its performance, if there is one"),
    "25": ("Interpretation", "what the results mean, fairness included, beside earlier studies"),
    "26": ("Limitations", "limits of the study that a table does not show"),
    "27a": ("Usability: input", "what to do in practice when a value is missing or doubtful"),
    "27b": ("Usability: users", "who fills in the card, and what they must know"),
    "27c": ("Usability: next steps", "further research; applicability elsewhere"),
}
_DEVELOPMENT_ONLY = frozenset(["9a", "12a", "12b", "12c", "15", "22", "27a", "27b"])
_EVALUATION_ONLY = frozenset(["12f", "12g", "20c", "24"])


def _applies(number: str) -> str:
    return "D" if number in _DEVELOPMENT_ONLY else "E" if number in _EVALUATION_ONLY else "D;E"


def tripod(sections: Sequence[Section]) -> Section:
    """List where each item is covered, as declared by the sections."""
    places: dict[str, list[str]] = {}
    for section in sections:
        for number in section.tripod:
            places.setdefault(number, []).append(section.title)
    rows = tuple(
        (number, topic, _applies(number), "; ".join(places.get(number, [NONE])), authors)
        for number, (topic, authors) in ITEMS.items()
    )
    return Section(
        name="tripod",
        title="TRIPOD+AI checklist",
        tripod=(),
        blocks=(
            Paragraph(
                "A program sees the card and the rows, not how people were selected, treated and followed "
                "up. The authors fill in the last column, also where a section of this report covers part of "
                "the item already. Topics are paraphrased; use the original checklist for a submission: "
                f"{TRIPOD}"
            ),
            TableBlock(
                caption="TRIPOD+AI items, where this report covers them, and what is left to the authors",
                header=("item", "topic", "for", "in this report", "to be filled in by the authors"),
                rows=rows,
                text_columns=5,
                notes=("For: D, development of a model; E, evaluation; D;E, both.",),
            ),
        ),
    )
