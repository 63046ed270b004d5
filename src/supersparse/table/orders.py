"""Orders: categories whose words say which is lower, in the main European languages.

Recognised are Roman numerals, ordinals (1st, 2., 3e), one prefix before consecutive numbers (A11 to A14, stage 2),
ranges of numbers (<20, 20-49, 50+), months, and scales of words, such as none, mild, severe. All categories of a
column must be on one scale, each at a place of its own; there must be three or more.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from supersparse.table.values import Cells, Objects

_FEWEST, _MOST_OF_CODES = 3, 8
_BLANKS = re.compile(r"[\s_\-]+")

# Each scale from its lowest to its highest place; the words of a place mean the same.
_SCALES = (
    (
        "never|nie|niemals|jamais|nunca|mai|nooit",
        "rarely|seldom|almost never|hardly ever|selten|fast nie|rarement|raramente|rara vez|casi nunca|"
        "quase nunca|zelden",
        "sometimes|occasionally|manchmal|gelegentlich|parfois|quelquefois|a veces|algunas veces|a volte|talvolta|"
        "qualche volta|às vezes|as vezes|por vezes|soms",
        "often|frequently|oft|häufig|souvent|a menudo|frecuentemente|spesso|frequentemente|muitas vezes|vaak",
        "very often|usually|mostly|most of the time|almost always|sehr oft|meistens|fast immer|très souvent|"
        "casi siempre|quasi sempre|quase sempre|meestal|bijna altijd",
        "always|all the time|immer|toujours|siempre|sempre|altijd",
    ),
    (
        "none|no|absent|not at all|nil|keine|keiner|kein|gar nicht|aucun|aucune|absente|ninguno|ninguna|nada|nessuno|"
        "nessuna|assente|nenhum|nenhuma|geen|afwezig",
        "trace|minimal|minimum|very mild|very slight|minime|minimo|minima|mínimo|minimaal|gering|sehr leicht",
        "mild|slight|light|leicht|léger|légère|leger|leve|ligero|lieve|licht|ligeiro",
        "moderate|medium|mittel|mittelschwer|mäßig|mässig|modéré|modérée|modere|moderado|moderada|moderato|moderata|"
        "matig",
        "marked|severe|serious|strong|schwer|stark|sévère|severe|grave|severo|severa|ernstig|zwaar|forte",
        "very severe|extreme|critical|sehr schwer|très sévère|muy grave|molto grave|muito grave|zeer ernstig|"
        "kritisch",
    ),
    (
        "very low|sehr niedrig|très bas|très faible|muy bajo|muy baja|molto basso|muito baixo|zeer laag",
        "low|small|niedrig|klein|bas|basse|faible|petit|bajo|baja|pequeño|basso|bassa|piccolo|baixo|baixa|"
        "pequeno|laag",
        "medium|middle|moderate|mid|average|normal|intermediate|mittel|moyen|moyenne|normale|intermédiaire|"
        "medio|media|"
        "intermedio|médio|média|intermediário|gemiddeld|middel|normaal|matig",
        "high|large|big|elevated|hoch|groß|gross|haut|haute|élevé|élevée|grand|alto|alta|grande|elevato|hoog|groot",
        "very high|sehr hoch|très haut|très élevé|muy alto|muy alta|molto alto|muito alto|zeer hoog",
    ),
    (
        "strongly disagree|fully disagree|stimme gar nicht zu|stimme überhaupt nicht zu|pas du tout d'accord|"
        "totalmente en desacuerdo|muy en desacuerdo|fortemente in disaccordo|per niente d'accordo|"
        "discordo totalmente|"
        "helemaal mee oneens|zeer mee oneens",
        "disagree|stimme nicht zu|stimme eher nicht zu|pas d'accord|plutôt pas d'accord|en desacuerdo|in disaccordo|"
        "discordo|oneens|mee oneens",
        "neutral|neither agree nor disagree|undecided|neither|weder noch|teils teils|unentschieden|neutre|"
        "ni d'accord ni pas d'accord|ni de acuerdo ni en desacuerdo|neutro|neutrale|indiferente|neutraal",
        "agree|stimme zu|stimme eher zu|d'accord|plutôt d'accord|de acuerdo|d'accordo|concordo|eens|mee eens",
        "strongly agree|fully agree|stimme voll zu|stimme voll und ganz zu|tout à fait d'accord|"
        "totalmente de acuerdo|"
        "muy de acuerdo|fortemente d'accordo|completamente d'accordo|concordo totalmente|helemaal mee eens|"
        "zeer mee eens",
    ),
    (
        "very poor|very bad|terrible|sehr schlecht|très mauvais|muy malo|muy mala|pessimo|péssimo|zeer slecht",
        "poor|bad|schlecht|mauvais|mauvaise|malo|mala|mal|scarso|cattivo|ruim|slecht",
        "fair|average|acceptable|so so|mittelmäßig|mittel|befriedigend|passable|moyen|regular|discreto|sufficiente|"
        "razoável|redelijk|matig",
        "good|gut|bon|bonne|bueno|buena|buono|buona|bom|boa|goed",
        "very good|better|sehr gut|très bon|très bonne|muy bueno|muy buena|molto buono|muito bom|muito boa|zeer goed",
        "excellent|outstanding|best|ausgezeichnet|exzellent|hervorragend|excelente|eccellente|ottimo|ótimo|"
        "uitstekend",
    ),
    (
        "very dissatisfied|very unsatisfied|sehr unzufrieden|très insatisfait|muy insatisfecho|molto insoddisfatto|"
        "muito insatisfeito|zeer ontevreden",
        "dissatisfied|unsatisfied|unzufrieden|insatisfait|insatisfecho|insoddisfatto|insatisfeito|ontevreden",
        "neutral|neutre|neutro|neutrale|neutraal",
        "satisfied|zufrieden|satisfait|satisfecho|soddisfatto|satisfeito|tevreden",
        "very satisfied|sehr zufrieden|très satisfait|muy satisfecho|molto soddisfatto|muito satisfeito|"
        "zeer tevreden",
    ),
    (
        "very unlikely|sehr unwahrscheinlich", "unlikely|unwahrscheinlich|improbable|improbabile",
        "possible|neutral|möglich|posible|possibile|possível|mogelijk",
        "likely|probable|wahrscheinlich|probabile|provável|waarschijnlijk", "very likely|sehr wahrscheinlich",
    ),
    (
        "none|no|alert|awake|wach|éveillé|alerta|vigile|alert en wakker|wakker",
        "drowsy|somnolent|lethargic|confused|schläfrig|verwirrt|somnoliert|somnolento|suf|verward",
        "stupor|sopor|soporous|soporös|stuporous|stupeur|estupor|stupore", "coma|comatose|koma|komatös|comateux|"
        "deep coma",
    ),
    (
        "negative|neg|-|negativ|négatif|negativo|negatief", "trace|traces|±|+/-|spur|spuren|traza|tracce|traço|spoor",
        "+|1+", "++|2+", "+++|3+", "++++|4+",
    ),
    ("xs|extra small", "s|small", "m|medium", "l|large", "xl|extra large", "xxl|2xl", "xxxl|3xl"),
    (
        "no school|none|illiterate|iliterate|keine", "primary|elementary|primaria|primaire|primär|basic",
        "lower secondary|below college|secundaria inferior", "secondary|high school|secundaria|secondaire|"
        "sekundär|college",
        "tertiary|university|bachelor|universität|universidad|université|universitaria", "master|postgraduate",
        "doctor|doctorate|phd|doktor",
    ),
    ("well|well differentiated|g1", "moderately|moderate|moderately differentiated|g2", "poorly|poor|"
    "poorly differentiated|g3",
     "undifferentiated|g4"),
    ("child|children|kind", "adolescent|teenager|young", "adult|middle aged", "elderly|old|senior"),
    ("first|erste|erster|premier|première|primero|primera|primo|prima|primeiro|eerste",
     "second|zweite|zweiter|deuxième|seconde|segundo|segunda|secondo|seconda|tweede",
     "third|dritte|dritter|troisième|tercero|tercera|terzo|terza|terceiro|derde",
     "fourth|vierte|vierter|quatrième|cuarto|cuarta|quarto|quarta|vierde", "fifth|fünfte|cinquième|quinto|"
     "quinta|vijfde"),
    (
        "january|jan|januar|jänner|janvier|enero|ene|gennaio|gen|janeiro|januari|janv",
        "february|feb|februar|février|fév|febrero|febbraio|fevereiro|fev|februari",
        "march|mar|märz|mär|mars|marzo|março|maart|mrt", "april|apr|avril|avr|abril|abr|aprile",
        "may|mai|mayo|maggio|mag|maio|mei", "june|jun|juni|juin|junio|giugno|giu|junho",
        "july|jul|juli|juillet|juil|julio|luglio|lug|julho", "august|aug|août|agosto|ago|augustus",
        "september|sep|sept|septembre|septiembre|settembre|set|setembro", "october|oct|oktober|okt|octobre|octubre|"
        "ottobre|ott|outubro|out", "november|nov|novembre|noviembre|novembro",
        "december|dec|dezember|dez|décembre|déc|diciembre|dic|dicembre|dezembro",
    ),
)  # fmt: skip
_PLACES: tuple[Mapping[str, int], ...] = tuple(
    {word: place for place, words in enumerate(scale) for word in words.split("|")} for scale in _SCALES
)
_ROMAN = re.compile(r"(x{0,3})(ix|iv|v?i{0,3})([a-d]?)")
_ORDINAL = re.compile(r"(\d{1,2})\s*(?:st|nd|rd|th|er|re|e|è?me|ème|te[rns]?|\.|º|ª|°|o|a|de)")
_CODE = re.compile(r"(\D*?)(\d{1,4})")
_RANGE = re.compile(r"(\d+(?:[.,]\d+)?)(?:-|to|bis|à|a|tot|–)(\d+(?:[.,]\d+)?)")
_UP_TO = re.compile(r"(?:<=|<|≤|under|below|unter|bis|moins de|menos de|meno di|minder dan)(\d+(?:[.,]\d+)?)")
_FROM = re.compile(
    r"(?:>=|>|≥|over|above|über|ab|plus de|más de|più di|mais de|meer dan)(\d+(?:[.,]\d+)?)|(\d+(?:[.,]\d+)?)"
    r"(?:\+|or more|and over|oder mehr|et plus|o más|o più|ou mais|of meer)"
)


def order_of(levels: Iterable[str]) -> tuple[str, ...] | None:
    """Return categories from the lowest to the highest where their words say so, else None.

    >>> order_of(["severe", "none", "Mild"]), order_of(["III", "I", "II"]), order_of(["red", "green", "blue"])
    (('none', 'Mild', 'severe'), ('I', 'II', 'III'), None)
    >>> order_of(["50+", "<20", "20-49"]), order_of(["A14", "A11", "A13", "A12"])
    (('<20', '20-49', '50+'), ('A11', 'A12', 'A13', 'A14'))
    """
    listed = sorted(set(levels))
    if len(listed) < _FEWEST:
        return None
    keys = [_BLANKS.sub(" ", text.strip().casefold()) or text.strip() for text in listed]
    for places in (_on_a_scale(keys), _each(keys, _roman), _each(keys, _ordinal), _codes(keys), _ranges(listed)):
        if places is not None and len(set(places)) == len(places):
            return tuple(text for _, text in sorted(zip(places, listed, strict=True)))
    return None


def orders_among(columns: Mapping[str, Cells]) -> dict[str, tuple[str, ...]]:
    """The columns of text whose categories have a recognised order, lowest first."""
    found = {}
    for name, cells in columns.items():
        if not isinstance(cells, Objects):
            continue
        known = {value for value in cells.distinct if value is not None}
        if all(isinstance(value, str) for value in known) and (order := order_of(map(str, known))) is not None:
            found[name] = order
    return found


def _each(keys: Sequence[str], read: Callable[[str], Fraction | None]) -> list[Fraction] | None:
    places = [place for key in keys if (place := read(key)) is not None]
    return places if len(places) == len(keys) else None


def _on_a_scale(keys: Sequence[str]) -> list[int] | None:
    return next(([scale[key] for key in keys] for scale in _PLACES if all(key in scale for key in keys)), None)


def _roman(key: str) -> Fraction | None:
    """A Roman numeral up to 39, perhaps after a word and before a letter: "Stage IIb"."""
    found = _ROMAN.fullmatch(key.rsplit(" ", 1)[-1])
    if found is None or not (found[1] or found[2]):
        return None
    ones = {"": 0, "i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9}[found[2]]
    return Fraction(10 * len(found[1]) + ones) + Fraction("abcd".find(found[3]) + 1, 10)


def _ordinal(key: str) -> Fraction | None:
    found = _ORDINAL.fullmatch(key)
    return None if found is None else Fraction(int(found[1]))


def _codes(keys: Sequence[str]) -> list[Fraction] | None:
    """One prefix before consecutive numbers, of which there are few: others are names."""
    found = [_CODE.fullmatch(key) for key in keys]
    if len(keys) > _MOST_OF_CODES or len({None if one is None else one[1] for one in found}) > 1:
        return None
    numbers = [int(one[2]) for one in found if one is not None]
    has_prefix = any(one is not None and one[1].strip() for one in found)
    is_gapless = bool(numbers) and sorted(numbers) == list(range(min(numbers), max(numbers) + 1))
    return list(map(Fraction, numbers)) if has_prefix and is_gapless else None


def _ranges(levels: Sequence[str]) -> list[tuple[Fraction, int]] | None:
    """Ranges of numbers that do not overlap; one of them at least is a range, not a number."""
    found: list[tuple[Fraction, Fraction | None]] = []
    for level in levels:
        text = re.sub(r"\s+", "", level.casefold()).replace(",", ".")
        inside, low, high = _RANGE.fullmatch(text), _FROM.fullmatch(text.replace(" ", "")), _UP_TO.fullmatch(text)
        if inside is not None:
            found.append((Fraction(inside[1]), Fraction(inside[2])))
        elif low is not None:
            found.append((Fraction(low[1] or low[2]), None))
        elif high is not None:
            found.append((Fraction(-1), Fraction(high[1])))
        else:
            return None
    found_sorted = sorted(found, key=lambda one: one[0])
    for (_, end), (start, _) in pairwise(found_sorted):
        if end is None or start < end:
            return None
    return [(start, k) for k, (start, _) in enumerate(found)]
