"""The applications are scripts of the checkout, which find their shared module beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "applications"))
