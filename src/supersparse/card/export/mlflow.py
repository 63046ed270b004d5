"""A card as a model of MLflow: a folder, zipped, that is served with pandas alone, without supersparse."""

import io
import zipfile
from importlib.resources import files

from supersparse.card.card import Card
from supersparse.card.export.python import to_python


def to_mlflow(card: Card) -> bytes:
    """Return a zipped folder `card` that `mlflow.pyfunc.load_model` loads, and `mlflow models serve` serves."""
    ours = files("supersparse.card.export")
    texts = {
        "MLmodel": ours.joinpath("mlflow_model.yaml").read_text(encoding="utf-8"),
        "requirements.txt": "mlflow\npandas\n",
        "python_env.yaml": ours.joinpath("mlflow_environment.yaml").read_text(encoding="utf-8"),
        "code/card_model.py": ours.joinpath("mlflow_loader.py.txt").read_text(encoding="utf-8"),
        "code/card_module.py": to_python(card),
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as folder:
        for name, text in texts.items():
            folder.writestr(zipfile.ZipInfo(f"card/{name}"), text)  # without the time, so that equal cards are equal
    return made.getvalue()
