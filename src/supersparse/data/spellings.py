"""Spellings: variants of a category that differ in case and blanks only are one category."""

import unicodedata
from collections import Counter
from collections.abc import Collection


def spelling_key(text: str) -> str:
    """Return what all variants of a category have in common.

    >>> spelling_key(" Ja ") == spelling_key("ja"), spelling_key("not  known") == spelling_key("Not known")
    (True, True)
    """
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def variants(counts: Counter[str]) -> dict[str, str]:
    """Say for each variant which spelling is kept: the most frequent one, and of those the first.

    >>> variants(Counter({"Ja": 2, "ja": 5, "nein": 4}))
    {'Ja': 'ja'}
    """
    kept: dict[str, str] = {}
    for text, _ in counts.most_common():
        kept.setdefault(spelling_key(text), text)
    return {text: own for text in counts if (own := kept[spelling_key(text)]) != text}


def variants_of(texts: Collection[str], known: Collection[str]) -> dict[str, str]:
    """Say for each text that is a variant of a known one which it is; known texts that are alike stay apart.

    >>> variants_of(["Ja", "ja", "?"], ["ja", "nein"]), variants_of(["A"], ["a", "A"])
    ({'Ja': 'ja'}, {})
    """
    alike = Counter(map(spelling_key, known))
    kept = {spelling_key(text): text for text in known if alike[spelling_key(text)] == 1}
    found = {}
    for text in texts:
        if text not in known and (own := kept.get(spelling_key(text))) is not None:
            found[text] = own
    return found
