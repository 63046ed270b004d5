// Scores one person exactly, in fractions of BigInts; see supersparse.card.export.javascript for the form of `card`.
// A number is read as its shortest decimal (0.1 is 1/10), text is never a number, and null, undefined,
// NaN and "" are missing.

class RefusedValue extends Error {}

function fraction(text) {
  const [, sign, whole, part = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text);
  const power = Number(exponent) - part.length;
  const digits = BigInt(sign + whole + part);
  return power >= 0 ? { n: digits * 10n ** BigInt(power), d: 1n } : { n: digits, d: 10n ** BigInt(-power) };
}

function declared(text) {
  const [n, d = "1"] = text.split("/");
  return { n: BigInt(n), d: BigInt(d) };
}

const add = (a, b) => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d });
const times = (a, b) => ({ n: a.n * b.n, d: a.d * b.d });
const order = (a, b) => { const x = a.n * b.d - b.n * a.d; return x > 0n ? 1 : x < 0n ? -1 : 0; };
const ZERO = { n: 0n, d: 1n };

function isMissing(value) {
  return value === null || value === undefined || value === "" || Number.isNaN(value);
}

function asNumber(value, name) {
  if (typeof value === "boolean") return { n: value ? 1n : 0n, d: 1n };
  if (typeof value === "bigint") return { n: value, d: 1n };
  if (typeof value === "object" && value !== null && typeof value.n === "bigint") return value;
  if (typeof value === "number" && Number.isFinite(value)) return fraction(String(value));
  throw new RefusedValue(`${name}: needs a number`);
}

function isAmong(value, known, name) {
  if (typeof value === "string") return known.some((k) => k.text === value);
  const number = asNumber(value, name);
  return known.some((k) => k.number !== undefined && order(number, declared(k.number)) === 0);
}

function isWithin(number, range) {
  const low = range.low === undefined ? 1 : order(number, declared(range.low));
  const high = range.high === undefined ? -1 : order(number, declared(range.high));
  return (low > 0 || (low === 0 && range.lowIncluded)) && (high < 0 || (high === 0 && range.highIncluded));
}

// Whether at most one character has to be added, left out or replaced; capitals do not count.
function oneEditApart(one, other) {
  const [short, long] = [[...one.toLowerCase()], [...other.toLowerCase()]].sort((a, b) => a.length - b.length);
  if (long.length - short.length > 1) return false;
  let k = 0;
  while (k < short.length && short[k] === long[k]) k += 1;
  const rest = short.slice(k + (short.length === long.length ? 1 : 0));
  return rest.join("") === long.slice(k + 1).join("");
}

// The orders that a text belongs to, each with its place there: numbers, Roman ones, letters.
function placesOf(given) {
  const text = given.toLowerCase();
  const found = [];
  const number = /([0-9]{1,9})([^0-9]*)$/.exec(text);
  if (number) found.push([`number/${text.slice(0, number.index)}/${number[2]}`, Number(number[1])]);
  const roman = /(?:^|[^a-z])([ivxlc]+)$/.exec(text);
  if (roman) found.push([`roman/${text.slice(0, text.length - roman[1].length)}`, romanNumber(roman[1])]);
  const letter = /(?:^|[^a-z])([a-z])$/.exec(text);
  if (letter) found.push([`letter/${text.slice(0, text.length - 1)}`, letter[1].charCodeAt(0)]);
  return found;
}

function romanNumber(text) {
  const digits = [...text].map((digit) => ({ i: 1, v: 5, x: 10, l: 50, c: 100 })[digit]);
  return digits.reduce((sum, a, k) => (a < (digits[k + 1] ?? 0) ? sum - a : sum + a), 0);
}

function nextTo(one, other) {
  const places = new Map(placesOf(one));
  return placesOf(other).some(([frame, place]) => Math.abs((places.get(frame) ?? NaN) - place) === 1);
}

// Whether a new category is within one edit of a known one, or next to one in its order.
function isLike(value, known, name) {
  if (typeof value === "string")
    return known.some((k) => k.text !== undefined && (oneEditApart(value, k.text) || nextTo(value, k.text)));
  const number = asNumber(value, name);
  const isNear = (k) => {
    const step = add(number, times(k, { n: -1n, d: 1n }));
    return order(step, { n: 1n, d: 1n }) <= 0 && order(step, { n: -1n, d: 1n }) >= 0;
  };
  return known.some((k) => k.number !== undefined && isNear(declared(k.number)));
}

function checkValue(column, value) {
  const { name } = column;
  if (isMissing(value)) {
    if (column.refusesMissing) throw new RefusedValue(`${name}: needs a value`);
    return;
  }
  if (column.kinds.length) {
    const kind = typeof value === "string" ? "text" : "number";
    if (kind === "number") asNumber(value, name);
    if (!column.kinds.includes(kind)) throw new RefusedValue(`${name}: needs ${column.kinds[0]}`);
  }
  if (column.known && !isAmong(value, column.known, name)) throw new RefusedValue(`${name}: not a known value`);
  if (column.alike && !isAmong(value, column.alike, name) && isLike(value, column.alike, name))
    throw new RefusedValue(`${name}: new, and like a known value`);
  if (column.limits) {
    const number = asNumber(value, name);
    if (!isWithin(number, column.limits) || (column.limits.whole && number.n % number.d !== 0n))
      throw new RefusedValue(`${name}: outside its limits`);
  }
}

function itemPoints(item, column, value) {
  if (isMissing(value)) return item.missing === undefined ? ZERO : declared(item.missing);
  if (item.rule === "missing") return ZERO;
  const points = declared(item.points);
  if (item.rule === "other" && item.values.length === 0) return points;
  if (item.rule === "value") return times(points, asNumber(value, column.name));
  const holds = item.values === undefined
    ? isWithin(asNumber(value, column.name), item)
    : isAmong(value, item.values, column.name) === (item.rule === "category");
  return holds ? points : ZERO;
}

// The double nearest to a fraction, or its neighbour: 64 bits of the quotient are kept. Its sign is exact.
function toNumber({ n, d }) {
  const bits = (x) => (x < 0n ? -x : x).toString(2).length;
  const shift = Math.min(Math.max(0, 64 - bits(n) + bits(d)), 1000);
  const found = Number((n << BigInt(shift)) / d) / 2 ** shift;
  return found || (n > 0n ? Number.MIN_VALUE : n < 0n ? -Number.MIN_VALUE : 0);
}

// values: one for each of card.columns. Returns points by item and the total, as fractions, and the class.
function scoreValues(card, values) {
  card.columns.forEach((column, j) => checkValue(column, values[j]));
  const points = card.items.map((item) => itemPoints(item, card.columns[item.column], values[item.column]));
  const total = points.reduce(add, ZERO);
  const beyond = order(total, declared(card.threshold));
  return { points, total, positive: beyond > 0 || (card.reached && beyond === 0) };
}
