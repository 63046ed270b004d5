"""Checking: run the checkers of a certificate as programs of their own."""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

from supersparse.base.errors import InvalidOptionError, VerificationError
from supersparse.engine.certify.certificate import digest_of

_ACCEPTED = "Successfully verified optimal value range"


def checker_file() -> Path:
    """The file of our checker: one module, which stands beside the package."""
    package = Path(__file__).resolve().parents[2]
    places = (package.parent, package.parents[1] / "checker")
    for place in places:
        if (place / "supersparse_check.py").is_file():
            return place / "supersparse_check.py"
    raise VerificationError(f"supersparse_check.py is not in {places[0]}; install supersparse again")


@cache
def checker_module() -> ModuleType:
    """Our checker as a module, for its way to read tables."""
    spec = importlib.util.spec_from_file_location("supersparse_check", checker_file())
    assert spec is not None
    assert spec.loader is not None
    checker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(checker)
    return checker


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


def check_by_viprchk(program: Path, data: Path, card: Path, proof: Path) -> str:
    """Let viprchk, a third party's checker, check the derivation; return its name for the card.

    viprchk can read neither table nor card, so by itself it accepts a certificate of another claim. It is
    therefore given the certificate's derivation below a program, a value and a solution that are built from
    table and card, by the first part of our checker, which also compares digests.
    """
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "proof.vipr"
        refused = _with_rebuilt_claim(data, card, proof, plain)
        if refused is not None:
            raise VerificationError(f"the certificate is not about this table and card: {refused}")
        try:
            done = subprocess.run([program, plain], capture_output=True, text=True, errors="replace")
        except OSError as error:
            raise InvalidOptionError(f"viprchk: cannot run {program} ({error}); name the program") from None
    if done.returncode or _ACCEPTED not in done.stdout:
        raise VerificationError(f"viprchk does not accept the certificate: {done.stdout.strip()[-200:]}")
    return f"viprchk (sha256 {digest_of(program)[:12]})"


def _with_rebuilt_claim(data: Path, card: Path, proof: Path, out: Path) -> str | None:
    """Write the claim as table and card have it, then the derivation; or return what is wrong."""
    checker = checker_module()
    lines, sha256 = checker.opened(proof)
    with lines, out.open("w", encoding="utf-8") as file:
        try:
            built, best, solution, _ = checker.check_claim(data, card, lines, sha256)
        except Exception as problem:  # whatever goes wrong, it is not the claim
            return str(problem) or repr(problem)
        file.writelines(f"{line}\n" for line in built.text())
        file.write(f"RTP range {best} {best}\nSOL 1\nmodel {checker.sparse(solution)}\n")
        shutil.copyfileobj(lines, file)
    return None
