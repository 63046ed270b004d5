"""Notices about a table, as questions with answers that can be chosen by one click.

An answer does something to the choices about the table: it sets a value, or adds it to or removes it from a
list (see `supersparse.show.studio.choices.done`).
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from supersparse.show.studio.texts import text as _text
from supersparse.table.cells import limit_of, plain_number, possible_signs
from supersparse.table.roles import HOLDS_DATES, repeats, why_no_feature
from supersparse.table.table import Column, Kind, Table
from supersparse.table.training import PERHAPS_MISSING

Notice = dict[str, Any]
_MOST = 200  # notices
_EXAMPLES = 5
_READ_AS_MISSING = "read as missing"  # in notes of the library


def notice_text(key: str, **values: object) -> str:
    return _text(f"noticed.{key}", **values)


def notice(
    kind: str,
    column: str | None,
    text: str,
    *,
    question: str | None = None,
    answers: tuple[tuple[str, str, list[dict[str, Any]]], ...] = (),
    answer: str | None = None,
    needs_answer: bool = False,
    detail: str = "",
    examples: tuple[str, ...] = (),
) -> Notice:
    """Return a notice; each answer is its id, its text, and what it does."""
    digest = hashlib.sha256("\0".join([kind, column or "", detail]).encode()).hexdigest()[:10]
    return {
        "id": f"n{digest}",
        "kind": kind,
        "column": column,
        "text": text,
        "question": question,
        "answers": [{"id": i, "text": t, "does": does} for i, t, does in answers],
        "answer": answer,
        "needs_answer": needs_answer,
        "examples": list(examples),
    }


def notices(table: Table, texts: Mapping[str, Column], choices: Mapping[str, Any]) -> list[Notice]:
    """Return everything that was noticed; `texts` are the columns that could not be read as numbers."""
    in_order = [
        *_undecided(texts),
        *_tidied(table),
        *_perhaps_missing(table),
        *_repeated(table, choices),
        *_left_out(table, choices),
        *(notice("other", None, text, detail=text) for text in table.notes),
    ]
    return in_order[:_MOST]


def _undecided(texts: Mapping[str, Column]) -> Iterator[Notice]:
    """Columns that are numbers for the most part, and numbers of which the decimal sign is unclear."""
    unclear = []
    for name, column in texts.items():
        counts = Counter(text for text in column.values.tolist() if text is not None)
        odd = {text: n for text, n in counts.most_common() if not _is_number(text)}
        if not odd and not any(len(possible_signs(text)) == 2 for text in counts):
            odd = {text: n for text, n in counts.most_common() if limit_of(text) is not None}
        if not odd:
            unclear.append((name, next(iter(counts))))
            continue
        shown = ", ".join(
            notice_text("odd_cell", cell=cell[:30], rows=notice_text("rows", n=n)) for cell, n in list(odd.items())[:3]
        )
        words = [text for text in odd if "," not in text][:20]
        yield notice(
            "odd cells",
            name,
            notice_text("odd_cells", shown=shown + (", …" if len(odd) > 3 else "")),
            question=notice_text("odd_cells_question", name=name),
            answers=(
                *(
                    ()
                    if len(words) < len(odd)
                    else (("missing", notice_text("missing"), [{"key": "reading.na", "add": w} for w in words]),)
                ),
                ("category", notice_text("category"), [{"key": "category", "add": name}]),
                ("drop", notice_text("drop"), [{"key": "drop", "add": name}]),
            ),
            needs_answer=True,
            examples=tuple(list(odd)[:_EXAMPLES]),
        )
    if unclear:
        name, cell = unclear[0]
        bare = cell.lstrip("<>=≤≥ ")
        yield notice(
            "decimal",
            name,
            notice_text("decimal", cell=cell, point=plain_number(bare, "."), comma=plain_number(bare, ",")),
            question=notice_text("decimal_question", cell=cell),
            answers=(
                ("point", notice_text("point"), [{"key": "reading.decimal", "set": "."}]),
                ("comma", notice_text("comma"), [{"key": "reading.decimal", "set": ","}]),
            ),
            needs_answer=True,
            examples=tuple(example for _, example in unclear[:_EXAMPLES]),
        )


def _is_number(text: str) -> bool:
    return any(plain_number(text.lstrip("<>=≤≥ "), sign) is not None for sign in ".,")


def _tidied(table: Table) -> Iterator[Notice]:
    for name, one in table.reading.columns.items():
        notes = [note.partition("; use --")[0].partition(": ")[2] for note in table.column_notes.get(name, ())]
        written = [{"key": "reading.as_written", "add": name}]
        tidied = [{"key": "reading.as_written", "remove": name}]
        if one.missing:
            codes = ", ".join(one.missing)
            yield notice(
                "code",
                name,
                next((note for note in notes if _READ_AS_MISSING in note), notice_text("code", codes=codes)),
                question=notice_text("code_question", codes=codes, name=name),
                answers=(("yes", notice_text("is_missing"), tidied), ("no", notice_text("is_value"), written)),
                answer="yes",
                examples=one.missing[:_EXAMPLES],
            )
        if one.spellings:
            shown = [
                notice_text("spelling", cell=cell, kept=spelling) for cell, spelling in list(one.spellings.items())[:3]
            ]
            yield notice(
                "spelling",
                name,
                "; ".join(shown) + ("; …" if len(one.spellings) > 3 else ""),
                question=notice_text("spelling_question", name=name),
                answers=(("yes", notice_text("same"), tidied), ("no", notice_text("apart"), written)),
                answer="yes",
                examples=tuple(list(one.spellings)[:_EXAMPLES]),
            )


def _perhaps_missing(table: Table) -> Iterator[Notice]:
    for name, column in table.columns.items():
        if column.kind is not Kind.TEXT:
            continue
        counts = Counter(column.values.tolist())
        for word in sorted(PERHAPS_MISSING & set(counts)):
            yield notice(
                "perhaps missing",
                name,
                notice_text("perhaps", cell=word, rows=notice_text("rows", n=counts[word])),
                question=notice_text("perhaps_question", cell=word),
                answers=(
                    ("yes", notice_text("is_missing"), [{"key": "reading.na", "add": word}]),
                    ("no", notice_text("is_category"), [{"key": "reading.na", "remove": word}]),
                ),
                answer="no",
                detail=word,
            )


def _repeated(table: Table, choices: Mapping[str, Any]) -> Iterator[Notice]:
    groups = choices["cv_groups"]
    for name, column in table.columns.items():
        if name != choices["target"] and repeats(column):
            yield notice(
                "repeated",
                name,
                notice_text("repeated", values=column.n_different, rows=notice_text("rows", n=table.n_rows)),
                question=notice_text("repeated_question", name=name),
                answers=(
                    ("yes", notice_text("one_fold"), [{"key": "cv_groups", "set": name}]),
                    ("no", notice_text("separate"), [{"key": "cv_groups", "set": "none"}]),
                ),
                answer="no" if groups == "none" else "yes" if groups in (None, name) else None,
            )


def _left_out(table: Table, choices: Mapping[str, Any]) -> Iterator[Notice]:
    for name, column in table.columns.items():
        if name == choices["target"]:
            continue
        why = why_no_feature(column, table.n_rows)
        if why is None:
            continue
        if column.kind is Kind.DATE:
            yield notice("date", name, HOLDS_DATES)
        elif column.kind in (Kind.EMPTY, Kind.TOO_MANY):
            yield notice("other", name, why)
        elif not repeats(column):
            yield notice(
                "identifier",
                name,
                why,
                question=notice_text("identifier_question", name=name),
                answers=(
                    ("yes", notice_text("leave_out"), [{"key": "keep", "remove": name}]),
                    ("no", notice_text("ask"), [{"key": "keep", "add": name}]),
                ),
                answer="no" if name in choices["keep"] else "yes",
            )
