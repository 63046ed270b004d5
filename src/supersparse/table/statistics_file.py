"""Files of SAS, SPSS and Stata, through pyreadstat; what the file declares as missing is missing."""

from collections.abc import Callable
from pathlib import Path

from supersparse.base.errors import InvalidDataError, PackageNotInstalledError
from supersparse.table.collecting import CollectedFile
from supersparse.table.reading import Reading
from supersparse.table.workbook import collected_rows

_READERS = {
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
}


def is_statistics_file(path: Path) -> bool:
    """Whether the name says that a file comes from SAS, SPSS or Stata."""
    return path.suffix.lower() in _READERS


def read_statistics_file(
    path: Path, reading: Reading, wanted: Callable[[str], bool], texts: Callable[[str], bool]
) -> CollectedFile:
    """Read a file; numbers with labels stay numbers."""
    try:
        import pyreadstat
        from pyreadstat._readstat_parser import PyreadstatError, ReadstatError  # 1.3.0 exports one of them
    except ImportError:
        raise PackageNotInstalledError(
            f"reading {path} needs pyreadstat: pip install pyreadstat; or save the table as CSV"
        ) from None
    read = getattr(pyreadstat, _READERS[path.suffix.lower()])
    options = {} if reading.encoding is None else {"encoding": reading.encoding}
    try:
        columns, _ = read(str(path), output_format="dict", **options)
    except (ReadstatError, PyreadstatError) as error:
        raise InvalidDataError(f"{path} is not a readable {path.suffix} file: {error}") from None
    rows = list(zip(*columns.values(), strict=True))
    return collected_rows(
        str(path), list(columns), rows, range(1, len(rows) + 1), reading, wanted, texts, (), {}
    )
