"""Published scores of medicine, written by hand on raw columns.

Each function returns a `ScoringSystem` that predicts, explains, prints and saves itself like a learned
one. They show how to write a score down; they are not for the care of patients. Yes-or-no findings
are columns of true and false (or 1 and 0). Where a score joins two measurements with "or", as
CURB-65 does for the blood pressure, the finding is one column.
"""

from supersparse import ScoringSystem, item
from supersparse.card.rules import Domain


def _yes(column, points, question):
    return item(column, equals=True, points=points, question=question)


def chads2():
    """Stroke in atrial fibrillation; high from 2 points on, the usual limit (some take 3)."""
    return ScoringSystem.of(
        [
            _yes("heart_failure", 1, "Congestive heart failure?"),
            item("hypertension", equals=True, points=1),
            item("age", at_least=75, points=1, unit="years"),
            item("diabetes", equals=True, points=1),
            _yes("stroke", 2, "Stroke or TIA before?"),
        ],
        positive_from=2,
        classes=("not high", "high"),
        title="stroke in atrial fibrillation (CHADS2)",
        source="Gage BF et al. JAMA 2001;285:2864-2870",
    )


def cha2ds2_vasc():
    """Stroke in atrial fibrillation; 2 points and more are a high risk."""
    return ScoringSystem.of(
        [
            _yes("heart_failure", 1, "Congestive heart failure or left ventricular dysfunction?"),
            item("hypertension", equals=True, points=1),
            item("age", at_least=75, points=2, unit="years"),
            item("diabetes", equals=True, points=1),
            _yes("stroke", 2, "Stroke, TIA or thromboembolism before?"),
            item("vascular_disease", equals=True, points=1),
            item("age", at_least=65, below=75, points=1, unit="years"),
            item("sex", equals="F", points=1, question="Female?"),
        ],
        positive_from=2,
        classes=("not high", "high"),
        title="stroke in atrial fibrillation (CHA2DS2-VASc)",
        source="Lip GYH et al. Chest 2010;137:263-272",
        domains={"sex": ["F", "M"]},
        outside="refuse",
    )


def curb65():
    """Death from pneumonia acquired outside hospital; 3 points and more are severe."""
    return ScoringSystem.of(
        [
            item("confusion", equals=True, points=1),
            item("urea", above=7, points=1, unit="mmol/L"),
            item("respiratory_rate", at_least=30, points=1, unit="per minute"),
            _yes("low_blood_pressure", 1, "Systolic below 90 mmHg, or diastolic 60 mmHg or less?"),
            item("age", at_least=65, points=1, unit="years"),
        ],
        positive_from=3,
        classes=("not severe", "severe"),
        title="pneumonia (CURB-65)",
        source="Lim WS et al. Thorax 2003;58:377-382",
    )


def wells_dvt():
    """Deep vein thrombosis, in two classes: likely from 2 points on."""
    return ScoringSystem.of(
        [
            _yes("cancer", 1, "Active cancer (treated within 6 months, or palliative)?"),
            _yes("paralysis", 1, "Paralysis, paresis or recent plaster of a leg?"),
            _yes("bedridden", 1, "Bedridden for 3 days or more, or major surgery within 12 weeks?"),
            _yes("tenderness", 1, "Tenderness along the deep veins?"),
            _yes("leg_swollen", 1, "Entire leg swollen?"),
            item("calf_difference", at_least=3, points=1, unit="cm"),
            _yes("pitting_oedema", 1, "Pitting oedema, only in the symptomatic leg?"),
            _yes("collateral_veins", 1, "Collateral superficial veins, not varicose?"),
            _yes("dvt_before", 1, "Deep vein thrombosis before?"),
            _yes("alternative", -2, "Another diagnosis at least as likely?"),
        ],
        positive_from=2,
        classes=("unlikely", "likely"),
        title="deep vein thrombosis (Wells)",
        source="Wells PS et al. N Engl J Med 2003;349:1227-1235",
    )


def wells_pe():
    """Pulmonary embolism, in two classes: likely above 4 points."""
    return ScoringSystem.of(
        [
            _yes("signs_of_dvt", 3, "Clinical signs of deep vein thrombosis?"),
            _yes("pe_most_likely", 3, "Another diagnosis less likely than pulmonary embolism?"),
            item("heart_rate", above=100, points=1.5, unit="per minute"),
            _yes("immobile", 1.5, "Immobile for 3 days or more, or surgery in the last 4 weeks?"),
            _yes("thrombosis_before", 1.5, "Deep vein thrombosis or pulmonary embolism before?"),
            _yes("haemoptysis", 1, "Haemoptysis?"),
            _yes("cancer", 1, "Cancer (treated within 6 months, or palliative)?"),
        ],
        threshold=4,
        classes=("unlikely", "likely"),
        title="pulmonary embolism (Wells)",
        source="Wells PS et al. Thromb Haemost 2000;83:416-420",
    )


def apgar():
    """The newborn: five signs of 0, 1 or 2 each.

    Reassuring from 7 on is a later reading (American Academy of Pediatrics), not that of the publication.
    """
    signs = ["heart_rate", "breathing", "muscle_tone", "reflexes", "colour"]
    return ScoringSystem.of(
        [item(sign, points=1) for sign in signs],
        threshold=6,
        classes=("not reassuring", "reassuring"),
        title="newborn (Apgar)",
        source="Apgar V. Curr Res Anesth Analg 1953;32:260-267",
        domains={s: Domain(column=s, low=0, high=2, whole=True, outside="refuse") for s in signs},
    )


ALL = (chads2, cha2ds2_vasc, curb65, wells_dvt, wells_pe, apgar)
