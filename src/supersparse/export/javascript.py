"""A card as a JavaScript module (ECMAScript 2020) without dependencies; scores are exact."""

from supersparse.card.card import Card
from supersparse.card.script import json_for_script, scoring_script, script_data
from supersparse.export.python import card_name


def to_javascript(card: Card) -> str:
    """Return a module that exports `score(person)`, `predict(person)`, `points(person)` and `columns`.

    A person is an object with one property per column. Values that the card refuses throw RefusedValue.
    """
    return "\n".join(
        [
            f"// Scoring system: {card_name(card)}; exported by supersparse.",
            scoring_script().rstrip(),
            "",
            f"const CARD = {json_for_script(_exact_labels(script_data(card), card))};",
            _EXPORTS,
        ]
    )


def _exact_labels(data: dict[str, object], card: Card) -> dict[str, object]:
    """Turn whole numbers beyond 2**53 into text, because JavaScript would round them."""
    large = any(isinstance(c, int) and abs(c) >= 2**53 for c in card.classes)
    return data | {"negative": str(card.negative), "positive": str(card.positive)} if large else data


_EXPORTS = """
function values(person) {
  return CARD.columns.map(({ name }) => {
    if (!Object.hasOwn(person, name)) throw new RefusedValue(`${name}: the person lacks it`);
    return person[name];
  });
}

/** The names of the columns that a person needs. */
export const columns = CARD.columns.map(({ name }) => name);

/** The score as a number; above 0 is the positive class. Its sign is exact. */
export const score = (person) => toNumber(scoreValues(CARD, values(person)).score);

/** The score as an exact fraction of two BigInts: {n, d}. */
export const exactScore = (person) => scoreValues(CARD, values(person)).score;

/** The points of each item, in the order of the card. */
export const points = (person) => scoreValues(CARD, values(person)).points.map(toNumber);

/** The class of one person. */
export const predict = (person) =>
  scoreValues(CARD, values(person)).positive ? CARD.positive : CARD.negative;

export { RefusedValue };
"""
