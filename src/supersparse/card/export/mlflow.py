"""A card as a model of MLflow: a folder, zipped, that is served with pandas alone, without supersparse."""

import io
import zipfile

from supersparse.card.card import Card
from supersparse.card.export.python import to_python

_MODEL = """\
flavors:
  python_function:
    code: code
    env:
      virtualenv: python_env.yaml
    loader_module: card_model
"""
_ENVIRONMENT = """\
python: "3.11"
build_dependencies: [pip]
dependencies: [-r requirements.txt]
"""
_LOADER = '''\
"""What MLflow loads: the card as a model that scores data frames."""

import card_module as card
import pandas as pd


class Card:
    """Gives total, class and risk; nothing for a row that the card refuses."""

    def predict(self, model_input, params=None):
        rows = [self._row(row) for row in model_input.to_dict("records")]
        return pd.DataFrame(rows, columns=["total", "class", "risk"], index=model_input.index)

    def _row(self, row):
        person = {name: None if value != value else value for name, value in row.items()}
        try:
            risk = card.risk(person) if hasattr(card, "risk") else None
            return float(card.total(person)), card.predict(person), risk
        except ValueError:
            return None, None, None


def _load_pyfunc(data_path):
    return Card()
'''


def to_mlflow(card: Card) -> bytes:
    """Return a zipped folder `card` that `mlflow.pyfunc.load_model` loads, and `mlflow models serve` serves."""
    files = {
        "MLmodel": _MODEL,
        "requirements.txt": "mlflow\npandas\n",
        "python_env.yaml": _ENVIRONMENT,
        "code/card_model.py": _LOADER,
        "code/card_module.py": to_python(card),
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as folder:
        for name, text in files.items():
            folder.writestr(zipfile.ZipInfo(f"card/{name}"), text)  # without the time, so that equal cards are equal
    return made.getvalue()
