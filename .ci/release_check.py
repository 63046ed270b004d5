"""All of a release that can be tried without uploading; `make release-check` runs it.

Builds the sdist, and from it the wheel of this machine; checks metadata, contents, links and the citation; installs the
wheel into an empty environment where no compiler can be found, runs the demo there, and has the proof of a card
checked. Not tried: wheels of other systems (`make wheels`, and the workflow for Windows), the upload, other versions of
Python.
"""

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LARGEST = 20 * 2**20  # bytes of a file to upload
NEEDED = (
    "supersparse/__init__.py", "supersparse/__init__.pyi", "supersparse/py.typed",
    "supersparse/table/datasets/data/breast_cancer.csv", "supersparse_check.py",
)  # fmt: skip
IN_SDIST = (
    "pyproject.toml",
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "LICENSE",
    "CITATION.cff",
    "native/build_backend.py",
    "native/CMakeLists.txt",
)
STRANGE = re.compile(r"__pycache__|\.pyc$|\.hypothesis|(^|/)(shared|\.venv|\.git|build)/")


def run(*command: object, **how: object) -> str:
    """Run a program; return what it prints, or end with that."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **how)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def say(what: str) -> None:
    """Say what was found right."""
    sys.stdout.write(f"ok  {what}\n")
    sys.stdout.flush()


def demand(problems: list[str]) -> None:
    """End with the problems, if there are any."""
    if problems:
        raise SystemExit("\n".join(f"no  {problem}" for problem in problems))


def environment(folder: Path, *packages: object) -> Path:
    """Make an environment with some packages; return its programs' folder."""
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    if packages:
        run(programs / "python", "-m", "pip", "install", "--quiet", *packages)
    return programs


def versions() -> str:
    """The version, which all files name."""
    places = {
        "src/supersparse/_version.py": r'__version__ = "(.+)"',
        "CITATION.cff": r"(?m)^version: (.+)$",
        "conda/recipe.yaml": r'(?m)^  version: "(.+)"$',
        "CHANGELOG.md": r"(?m)^## \[(\d[^\]]*)\]",
    }
    said = {}
    for place, pattern in places.items():
        match = re.search(pattern, (ROOT / place).read_text(encoding="utf-8"))
        said[place] = None if match is None else match[1]
    demand([f"{place} has version {one}" for place, one in said.items() if one != said["src/supersparse/_version.py"]])
    return str(said["src/supersparse/_version.py"])


def check_wheel(wheel: Path, version: str) -> None:
    """The files of the wheel, and its description, whose links must be absolute and lead to files that are there."""
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        metadata = message_from_bytes(opened.read(f"supersparse-{version}.dist-info/METADATA"))
    problems = [f"the wheel lacks {name}" for name in NEEDED if name not in names]
    problems += [f"the wheel holds {name}" for name in names if STRANGE.search(name)]
    tops = {name.split("/")[0] for name in names}
    expected = {"supersparse", "supersparse_check.py", f"supersparse-{version}.dist-info"}
    problems += [f"the wheel has {name} at its top" for name in sorted(tops - expected)]
    if not any("libsupersparse_core" in name or "supersparse_core" in name for name in names):
        problems.append("the wheel lacks the compiled core")
    if metadata["Version"] != version:
        problems.append(f"the metadata have version {metadata['Version']}")
    source = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]
    own = (f"{source}/blob/v{version}/", f"{source.replace('github.com', 'raw.githubusercontent.com')}/v{version}/")
    links = re.findall(r"\]\(([^)\s]+)\)", str(metadata.get_payload()))
    for link in links:
        if not re.match(r"https?://|#", link):
            problems.append(f"the description has the relative link {link}")
        for base in own:
            path = link.removeprefix(base).partition("#")[0]
            if link.startswith(base) and not (ROOT / path).exists():
                problems.append(f"the description links to {path}, which is not there")
    if not any(link.startswith(own) for link in links):
        problems.append("the description has no link into the repository")
    demand(problems)


def check_sdist(sdist: Path, version: str) -> None:
    """The files of the sdist."""
    with tarfile.open(sdist) as opened:
        names = [name.removeprefix(f"supersparse-{version}/") for name in opened.getnames()]
    demand(
        [f"the sdist lacks {name}" for name in IN_SDIST if name not in names]
        + [f"the sdist holds {name}" for name in names if STRANGE.search(name) or name.endswith(".so")]
    )


def try_empty(wheel: Path, folder: Path) -> None:
    """Install the wheel where no compiler is, away from the sources, and run the demo."""
    programs = environment(folder / "empty")
    bare = {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP", "TMPDIR") if name in os.environ}
    bare |= {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))}
    bare |= {"PATH": str(programs), "HOME": str(folder)}
    run(programs / "python", "-m", "pip", "install", "--quiet", "--only-binary=:all:", wheel, env=bare, cwd=folder)
    here = {"env": bare, "cwd": folder}
    card = run(programs / "supersparse", "demo", "--save-data", "table.csv", **here)
    if "Add up the points" not in card or "Proven" not in card:
        raise SystemExit(f"the demo prints no proven card:\n{card}")
    fit = ("fit", "table.csv", "--target", "diagnosis", "--max-questions", "2", "--no-validate", "--out", "card.json")
    run(programs / "supersparse", *fit, "--certificate", "proof.vipr.gz", **here)
    proof = run(programs / "supersparse-check", "table.csv", "card.json", "proof.vipr.gz", **here)
    demand([] if proof.startswith("PROVEN") else [f"supersparse-check says {proof[:200]}"])
    where = run(programs / "python", "-c", "import supersparse; print(supersparse.__file__)", **here)
    demand([f"the demo ran from {where}"] if str(folder) not in where else [])


def main() -> None:
    """Try all; the first problem ends it with status 1."""
    version = versions()
    say(f"version {version} in every file that names it")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        tools = environment(folder / "tools", "build", "twine>=7")
        run(tools / "python", "-m", "build", "--outdir", folder / "dist", ROOT)
        (sdist,), (wheel,) = (folder / "dist").glob("*.tar.gz"), (folder / "dist").glob("*.whl")
        for file in (sdist, wheel):
            size = file.stat().st_size
            demand([f"{file.name} has {size} bytes"] if size > LARGEST else [])
            say(f"{file.name}, {size / 2**20:.1f} MB")
        run(tools / "twine", "check", "--strict", sdist, wheel)
        say("twine check --strict")
        check_wheel(wheel, version)
        say("contents of the wheel, links of its description")
        check_sdist(sdist, version)
        say("contents of the sdist")
        try_empty(wheel, folder)
        say("an empty environment without a compiler: install, demo, fit, and its proof by supersparse-check")
        citation = environment(folder / "citation", "cffconvert", "setuptools<81")
        run(citation / "cffconvert", "--validate", "--infile", ROOT / "CITATION.cff")
        say("cffconvert --validate")
    sys.stdout.write("Not tried here: other systems' wheels (make wheels, the workflow), the upload, other Pythons.\n")


if __name__ == "__main__":
    main()
