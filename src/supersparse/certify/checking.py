"""Checking: run the checkers of a certificate as programs of their own."""

import gzip
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from supersparse.certify.certificate import digest_of
from supersparse.errors import InvalidOptionError, VerificationError

_ACCEPTED = "Successfully verified optimal value range"


def checker_file() -> Path:
    """The file of our checker: one module, which stands beside the package."""
    package = Path(__file__).resolve().parents[1]
    places = (package.parent, package.parents[1] / "checker")
    for place in places:
        if (place / "supersparse_check.py").is_file():
            return place / "supersparse_check.py"
    raise VerificationError(f"supersparse_check.py is not in {places[0]}; install supersparse again")


def check(data: Path, card: Path, proof: Path) -> str:
    """Run our checker in plain Python, without any package; return its name for the card.

    It raises a VerificationError with the checker's own words if it does not accept the three files.
    """
    file = checker_file()
    command = [sys.executable, "-I", "-S", str(file), str(data), str(card), str(proof)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace")
    if done.returncode or not done.stdout.startswith("PROVEN"):
        words = (done.stdout or done.stderr).strip() or "it said nothing"
        raise VerificationError(f"supersparse-check does not accept the certificate: {words}")
    return f"supersparse-check (sha256 {digest_of(file)[:12]})"


def check_by_viprchk(program: Path, proof: Path) -> str:
    """Run viprchk, a third party's checker, on the certificate alone; return its name for the card."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "proof.vipr"
        with (
            gzip.open(proof) if proof.suffix == ".gz" else proof.open("rb") as packed,
            plain.open("wb") as out,
        ):
            shutil.copyfileobj(packed, out)
        try:
            done = subprocess.run([program, plain], capture_output=True, text=True, errors="replace")
        except OSError as error:
            raise InvalidOptionError(f"viprchk: cannot run {program} ({error}); name the program") from None
    if done.returncode or _ACCEPTED not in done.stdout:
        raise VerificationError(f"viprchk does not accept the certificate: {done.stdout.strip()[-200:]}")
    return f"viprchk (sha256 {digest_of(program)[:12]})"
