"""Raw tables as hospitals and banks export them, with realistic faults and a known effect."""

import random
from pathlib import Path


def _risk_to_outcome(chance, points):
    return chance.random() < 1 / (1 + 2.718281828**-points)


def german_export(path: Path, n_rows: int = 240, seed: int = 1) -> Path:
    """Semicolons, decimal commas, thousands points, cp1252, ja/Ja/JA, -99, dd.mm.yyyy, < 5,0."""
    chance = random.Random(seed)
    lines = ["Fallnummer;Aufnahme;Alter;Größe;Kosten;CRP;Raucher;Geschlecht;verstorben"]
    for row in range(n_rows):
        age, crp = chance.randint(30, 95), round(chance.uniform(0, 90), 1)
        smoker = chance.random() < 0.4
        died = _risk_to_outcome(chance, (age - 68) / 6 + (2 if smoker else -1) + (crp - 45) / 30)
        height = f"{chance.uniform(1.5, 1.98):.2f}".replace(".", ",")
        cost = f"{chance.uniform(300, 9000):,.2f}".translate(str.maketrans(",.", ".,"))
        lines.append(
            ";".join(
                [
                    str(40001 + row),
                    f"{chance.randint(1, 28):02}.{chance.randint(1, 12):02}.2023",
                    "-99" if row % 17 == 3 else str(age),
                    "" if row % 31 == 5 else height,
                    cost,
                    "< 5,0" if crp < 5 else str(crp).replace(".", ","),
                    chance.choice(["ja", "ja", "ja", "Ja", "JA "] if smoker else ["nein", "nein", "Nein"]),
                    chance.choice(["männlich", "weiblich", "Weiblich"]),
                    ("Ja" if row % 9 == 0 else "ja") if died else "nein",
                ]
            )
        )
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode("cp1252"))
    return path


def us_export(path: Path, n_rows: int = 240, seed: int = 2) -> Path:
    """Thousands commas in quotes, mm/dd/yyyy, <0.01, 999, n/a, blanks, Yes/YES/yes."""
    chance = random.Random(seed)
    lines = ["MRN,Admit Date,Age,Charges,Troponin,Prior MI,Heart Rate,Readmitted"]
    for row in range(n_rows):
        age, troponin = chance.randint(25, 90), chance.uniform(0, 0.09)
        prior = chance.random() < 0.35
        again = _risk_to_outcome(chance, (troponin - 0.04) * 60 + (1.5 if prior else -1) + (age - 58) / 15)
        rate = "999" if row % 19 == 4 else "n/a" if row % 23 == 7 else str(chance.randint(50, 140))
        lines.append(
            ",".join(
                [
                    str(700001 + 3 * row),
                    f"{chance.randint(1, 12):02}/{chance.randint(1, 28):02}/2024",
                    str(age),
                    f'"{chance.uniform(500, 90000):,.0f}"',
                    "<0.01" if troponin < 0.01 else f"{troponin:.3f}",
                    "" if row % 29 == 6 else chance.choice(["Yes", "Yes", "YES"] if prior else ["No", "no "]),
                    rate,
                    "Yes" if again else "No",
                ]
            )
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def registry(path: Path, n_patients: int = 80, seed: int = 3) -> Path:
    """Several visits of each patient, tabs, dates that could be of either order, 9 for unknown."""
    chance = random.Random(seed)
    lines = ["patient_id\tvisit\tdate\tage\tbmi\tdiabetes\tstage\trelapse"]
    for patient in range(n_patients):
        age, bmi = chance.randint(40, 85), round(chance.uniform(18, 42), 1)
        diabetes, stage = chance.random() < 0.3, chance.choice(["I", "II", "III", "iii"])
        for visit in range(1, chance.randint(2, 4) + 1):
            relapse = _risk_to_outcome(chance, (bmi - 30) / 3 + (1.5 if diabetes else -1) + stage.count("I") - 2)
            lines.append(
                "\t".join(
                    [
                        f"P{patient:04}",
                        str(visit),
                        f"{chance.randint(1, 12):02}/{chance.randint(1, 12):02}/2021",
                        str(age),
                        "999" if chance.random() < 0.05 else str(bmi),
                        "9" if chance.random() < 0.05 else str(int(diabetes)),
                        stage,
                        str(int(relapse)),
                    ]
                )
            )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
