"""Published scores of medicine, written by hand on raw columns.

Each function returns a `ScoringSystem` that predicts, explains, prints and saves itself like a learned
one. They show how to write a score down; they are not for the care of patients. docs/published-scores.md
lists where each table of points was read. Yes-or-no findings are columns of true and false (or 1 and 0).
Where a score joins two measurements with "or", as CURB-65 does for the blood pressure, the finding is one
column.
"""

from collections.abc import Mapping
from math import exp, log

from supersparse import Domain, Item, ScoringSystem, item


def _yes(column: str, points: float, question: str) -> Item:
    return item(column, equals=True, points=points, question=question)


def _bands(
    column: str, unit: str, points: Mapping[float, int], *, below: int = 0, missing: int | str = "refuse"
) -> list[Item]:
    """Items for the bands of a column: points by the least value of a band, and those below the first."""
    starts = sorted(points)
    bands = [({"below": starts[0]}, below)]
    bands += [
        ({"at_least": start} | ({} if end is None else {"below": end}), points[start])
        for start, end in zip(starts, [*starts[1:], None], strict=True)
    ]
    return [
        item(column, points=given, unit=unit or None, missing=missing, **bounds) for bounds, given in bands if given
    ]


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
        threshold=2,
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
        threshold=2,
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
        threshold=3,
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
        threshold=2,
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
        above=4,
        classes=("unlikely", "likely"),
        title="pulmonary embolism (Wells)",
        source="Wells PS et al. Thromb Haemost 2000;83:416-420",
    )


def timi():
    """Death, infarction or urgent revascularisation within 14 days of unstable angina or NSTEMI.

    High from 3 points on, where early invasive treatment was found to help.
    """
    return ScoringSystem.of(
        [
            item("age", at_least=65, points=1, unit="years"),
            item("risk_factors", at_least=3, points=1, question="Risk factors of coronary disease: 3 or more?"),
            _yes("known_stenosis", 1, "Coronary stenosis of 50 % or more known?"),
            _yes("aspirin", 1, "Aspirin in the last 7 days?"),
            item("anginal_events", at_least=2, points=1, question="Angina in the last 24 hours: 2 or more?"),
            _yes("st_deviation", 1, "ST deviation of 0.5 mm or more?"),
            _yes("cardiac_markers", 1, "Cardiac markers raised?"),
        ],
        threshold=3,
        classes=("not high", "high"),
        title="unstable angina and NSTEMI (TIMI)",
        source="Antman EM et al. JAMA 2000;284:835-842",
        risk={0: 0.047, 1: 0.047, 2: 0.083, 3: 0.132, 4: 0.199, 5: 0.262, 6: 0.409, 7: 0.409},
    )


def sirs():
    """Systemic inflammatory response syndrome: two or more of four findings."""
    return ScoringSystem.of(
        [
            item("temperature", above=38, points=1, unit="°C"),
            item("temperature", below=36, points=1, unit="°C"),
            item("heart_rate", above=90, points=1, unit="per minute"),
            _yes("fast_breathing", 1, "More than 20 breaths a minute, or PaCO2 below 32 mmHg?"),
            _yes("white_cells", 1, "White cells above 12 or below 4 x 10^9/l, or over 10 % immature?"),
        ],
        threshold=2,
        classes=("absent", "present"),
        title="systemic inflammatory response syndrome (SIRS)",
        source="Bone RC et al. Chest 1992;101:1644-1655",
    )


def ranson():
    """Acute pancreatitis that gallstones did not cause; 3 signs and more are severe."""
    return ScoringSystem.of(
        [
            item("age", above=55, points=1, unit="years"),
            item("white_cells", above=16, points=1, unit="x 10^9/l"),
            item("glucose", above=200, points=1, unit="mg/dl"),
            item("LDH", above=350, points=1, unit="IU/l"),
            item("AST", above=250, points=1, unit="IU/l"),
            item("haematocrit_fall", above=10, points=1, unit="%"),
            item("BUN_rise", above=5, points=1, unit="mg/dl"),
            item("calcium", below=8, points=1, unit="mg/dl"),
            item("PaO2", below=60, points=1, unit="mmHg"),
            item("base_deficit", above=4, points=1, unit="mEq/l"),
            item("fluid_sequestration", above=6, points=1, unit="l"),
        ],
        threshold=3,
        classes=("not severe", "severe"),
        title="acute pancreatitis (Ranson)",
        source="Ranson JHC et al. Surg Gynecol Obstet 1974;139:69-81",
    )


def light():
    """Pleural effusion: an exudate if at least one of three findings is there."""
    return ScoringSystem.of(
        [
            item("protein_ratio", above=0.5, points=1, question="Protein, pleural / serum: above 0.5?"),
            item("ldh_ratio", above=0.6, points=1, question="LDH, pleural / serum: above 0.6?"),
            _yes("ldh_high", 1, "Pleural LDH above two thirds of the upper limit of normal in serum?"),
        ],
        threshold=1,
        classes=("transudate", "exudate"),
        title="pleural effusion (Light)",
        source="Light RW et al. Ann Intern Med 1972;77:507-513",
    )


def _saps2_mortality(total: int) -> float:
    odds = exp(-7.7631 + 0.0737 * total + 0.9971 * log(total + 1))
    return odds / (1 + odds)


def saps2():
    """Death in hospital after intensive care; the published equation passes one half at 52 points.

    The worst value of the first 24 hours counts. `PaO2_FiO2` is left blank without ventilation or CPAP.
    """
    admission = ("scheduled surgery", "medical", "unscheduled surgery")
    chronic = ("none", "metastatic cancer", "haematological malignancy", "AIDS")
    return ScoringSystem.of(
        [
            *_bands("age", "years", {40: 7, 60: 12, 70: 15, 75: 16, 80: 18}),
            *_bands("heart_rate", "per minute", {40: 2, 70: 0, 120: 4, 160: 7}, below=11),
            *_bands("systolic_pressure", "mmHg", {70: 5, 100: 0, 200: 2}, below=13),
            *_bands("temperature", "°C", {39: 3}),
            *_bands("PaO2_FiO2", "mmHg", {100: 9, 200: 6}, below=11, missing=0),
            *_bands("urine", "l/day", {0.5: 4, 1: 0}, below=11),
            *_bands("urea", "mmol/l", {10: 6, 30: 10}),
            *_bands("white_cells", "x 10^9/l", {1: 0, 20: 3}, below=12),
            *_bands("potassium", "mmol/l", {3: 0, 5: 3}, below=3),
            *_bands("sodium", "mmol/l", {125: 0, 145: 1}, below=5),
            *_bands("bicarbonate", "mmol/l", {15: 3, 20: 0}, below=6),
            *_bands("bilirubin", "µmol/l", {68.4: 4, 102.6: 9}),
            *_bands("glasgow", "", {6: 13, 9: 7, 11: 5, 14: 0}, below=26),
            *(
                item("chronic_disease", equals=name, points=points)
                for name, points in zip(chronic[1:], (9, 10, 17), strict=True)
            ),
            *(
                item("admission", equals=name, points=points)
                for name, points in zip(admission[1:], (6, 8), strict=True)
            ),
        ],
        threshold=52,
        classes=("survives", "dies"),
        title="intensive care (SAPS II)",
        source="Le Gall JR et al. JAMA 1993;270:2957-2963",
        domains={"admission": admission, "chronic_disease": chronic, "glasgow": _GLASGOW},
        outside="refuse",
        risk={total: _saps2_mortality(total) for total in range(164)},
    )


_GLASGOW = Domain(column="glasgow", low=3, high=15, whole=True, outside="refuse")


def apache2():
    """Severity of illness in intensive care.

    The publication has no limit; from 8 points on, acute pancreatitis is called severe. The worst value of
    the first 24 hours counts. Oxygenation is the alveolar-arterial gradient (`AaDO2`) if at least half of
    the gas breathed is oxygen, and otherwise the arterial pressure (`PaO2`); the other is left blank. In
    acute renal failure the points of creatinine count twice.
    """
    organs = ("no", "elective operation", "no operation or an emergency one")
    return ScoringSystem.of(
        [
            *_bands("temperature", "°C", {30: 3, 32: 2, 34: 1, 36: 0, 38.5: 1, 39: 3, 41: 4}, below=4),
            *_bands("mean_pressure", "mmHg", {50: 2, 70: 0, 110: 2, 130: 3, 160: 4}, below=4),
            *_bands("heart_rate", "per minute", {40: 3, 55: 2, 70: 0, 110: 2, 140: 3, 180: 4}, below=4),
            *_bands("respiratory_rate", "per minute", {6: 2, 10: 1, 12: 0, 25: 1, 35: 3, 50: 4}, below=4),
            *_bands("AaDO2", "mmHg", {200: 2, 350: 3, 500: 4}, missing=0),
            item("PaO2", above=60, at_most=70, points=1, unit="mmHg", missing=0),
            item("PaO2", at_least=55, at_most=60, points=3, unit="mmHg", missing=0),
            item("PaO2", below=55, points=4, unit="mmHg", missing=0),
            *_bands("arterial_pH", "", {7.15: 3, 7.25: 2, 7.33: 0, 7.5: 1, 7.6: 3, 7.7: 4}, below=4),
            *_bands("sodium", "mmol/l", {111: 3, 120: 2, 130: 0, 150: 1, 155: 2, 160: 3, 180: 4}, below=4),
            *_bands("potassium", "mmol/l", {2.5: 2, 3: 1, 3.5: 0, 5.5: 1, 6: 3, 7: 4}, below=4),
            *_bands("creatinine", "mg/dl", {0.6: 0, 1.5: 2, 2: 3, 3.5: 4}, below=2),
            *_bands("creatinine_in_acute_failure", "mg/dl", {1.5: 2, 2: 3, 3.5: 4}, missing=0),
            *_bands("haematocrit", "%", {20: 2, 30: 0, 46: 1, 50: 2, 60: 4}, below=4),
            *_bands("white_cells", "x 10^9/l", {1: 2, 3: 0, 15: 1, 20: 2, 40: 4}, below=4),
            *_bands("glasgow", "", {score: 15 - score for score in range(4, 16)}, below=12),
            *_bands("age", "years", {45: 2, 55: 3, 65: 5, 75: 6}),
            *(
                item("organ_insufficiency", equals=name, points=points)
                for name, points in zip(organs[1:], (2, 5), strict=True)
            ),
        ],
        threshold=8,
        classes=("not severe", "severe"),
        title="intensive care (APACHE II)",
        source="Knaus WA et al. Crit Care Med 1985;13:818-829",
        domains={"organ_insufficiency": organs, "glasgow": _GLASGOW},
        outside="refuse",
    )


def apgar():
    """The newborn: five signs of 0, 1 or 2 each.

    Reassuring from 7 on is a later reading (American Academy of Pediatrics), not that of the publication.
    """
    signs = ["heart_rate", "breathing", "muscle_tone", "reflexes", "colour"]
    return ScoringSystem.of(
        [item(sign, points=1) for sign in signs],
        above=6,
        classes=("not reassuring", "reassuring"),
        title="newborn (Apgar)",
        source="Apgar V. Curr Res Anesth Analg 1953;32:260-267",
        domains={s: Domain(column=s, low=0, high=2, whole=True, outside="refuse") for s in signs},
    )


ALL = (chads2, cha2ds2_vasc, curb65, wells_dvt, wells_pe, timi, sirs, ranson, light, saps2, apache2, apgar)
