// A second reader of risk proofs, written from docs/certificates.md: node risk_reader.js table card proof
//
// It shares no line with supersparse-check: whole numbers are BigInt, logarithms and exponentials are series in binary
// fixed point. It prints PROVEN with the objective and the number of leaves, or NOT PROVEN with what fails.
"use strict";
const fs = require("fs"), zlib = require("zlib"), crypto = require("crypto");

function demand(holds, why) { if (!holds) throw new Error(why); }

// JSON. Whole numbers become BigInt, other numbers stay texts in a Decimal, objects become maps.
class Decimal { constructor(text) { this.text = text; } }
const TOKEN = /\s*(?:([{}[\],:])|("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*))(\.\d+)?([eE][-+]?\d+)?|(true|false|null))/y;
function parsed(text) {
  let at = 0;
  function token() {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    demand(match, "a file is no JSON");
    at = TOKEN.lastIndex;
    return match;
  }
  function value([, sign, string, whole, part, exponent, word]) {
    if (string !== undefined) return JSON.parse(string);
    if (whole !== undefined) {
      demand(whole.length < 4300, "a number has too many digits");
      return part || exponent ? new Decimal(whole + (part || "") + (exponent || "")) : BigInt(whole);
    }
    if (word !== undefined) return { true: true, false: false, null: null }[word];
    const found = sign === "{" ? new Map() : [], end = sign === "{" ? "}" : "]";
    demand(sign === "{" || sign === "[", "a file is no JSON");
    for (let one = token(); one[1] !== end; one = token()) {
      if (sign === "[") found.push(value(one));
      else {
        const key = value(one);
        demand(typeof key === "string" && token()[1] === ":" && !found.has(key), "a key is none, or stands twice");
        found.set(key, value(token()));
      }
      const next = token()[1];
      if (next === end) return found;
      demand(next === "," && !/^\s*[\]}]/.test(text.slice(at, at + 99)), "a file is no JSON");
    }
    return found;
  }
  const found = value(token());
  return text.slice(at).trim() === "" ? found : demand(false, "something follows the JSON");
}

// Fractions.
const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a < 0n ? -a : a; };
class Q {
  constructor(n, d = 1n) {
    const g = gcd(n, d) || 1n;
    [this.n, this.d] = d < 0n ? [-n / g, -d / g] : [n / g, d / g]; // divided by 0, a BigInt throws
  }
  plus(o) { return new Q(this.n * o.d + o.n * this.d, this.d * o.d); }
  minus(o) { return new Q(this.n * o.d - o.n * this.d, this.d * o.d); }
  times(o) { return new Q(this.n * o.n, this.d * o.d); }
  sign(o = ZERO) { const x = this.n * o.d - o.n * this.d; return x < 0n ? -1 : x > 0n ? 1 : 0; }
  is(o) { return this.n === o.n && this.d === o.d; }
  floor() { return this.n >= 0n || this.n % this.d === 0n ? this.n / this.d : this.n / this.d - 1n; }
  ceil() { return -new Q(-this.n, this.d).floor(); }
}
const isWhole = (x) => typeof x === "bigint", ZERO = new Q(0n), ONE = new Q(1n);
const sum = (list) => list.reduce((a, b) => a.plus(b), ZERO);
const NUMBER = /^\s*([-+]?)(?:(\d+)\/(\d+)|(?=\d|\.\d)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d{1,5}))?)\s*$/;
function fraction(given, mayBeDecimal = false) {
  if (typeof given === "bigint") return new Q(given);
  const match = NUMBER.exec(typeof given === "string" ? given : mayBeDecimal ? given.text : "");
  demand(match, `${given} is no number`);
  const [, sign, top, bottom, whole, part, power] = match, minus = sign === "-" ? -1n : 1n;
  if (bottom !== undefined) return new Q(minus * BigInt(top), BigInt(bottom));
  const digits = part || "", shift = BigInt(power || 0) - BigInt(digits.length);
  const size = minus * BigInt((whole || "") + digits || 0);
  return shift < 0n ? new Q(size, 10n ** -shift) : new Q(size * 10n ** shift);
}

// Logarithms and exponentials in multiples of 2^-BITS, with an error below SLACK; then in multiples of 1/UNIT.
const BITS = 220n, ONE_BIT = 1n << BITS, SLACK = 1n << 40n, UNIT = 10n ** 38n;
const product = (a, b) => (a * b) >> BITS;
function logarithm(n, d = 1n) { // of n/d, by ln m = 2 (z + z^3/3 + ...), z = (m - 1)/(m + 1)
  let twos = BigInt(n.toString(2).length - d.toString(2).length);
  const shift = BITS - twos;
  const m = shift >= 0n ? (n << shift) / d : n / (d << -shift);
  const z = ((m - ONE_BIT) << BITS) / (m + ONE_BIT), square = product(z, z);
  let total = 0n, power = z;
  for (let k = 1n; power > 1n || power < -1n; k += 2n) [total, power] = [total + power / k, product(power, square)];
  return 2n * total + (twos ? twos * LN2 : 0n);
}
let LN2 = 0n; // 2 (1/3 + 1/(3·3^3) + ...)
for (let k = 1n, power = ONE_BIT / 3n; power > 0n; k += 2n) [LN2, power] = [LN2 + 2n * power / k, power / 9n];
function small(size) { // e^-x for x = size >= 0 in multiples of 2^-BITS
  const twos = size / LN2;
  if (twos > 1000n) return 0n;
  let term = ONE_BIT, total = 0n;
  for (let k = 1n; term !== 0n; k++) [total, term] = [total + term, -product(term, size % LN2) / k];
  return total >> twos;
}
const down = (x) => new Q((x - SLACK) * UNIT, ONE_BIT).floor(), up = (x) => new Q((x + SLACK) * UNIT, ONE_BIT).ceil();
const known = new Map();
const bounds = (x) => [down(x), up(x)], ln = (n) => known.get(n) ?? known.set(n, bounds(logarithm(n))).get(n);
const entropy = (k, n) => (k <= 0n || k >= n ? 0n : ln(n)[0] - new Q(k * ln(k)[1] + (n - k) * ln(n - k)[1], n).ceil());
function softplus(s) { // log(1 + e^s) from above
  const size = (s.n < 0n ? -s.n : s.n) * ONE_BIT / s.d;
  return up(logarithm(ONE_BIT + small(size) + SLACK, ONE_BIT)) + (s.n > 0n ? s.times(new Q(UNIT)).ceil() : 0n);
}
function logistic(s, k) { // 2^40 / (1 + e^-x), x = s / 2^k < 10^6, to the nearest whole number
  const e = small(((s < 0n ? -s : s) << BITS) >> k), top = s < 0n ? e : ONE_BIT;
  return (((top << 41n) / (ONE_BIT + e)) + 1n) >> 1n;
}

// The table.
const plain = (value) => (value instanceof Map ? value.get("number") : value);
function read(place, encoding) {
  const file = fs.readFileSync(place), sha256 = crypto.createHash("sha256").update(file).digest("hex");
  const bytes = place.endsWith(".gz") ? zlib.gunzipSync(file, { maxOutputLength: 2 ** 29 }) : file;
  const name = encoding.toLowerCase().replace(/_/g, "-"), label = name === "utf-8-sig" ? "utf-8" : name;
  return [new TextDecoder(label, { fatal: true, ignoreBOM: name !== "utf-8-sig" }).decode(bytes), sha256];
}
function records(text, separator) { // rows of cells; a cell may stand in quotes, in which a quote is written twice
  const cell = new RegExp(`(?:"((?:[^"]|"")*)(?:"|$))?([^\r\n${separator}]*)([${separator}]|\r\n|\n|\r|$)`, "y"), rows = [];
  for (let row = []; cell.lastIndex < text.length || row.length;) {
    const [all, quoted, rest, end] = cell.exec(text);
    row.push((quoted ?? "").replace(/""/g, '"') + rest);
    if (end !== separator && (row.length > 1 || all !== end)) rows.push(row); // a line without anything is no row
    if (end !== separator) row = [];
  }
  return rows;
}
const cellNumber = (text) => fraction(text.replace(/[,'’ \u00a0\u2009\u202f]/g, "").replace(/\u2212/g, "-"));
function tried(make) { try { return make(); } catch { return null; } } // null where it fails
function same(text, given) {
  const value = plain(given), isWord = typeof value === "boolean";
  if (isWord ? String(value) === text.toLowerCase() : String(value) === text) return true;
  const [a, b] = [tried(() => cellNumber(isWord ? String(Number(value)) : String(value))), tried(() => cellNumber(text))];
  return a !== null && b !== null && a.is(b);
}
function table(place, claim) {
  const [text, sha256] = read(place, claim.get("encoding"));
  demand([null, sha256].includes(claim.get("table")), "the proof is about another table");
  const first = text.split("\n", 1)[0], often = (c) => first.split(c).length;
  const separator = claim.get("separator") ?? [..."\,;\t|"].reduce((a, b) => (often(b) > often(a) ? b : a));
  const [top, ...rest] = records(text, separator), header = top.map((name, k) => name.trim() || `column ${k + 1}`);
  demand(new Set(header).size === header.length, "two columns have one name");
  const missing = claim.get("missing"), columns = claim.get("columns");
  function tidy(name, written) {
    const how = columns.get(name) ?? new Map(), raw = written.trim();
    let found = how.get("decimal") === "," ? raw.replace(/\./g, "").replace(/,/g, ".") : raw;
    found = (how.get("spellings") ?? new Map()).get(found) ?? found;
    const isGap = missing.includes(raw) || missing.includes(found) || (how.get("missing") ?? []).some((c) => same(found, c));
    return isGap ? "" : found;
  }
  demand(rest.every((row) => row.length === header.length), "rows have different lengths");
  const target = claim.get("target") ?? header[0], weights = claim.get("weights"), full = [target, ...claim.get("complete")];
  demand([...full, weights ?? target].every((name) => header.includes(name)), "the table lacks a column");
  const rows = rest.map((row) => new Map(header.map((name, k) => [name, tidy(name, row[k])])))
    .filter((row) => full.every((name) => row.get(name) !== ""))
    .filter((row) => weights === null || cellNumber(row.get(weights)).sign() !== 0);
  return { rows, target, weights: rows.map((row) => (weights === null ? ONE : cellNumber(row.get(weights)))) };
}

// Rules of answers and of lines.
const ENDS = { at_least: [0, 1], above: [1], at_most: [-1, 0], below: [-1] };
const ASKS = ["rule", "column", "values", ...Object.keys(ENDS)];
const written = (given) => JSON.stringify(given, (_, x) => (x instanceof Map ? [...x] : isWhole(x) ? { whole: String(x) } : x));
const ruleOf = (item) => written(new Map(ASKS.filter((key) => item.has(key)).map((key) => [key, item.get(key)])));
function value(rule, text) { // of a line or an answer for a cell that is no gap
  const kind = rule.get("rule");
  if (kind === "missing") return ZERO;
  if (kind === "category" || kind === "other")
    return rule.get("values").some((one) => same(text, one)) === (kind === "category") ? ONE : ZERO;
  const number = cellNumber(text);
  if (kind === "value") return number;
  demand(kind === "range", "a rule is unknown");
  const isWithin = (end) => !rule.has(end) || ENDS[end].includes(number.sign(fraction(rule.get(end))));
  return Object.keys(ENDS).every(isWithin) ? ONE : ZERO;
}
const atGap = (item) => fraction(item.get("rule") === "missing" ? item.get("points") : item.get("missing") ?? "refuse");
function worth(items, text) { // the points of lines about one column for a cell; null where they refuse it
  return tried(() => sum(items.map((item) => (text ? fraction(item.get("points")).times(value(item, text)) : atGap(item)))));
}

// The set of cards. A box is the points that a question may have: ways along the order, and both ends of each answer.
class Question {
  constructor(one) {
    this.rules = one.get("answers");
    this.n = this.rules.length;
    this.column = one.get("column");
    this.points = one.get("points");
    this.price = fraction(one.get("price"));
    this.equal = one.get("equal_steps");
    this.missing = one.get("missing") === null ? null : Number(one.get("missing"));
    this.ordered = Number(one.get("ordered"));
    const shape = one.get("shape"), gaps = this.rules.flatMap((rule, k) => (rule.get("rule") === "missing" ? [k] : []));
    demand(this.n > 1 && this.ordered >= 0 && this.ordered !== 1 && this.ordered <= this.n && this.price.sign() >= 0 &&
      this.rules.every((rule) => rule.get("column") === this.column && rule.get("rule") !== "value") &&
      (this.missing === null || (this.missing >= 0 && this.missing < this.n)) && gaps.every((k) => k === this.missing) &&
      gaps.length < 2 && new Set(this.rules.map(ruleOf)).size === this.n && typeof this.equal === "boolean" &&
      this.points.every((v, k) => typeof v === "bigint" && (k ? this.points[k - 1] < v : v === 0n)) && this.points.length &&
      ["up", "down", "either", "free"].includes(shape), `the question about ${this.column} is unknown`);
    this.cells = new Map();
    this.hulls = new Map();
    const last = this.points[this.points.length - 1];
    this.box = this.hull(shape === "either" ? ["up", "down"] : [shape], Array(this.n).fill(0n), Array(this.n).fill(last));
  }
  answer(text) {
    if (this.cells.has(text)) return this.cells.get(text);
    const fit = text ? this.rules.flatMap((rule, k) => (value(rule, text).sign() ? [k] : [])) : [this.missing];
    demand(fit.length === 1 && fit[0] !== null, `${text} does not give one answer`);
    return this.cells.set(text, fit[0]).get(text);
  }
  least([ways, low, high], g, change = 0n) { // of g·points and `change` for each change; null where no points are allowed
    let best = null;
    for (const way of ways) {
      let states = new Map([["", { last: null, step: null, zero: false, more: false, cost: 0n }]]);
      for (let b = 0; b < this.n; b++) {
        const after = new Map();
        for (const was of states.values())
          for (const v of this.points) {
            const rise = was.last === null ? 0n : v - was.last;
            if (v < low[b] || v > high[b] || (way === "up" && rise < 0n) || (way === "down" && rise > 0n)) continue;
            const steps = this.equal && was.last !== null;
            if (steps && was.step !== null && was.step !== rise) continue;
            const now = { last: b + 1 < this.ordered ? v : null, step: steps ? rise : null, zero: was.zero || v === 0n,
                          more: was.more || v > 0n, cost: was.cost + g[b] * v + (rise ? change : 0n) };
            const key = `${now.last} ${now.step} ${now.zero} ${now.more}`;
            if (!after.has(key) || after.get(key).cost > now.cost) after.set(key, now);
          }
        states = after;
      }
      for (const { zero, more, cost } of states.values())
        if (zero && more && (best === null || cost < best)) best = cost;
    }
    return best;
  }
  hull(ways, low, high) {
    const key = `${ways};${low};${high}`, box = [ways, low, high];
    const end = (b, sign) => this.least(box, low.map((_, a) => (a === b ? sign : 0n)));
    const ends = () => (end(0, 1n) === null ? null : [ways, low.map((_, b) => end(b, 1n)), low.map((_, b) => -end(b, -1n))]);
    return this.hulls.has(key) ? this.hulls.get(key) : this.hulls.set(key, ends()).get(key);
  }
}

class Cards {
  constructor(claim, questions, rows, positive, weights) {
    Object.assign(this, { questions, limits: claim.get("limits"), change: fraction(claim.get("change_price")), N: sum(weights) });
    const count = questions.length, labels = claim.get("labels"), [minus, plus] = claim.get("class_weights").map(fraction);
    this.most = Math.min(count, Number(claim.get("max_questions")));
    this.fewest = Number(claim.get("min_questions"));
    const unit = labels ? labels.get("unit") : 1n, blend = labels ? fraction(labels.get("blend")) : ZERO;
    const values = labels ? labels.get("values") : positive.map((yes) => (yes ? 1n : 0n));
    this.alike = claim.get("alike").map((own) => own.map(Number));
    demand(count && this.fewest >= 0 && this.most >= 0 && this.alike.flat().every((j) => j >= 0 && j < count) && this.change.sign() >= 0 && isWhole(unit) && unit > 0n && values.length === rows.length && values.every(isWhole) &&
      [minus, plus, ...weights].every((w) => w.sign() > 0) && blend.sign() >= 0 && blend.sign(ONE) <= 0 &&
      this.limits.every(([ws, most]) => ws.length === count && [...ws, most].every(isWhole)), "the claim is unknown");
    const sure = ONE.minus(blend).times(new Q(unit)), top = blend.times(new Q(unit)).plus(ONE);
    const masses = values.map((p, i) => {
      const over = new Q(p).minus(positive[i] ? sure : ZERO);
      demand(p >= 0n && p <= unit && over.sign(new Q(-1n)) >= 0 && over.sign(top) <= 0, "a label is not of this blend");
      return [weights[i].times(plus).times(new Q(p, unit)), weights[i].times(minus).times(new Q(unit - p, unit))];
    });
    this.D = masses.flat().reduce((a, m) => a * m.d / gcd(a, m.d), 1n);
    this.rows = new Map(); // by answers: { answers, P, W }
    rows.forEach((row, i) => {
      const answers = questions.map((one) => one.answer(row.get(one.column))), key = answers.join();
      if (!this.rows.has(key)) this.rows.set(key, { answers, P: 0n, W: 0n });
      const one = this.rows.get(key), [p, q] = masses[i].map((m) => m.n * (this.D / m.d));
      [one.P, one.W] = [one.P + p, one.W + p + q];
    });
    this.rows = [...this.rows.values()];
  }
  price(boxes, opened = [], more = 0) {
    const changes = (j, box) => new Q(this.questions[j].least(box, Array(this.questions[j].n).fill(0n), 1n));
    const of = (j, box) => this.questions[j].price.plus(this.change.times(changes(j, box)));
    const others = opened.map((j) => of(j, this.questions[j].box)).sort((a, b) => a.sign(b));
    return sum([...boxes].map(([j, box]) => of(j, box)).concat(others.slice(0, more)));
  }
  isBeyond(boxes, opened) {
    const least = (ws, js) => js.reduce((a, j) => a + ws[j], 0n), inside = [...boxes.keys()];
    const last = (j) => (this.questions[j].ordered || this.questions[j].n) - 1; // 1 where points rise, -1 where they fall
    const way = (j, [, low, high]) => (low[last(j)] > high[0] ? 1 : low[0] > high[last(j)] ? -1 : 0);
    const ways = this.alike.map((own) => own.filter((j) => boxes.has(j)).map((j) => way(j, boxes.get(j))));
    return ways.some((own) => own.includes(1) && own.includes(-1)) ||
      this.limits.some(([ws, most]) => least(ws, inside) + least(ws, opened.filter((j) => ws[j] < 0n)) > most);
  }
  objective(points, slope, offset) {
    const boxes = new Map([...points].map(([j, f]) => [j, this.questions[j].hull(this.questions[j].box[0], f, f)]));
    demand(slope.sign() >= 0 && boxes.size >= this.fewest && boxes.size <= this.most && ![...boxes.values()].includes(null) &&
      !this.isBeyond(boxes, []), "the card is none of those meant");
    const losses = this.rows.map(({ answers, P, W }) => {
      const total = [...points].reduce((a, [j, f]) => a + f[answers[j]], 0n), s = slope.times(new Q(total)).plus(offset);
      return new Q(W * softplus(s)).minus(s.times(new Q(P * UNIT)));
    });
    const loss = sum(losses).times(new Q(this.N.d, this.N.n * this.D));
    return new Q(loss.ceil(), UNIT).plus(this.price(boxes));
  }
  cover(tree, bound) {
    const all = this.questions.flatMap((one, j) => (one.box ? [j] : []));
    const stack = [{ boxes: new Map(), opened: all, least: this.fewest }];
    let leaves = 0;
    for (const [kind, ...rest] of tree) {
      demand(stack.length, "a node is left over");
      const { boxes, least, ...state } = stack.pop(), opened = boxes.size < this.most ? state.opened : [];
      const numbers = rest.every(isWhole), [j, b, k] = rest.map(Number), box = boxes.get(j);
      const put = (...children) => stack.push(...children.reverse().map((one) => ({ boxes, opened, least, ...one })));
      const narrowed = (...at) => new Map([...boxes, [j, this.questions[j].hull(...at)]]);
      const withAt = (list, v) => list.map((x, a) => (a === b ? v : x));
      if (kind === "q" && numbers && rest.length === 1 && opened.includes(j)) {
        const left = opened.filter((i) => i !== j), inside = new Map([...boxes, [j, this.questions[j].box]]);
        put({ boxes: inside, opened: left, least: Math.max(least, inside.size) }, { opened: left });
      } else if (kind === "x" && !rest.length) {
        put({ opened: [] }, { least: Math.max(least, boxes.size + 1) });
      } else if (kind === "p" && numbers && rest.every((i) => opened.includes(Number(i))) && boxes.size >= this.most - 1) {
        const own = rest.map(Number);
        put({ opened: opened.filter((i) => own.includes(i)) }, { opened: opened.filter((i) => !own.includes(i)) });
      } else if (kind === "d" && numbers && rest.length === 1 && box && box[0].length === 2) {
        put(...box[0].map((way) => ({ boxes: narrowed([way], box[1], box[2]) })));
      } else if (kind === "r" && numbers && rest.length === 3 && box && b >= 0 && b < box[1].length) {
        const [ways, low, high] = box, most = rest[2] < high[b] ? rest[2] : high[b];
        const fewest = rest[2] + 1n > low[b] ? rest[2] + 1n : low[b];
        put({ boxes: narrowed(ways, low, withAt(high, most)) }, { boxes: narrowed(ways, withAt(low, fewest), high) });
      } else if (kind === "e" && !rest.length) {
        const room = Math.min(this.most, boxes.size + opened.length);
        demand([...boxes.values()].includes(null) || Math.max(least, boxes.size) > room ||
          this.isBeyond(boxes, opened), "cards are left in an empty leaf");
      } else {
        this.leaf(kind, rest, boxes, opened, least, bound);
        leaves++;
      }
    }
    demand(!stack.length, "a leaf is missing");
    return leaves;
  }
  leaf(kind, rest, boxes, opened, least, bound) {
    demand(["l", "t", "c"].includes(kind) && ![...boxes.values()].includes(null), "a node is unknown, or a leaf is empty");
    const isDecided = ([, [, low, high]]) => kind !== "l" && low.every((v, b) => v === high[b]);
    const decided = [...boxes].filter(isDecided), merged = new Map();
    const kept = [...[...boxes.keys()].sort((a, b) => a - b), ...opened].filter((j) => !decided.some(([i]) => i === j));
    for (const { answers, P, W } of this.rows) {
      const total = decided.reduce((a, [j, [, low]]) => a + low[answers[j]], 0n), own = kept.map((j) => answers[j]);
      const key = `${total};${own}`;
      if (!merged.has(key)) merged.set(key, { total, own, P: 0n, W: 0n });
      const one = merged.get(key);
      [one.P, one.W] = [one.P + P, one.W + W];
    }
    const patterns = [...merged.values()];
    const [unit, finer, t] = kind === "c" ? [1n, 1n << 40n, this.residuals(rest, kept, patterns)] : rest;
    demand(rest.length === (kind === "c" ? 4 : 3) && Array.isArray(t) && [unit, finer, ...t].every(isWhole) && unit > 0n &&
      finer > 0n && t.length === patterns.length && t.reduce((a, x) => a + x, 0n) === 0n, "(1) of a leaf fails");
    let favour = patterns.reduce((a, { total }, i) => a + t[i] * total, 0n), gains = [];
    kept.forEach((j, place) => {
      const g = Array(this.questions[j].n).fill(0n);
      patterns.forEach(({ own }, i) => { g[own[place]] += t[i]; });
      const gain = this.questions[j].least(boxes.get(j) ?? this.questions[j].box, g);
      if (boxes.has(j)) favour += gain;
      else if (gain < 0n) gains.push(gain);
    });
    gains = gains.sort((a, b) => (a < b ? -1 : 1)).slice(0, this.most - boxes.size);
    demand(gains.reduce((a, x) => a + x, favour) >= 0n, "(2) of a leaf fails");
    const shares = patterns.map(({ P, W }, i) => [finer * P + unit * t[i], finer * W, W]);
    demand(shares.every(([s, n]) => s >= 0n && s <= n), "a θ of a leaf is not between 0 and 1");
    const left = bound.minus(this.price(boxes, opened, least - boxes.size));
    const wanted = left.times(this.N).times(new Q(this.D * UNIT)).ceil();
    const chord = (grid) => shares.reduce((a, [s, n, w]) => {
      const j = s * grid / n, over = s * grid % n, low = entropy(j, grid);
      return a + w * (over ? low + new Q((entropy(j + 1n, grid) - low) * over, n).floor() : low);
    }, 0n);
    const isClosed = [2n ** 7n, 2n ** 11n, 2n ** 15n].some((grid) => chord(grid) >= wanted);
    demand(isClosed || shares.reduce((a, [s, n, w]) => a + w * entropy(s, n), 0n) >= wanted, "(3) of a leaf fails");
  }
  residuals([k, offset, slope, effects], kept, patterns) {
    const starts = [0];
    for (const j of kept) starts.push(starts[starts.length - 1] + this.questions[j].n);
    demand(Array.isArray(effects) && [k, offset, slope, ...effects].every(isWhole) && k >= 0n && k <= 60n &&
      effects.length === starts[kept.length], "the effects of a leaf are not whole, or not one for each answer");
    const score = ({ total, own }) => own.reduce((a, b, place) => a + effects[starts[place] + b], offset + slope * total);
    const shares = patterns.map((one) => logistic(score(one), k) * one.W);
    const room = patterns.map(({ W }, i) => (2n * shares[i] > W << 40n ? (W << 40n) - shares[i] : shares[i]));
    const t = shares.map((share, i) => share - (patterns[i].P << 40n));
    t[room.indexOf(room.reduce((a, x) => (x > a ? x : a)))] -= t.reduce((a, x) => a + x, 0n);
    return t;
  }
}

// The card: its lines as learned and as printed, its threshold, classes and counts.
// Version 3 of its file has an intercept on both forms.
const limitOf = (model) => ZERO.minus(fraction(model.get("intercept")));
const named = (values) => values.map(plain).map((one) => (typeof one === "string" ? one : String(one === true ? 1 : one === false ? 0 : one)));
const shown = (x) => (x.d === 1n ? String(x.n) : `${x.n}/${x.d}`);
const stated = (items) => new Set(items.flatMap((item) => [
  ...Object.keys(ENDS).filter((end) => item.has(end)).map((end) => shown(fraction(item.get(end)))), ...named(item.get("values") ?? [])]));
function standIns(items) { // texts for all that a column may hold, as far as lines tell it apart
  const texts = [...stated(items)].sort();
  const numbers = [ZERO, ...texts.map((text) => tried(() => cellNumber(text))).filter(Boolean)].sort((a, b) => a.sign(b));
  const middles = numbers.slice(1).map((x, k) => x.plus(numbers[k]).times(new Q(1n, 2n)));
  return [...texts, ...[numbers[0].minus(ONE), ...middles, numbers[numbers.length - 1].plus(ONE)].map(shown), texts.join("") + "?"];
}
function shiftOf(own, printed, domain, held, column) { // by how much printed points are lower than learned ones
  const outside = domain.get("outside"), [low, high] = [domain.get("low"), domain.get("high")];
  const values = named(domain.get("values") ?? []), closed = outside === "refuse" ? values : [];
  const isKnown = !["near", "refuse"].includes(outside) || !values.length || held.every((text) => values.some((v) => same(text, v)));
  const ends = [low, high].map((end) => (end === null || end === undefined ? null : fraction(end)));
  const isNear = outside !== "near" || ends.includes(null) || held.map((text) => tried(() => cellNumber(text))).filter(Boolean)
    .every((x) => { const wide = ends[1].minus(ends[0]); return x.sign(ends[0].minus(wide)) >= 0 && x.sign(ends[1].plus(wide)) <= 0; });
  demand(isKnown && isNear, `the card refuses values of ${column} that the table has`);
  const lines = (items) => items.map((i) => `${ruleOf(i)} ${shown(fraction(i.get("points")))} ${i.get("missing")}`).sort().join("\n");
  if (lines(own) === lines(printed)) return ZERO;
  const allowed = new Set([...stated(own), ...closed]), why = `the printed lines on ${column} are not those that were learned`;
  demand([...stated(printed)].every((text) => allowed.has(text)), why);
  const texts = ["", ...(closed.length ? closed : standIns([...own, ...printed]))].filter((text) => {
    const [a, b] = [worth(own, text), worth(printed, text)];
    demand((a === null) === (b === null) || !printed.length, why);
    return a !== null;
  });
  const each = texts.map((text) => printed.map((item) => worth([item], text)));
  demand(each.every((ps) => ps.every((p) => p.sign() >= 0) && ps.filter((p) => p.sign()).length < 2), why);
  demand(printed.every((_, k) => each.some((ps) => ps[k].sign())) && each.some((ps) => ps.every((p) => !p.sign())), why);
  const shifts = texts.map((text) => worth(own, text).minus(worth(printed, text)));
  demand(shifts.every((x) => x.is(shifts[0])), why);
  return shifts[0];
}
function checkCard(card, claim, cards, people, sha256) {
  const { questions } = cards, { rows, positive, weights, target } = people, learned = card.get("learned") ?? card;
  const made = card.get("provenance"), risk = card.get("risk"), points = new Map(), [own, printed] = [learned, card].map((m) => m.get("items"));
  const place = new Map(questions.flatMap((one, j) => one.rules.map((rule, k) => [ruleOf(rule), [j, k]])));
  demand(place.size === questions.reduce((a, one) => a + one.n, 0), "two answers are the same");
  questions.forEach((one, j) => place.set(ruleOf(new Map([["rule", "value"], ["column", one.column]])), [j, 1])); // of 0 and 1
  for (const items of [own, printed])
    demand(new Set(items.map(ruleOf)).size === items.length && items.every((i) => fraction(i.get("points")).sign() &&
      (i.has("missing") || i.get("rule") === "missing")), "a line stands twice, or gives nothing");
  for (const item of own) {
    demand(place.has(ruleOf(item)), "a line is no answer of the proof");
    const [j, k] = place.get(ruleOf(item)), one = questions[j], size = fraction(item.get("points"));
    const gap = one.missing === null ? "refuse" : shown(one.missing === k ? size : ZERO), gives = item.get("missing");
    demand(item.get("rule") === "missing" || (gives === "refuse" ? gives : shown(fraction(gives))) === gap, "a gap gives other points");
    demand(size.d === 1n, "points are not whole");
    points.set(j, (points.get(j) ?? Array(one.n).fill(0n)).map((v, b) => (b === k ? size.n : v)));
  }
  const about = (items, column) => items.filter((item) => item.get("column") === column);
  const domains = new Map((card.get("domains") ?? []).map((one) => [one.get("column"), one]));
  let moved = ZERO, apart = ZERO, base = ZERO;
  for (const column of new Set([...own, ...printed].map((item) => item.get("column"))))
    moved = moved.plus(shiftOf(about(own, column), about(printed, column), domains.get(column) ?? new Map(),
                               [...new Set(rows.map((row) => row.get(column)))].filter(Boolean), column));
  for (const [j, f] of points) points.set(j, f.map((v) => v - f.reduce((x, y) => (y < x ? y : x)))); // the smallest are 0
  for (const [column, cells] of new Map(questions.map((one) => [one.column, one.cells]))) {
    const here = [...points].filter(([j]) => questions[j].column === column).map(([j, f]) => (text) => f[questions[j].cells.get(text)]);
    const [a, b] = [own, printed].map((items) => (text) => worth(about(items, column), text) ?? fraction("refused"));
    const pairs = [...cells.keys()].map((text) => [a(text).minus(new Q(here.reduce((x, f) => x + f(text), 0n))), a(text).minus(b(text))]);
    demand(pairs.every(([a, b]) => a.is(pairs[0][0]) && b.is(pairs[0][1])), `the lines on ${column} give other points`);
    [base, apart] = [base.plus(pairs[0][0]), apart.plus(pairs[0][1])];
  }
  const isInteger = (given) => given === "refuse" || fraction(given ?? 0n).d === 1n;
  const limit = limitOf(learned).minus(base), isWholeCard = printed.every((i) => isInteger(i.get("points")) && isInteger(i.get("missing")));
  const level = limitOf(card), at = fraction(card.get("threshold"));
  demand(level.is(limit.plus(base).minus(moved)) && moved.is(apart), "the printed threshold is not what was learned");
  demand(at.is(isWholeCard ? new Q(level.floor() + 1n) : level), "the threshold is another");
  const classes = card.get("classes"), words = card.get("wording")?.get("classes") ?? new Map(), yes = claim.get("positive");
  const [no, is] = ["negative", "positive"].map((name) => classes.get(name)), texts = [...new Set(rows.map((row) => row.get(target)))];
  const [one, other] = ["positive", "negative"].map((name) => String(words.get(name) ?? classes.get(name)));
  demand(same(yes, is) && !same(yes, no) && String(no) !== String(is) && one !== other && one !== String(no) && other !== String(is) &&
    (no === `not ${is}` || texts.every((text) => same(text, yes) || same(text, no))), "the card's classes are others");
  const isNumber = (x) => isWhole(x) || x instanceof Decimal;
  demand(risk.get("kind") === "logistic" && isNumber(risk.get("slope")) && isNumber(risk.get("offset")), "the card has no risks");
  const [slope, start] = ["slope", "offset"].map((name) => fraction(risk.get(name), true));
  const offset = start.plus(slope.times(base.minus(apart))), found = cards.objective(points, slope, offset);
  const odds = fraction(claim.get("risk_threshold")), [a, b] = [ln(odds.n), ln(odds.d - odds.n)], isEven = odds.n === odds.d - odds.n;
  const [low, high] = isEven ? [0n, 0n] : [a[0] - b[1], a[1] - b[0]];
  const most = [...points.values()].reduce((x, f) => x + f.reduce((y, v) => (v > y ? v : y), 0n), 0n);
  for (let total = 0n; total <= most; total++) {
    const s = slope.times(new Q(total)).plus(offset).times(new Q(UNIT)), isHigh = new Q(total).sign(limit) > 0;
    demand(isHigh ? s.sign(new Q(high)) >= 0 : s.sign(new Q(low)) < 0, `the risk of a total of ${total} is not as its class`);
  }
  const totals = rows.map((row) => [...points].reduce((x, [j, f]) => x + f[questions[j].answer(row.get(questions[j].column))], 0n));
  const wrong = weights.filter((_, i) => (new Q(totals[i]).sign(limit) > 0) !== positive[i]), count = (x) => new Q(BigInt(x));
  const counts = { training_errors: sum(wrong), total_weight: sum(weights), n_rows: count(rows.length), size: count(points.size) };
  for (const [name, count] of Object.entries(counts)) demand(fraction(made.get(name)).is(count), `the card's ${name} is another`);
  for (const far of ["objective", "lower_bound"].map((name) => fraction(made.get(name)).minus(found)))
    demand([far, ZERO.minus(far)].every((x) => x.sign(new Q(2n, 10n ** 9n)) <= 0), "the card claims another objective");
  demand((made.get("certificate")?.get("sha256") ?? sha256) === sha256, "the card names another proof");
  return found;
}

function check(data, cardFile, proofFile) {
  const [text, sha256] = read(proofFile, "utf-8-sig"), claim = parsed(text), card = parsed(read(cardFile, "utf-8-sig")[0]);
  demand(claim.get("format") === "supersparse-risk-proof" && claim.get("version") === 1n && claim.size === 21, "the format is unknown");
  demand(card.get("format") === "supersparse-card" && card.get("version") === 3n, "the card's format is unknown");
  const { rows, weights, target } = table(data, claim), positive = rows.map((row) => same(row.get(target), claim.get("positive")));
  demand(positive.includes(true) && positive.includes(false), "there are not two classes");
  const cards = new Cards(claim, claim.get("questions").map((one) => new Question(one)), rows, positive, weights);
  const objective = checkCard(card, claim, cards, { rows, positive, weights, target }, sha256);
  const leaves = cards.cover(claim.get("tree"), objective.minus(new Q(1n, 10n ** 9n)));
  const digits = String(objective.times(new Q(10n ** 12n)).plus(new Q(1n, 2n)).floor()).padStart(13, "0");
  return `PROVEN ${digits.slice(0, -12)}.${digits.slice(-12)} ${leaves}`;
}

for (let at = 2; at + 2 < process.argv.length; at += 3) {
  let answer;
  try { answer = check(...process.argv.slice(at, at + 3)); } catch (problem) { answer = `NOT PROVEN: ${problem.message}`; }
  console.log(answer);
}
