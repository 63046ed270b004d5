
// Whether a text or a number stands for a missing value.
function isCode(value, codes, name) {
  const isNumber = Number.isFinite(value) || typeof value === "bigint" || typeof value?.n === "bigint";
  return (typeof value === "string" || isNumber) && isAmong(value, codes, name);
}

function values(person) {
  return CARD.columns.map(({ name }, j) => {
    if (!Object.prototype.hasOwnProperty.call(person, name))
      throw new RefusedValue(`${name}: the person lacks it`);
    return isCode(person[name], CARD.codes[j], name) ? null : person[name];
  });
}

/** The names of the columns that a person needs. */
export const columns = CARD.columns.map(({ name }) => name);

/** The points of each item, in the order of the card. */
export const points = (person) => scoreValues(CARD, values(person)).points.map(toNumber);

/** The total. */
export const total = (person) => toNumber(scoreValues(CARD, values(person)).total);

/** The total as an exact fraction of two BigInts: {n, d}. */
export const exactTotal = (person) => scoreValues(CARD, values(person)).total;

/** The class of one person, decided by the exact total. */
export const predict = (person) =>
  scoreValues(CARD, values(person)).positive ? CARD.positive : CARD.negative;

export { RefusedValue };
