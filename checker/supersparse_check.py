"""supersparse-check: does a proof show that no scoring system is better than the one on a card?

    python supersparse_check.py data.csv card.json proof.vipr.gz

This file needs Python 3.11 and nothing else. It shares no code with the program that made the card. It
1. reads the question (columns, allowed points, penalties, limits) from the top of the proof, and prints all
   of it, so that you can see whether it is yours; what it cannot put into words, it refuses;
2. builds the integer program of that question from the table, and compares it with the one in the proof;
3. checks that the card is a solution of it, with the objective and the errors that the card claims, and that
   its printed lines, threshold and classes are those of the solution, for whatever a column may hold;
4. checks every line of the proof, in whole numbers; one must say: no solution has a smaller objective.
The last line names what it did not check.
You must trust this file and Python. You need not trust supersparse.
"""

import csv
import fractions
import gzip
import hashlib
import io
import itertools
import json
import sys
from math import ceil, floor, gcd, lcm


class Refused(Exception):
    """The first thing that is not as it should be."""

def demand(condition, message):
    if not condition:  # a message may quote the files, so nothing in it may look like a line of its own
        raise Refused("".join(c if c.isprintable() else ascii(c)[1:-1] for c in message))

def exact(*given):
    """An exact number. One that would fill the memory when written out, such as 1e999999999, is refused."""
    before, _, exponent = str(given[0]).lower().partition("e")  # of a name, what is before is no number
    is_number = before.strip().lstrip("+-").replace(".", "").replace("_", "").isdecimal()
    demand(not is_number or len(exponent.strip()) < 6, f"the number {given[0]!s:.40} is too large")
    return fractions.Fraction(*given)

def opened(path, encoding="utf-8-sig"):
    """A text file, packed by gzip or not, and the sha256 of its bytes."""
    with open(path, "rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    opening = gzip.open if str(path).endswith(".gz") else open
    return opening(path, "rt", encoding=encoding, newline=""), sha256

NUMBER = (int, str)
ENDS = {"at_least": ">=", "above": ">", "at_most": "<=", "below": "<"}
COLUMN = {"column": str, "if_missing": (*NUMBER, ...)}
RULES = [COLUMN | {"rule": ("value", "missing")},
         COLUMN | {"rule": "range"} | dict.fromkeys(ENDS, (*NUMBER, ...)),
         COLUMN | {"rule": ("category", "other"), "values": [(str, int, bool, {"number": NUMBER})]}]
POINTS = [{"name": str} | points | price for price in ({"penalty": NUMBER}, {"penalties": [NUMBER]})
          for points in ({"interval": [int, int], "zero": bool}, {"set": [int]})]
EXTRA = {"points": NUMBER, "missing": (*NUMBER, ...), "unit": (str, ...), "question": (str, ...),
         "position": (int, ...)}
ITEMS = [tuple({key: one for key, one in rule.items() if key != "if_missing"} | EXTRA for rule in RULES)]
DOMAINS = [{"column": str, "values": (*(rule["values"] for rule in RULES if "values" in rule), ...),
            "low": (*NUMBER, None, ...), "high": (*NUMBER, None, ...), "whole": (bool, ...),
            "outside": ("accept", "near", "refuse")}]
LABEL = (str, int, float, bool)
VALUE = {"rule": "value", "column": "", "points": 1}
READ = {"decimal": (",", ...), "spellings": ({str: str}, ...), "missing": ([str], ...)}
QUESTION = {
    "target": (str, None), "positive": str, "weights": (str, None), "table": (str, None), "encoding": str,
    "separator": (str, None), "missing": [str], "columns": {str: READ}, "complete": [str], "unit": int,
    "class_weights": [NUMBER, NUMBER], "limits": [[[NUMBER], NUMBER]], "same_sign": [[int]],
    "intercept": ("free", "range", "paper", "none"), "range": ([int, int], None), "b": (*POINTS, None),
    "features": [tuple(rule | points for rule in RULES for points in POINTS)]}

def fits(value, shape):
    """Whether a value has a shape: a type, a word, one of a tuple of shapes, a list of things of one shape
    or of as many as there are, or a dictionary with these keys (... if they may be missing) and no others."""
    if isinstance(shape, tuple):
        return any(fits(value, one) for one in shape)
    if isinstance(shape, list) and isinstance(value, list):
        shapes = shape * len(value) if len(shape) == 1 else shape
        return len(value) == len(shapes) and all(map(fits, value, shapes))
    if isinstance(shape, dict) and isinstance(value, dict):
        shape = dict.fromkeys(value, shape[str]) if str in shape else shape
        return value.keys() <= shape.keys() and all(fits(value.get(k, ...), one) for k, one in shape.items())
    return type(value) is shape if isinstance(shape, type) else value == shape

def once(pairs):
    """A dictionary of JSON. If a key stands in it twice, others may read the other value."""
    demand(len(dict(pairs)) == len(pairs), "a key stands twice in the card or in the question")
    return dict(pairs)

def read_question(line):
    """The question at the top of a proof; one in which anything is unknown is refused."""
    question = json.loads(line.removeprefix("% "), object_pairs_hook=once)
    for key in {**QUESTION, **question}:
        known = fits(question.get(key, ...), QUESTION.get(key, ()))
        demand(known, f"{key!r} of the question is not as this program knows it: {question.get(key)!r:.300}")
    P, mode = len(question["features"]), question["intercept"]
    demand((question["range"] is None) == (mode != "range"), f"the intercept {mode!r} has a wrong range")
    demand((question["b"] is None) == (mode != "paper"), f"the intercept {mode!r} has wrong points")
    demand(question["unit"] > 0, "the unit of the points is not positive")
    demand(all(len(amounts) == P + 1 for amounts, _ in question["limits"]), "a limit has a wrong length")
    demand(all(0 <= f < P for fs in question["same_sign"] for f in fs), "same_sign names no feature")
    return question

def read_table(path, question):
    """The rows of a CSV file as dictionaries of texts ("" where missing), and the sha256 of the file.
    Left out are rows without a class or of weight 0, and those with a gap in columns that must have none."""
    file, sha256 = opened(path, question["encoding"])
    with file:
        text = file.read()
    demand(question["table"] in (None, sha256), "the proof is about another file: its sha256 differs")
    separator = question["separator"] or max(",;\t|", key=text.partition("\n")[0].count)
    cells = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
    header = [name.strip() or f"column {k}" for k, name in enumerate(cells[0], 1)]
    demand(all(len(row) == len(header) for row in cells), "the rows of the table have different lengths")
    how = [question["columns"].get(name, {}) for name in header]
    demand(len(set(header) - {""}) == sum(map(bool, header)), "two columns of the table have one name")
    rows = [dict(zip(header, map(cell, row, how, [question["missing"]] * len(row)))) for row in cells[1:]]
    target, weight = question["target"] or header[0], question["weights"]
    rows = [row for row in rows if all(row[name] for name in [target, *question["complete"]])]
    return [row for row in rows if not weight or number(row[weight])], target, sha256

def cell(text, how, missing):
    """What a cell says: some columns have a decimal comma (1.234,5), spellings, or codes for missing."""
    raw = text.strip()
    text = raw.replace(".", "").replace(",", ".") if how.get("decimal") == "," else raw
    text = how.get("spellings", {}).get(text, text)
    gone = raw in missing or text in missing or any(same(text, code) for code in how.get("missing", ()))
    return "" if gone else text

def number(text):
    """A number as it is written: with a decimal point, and perhaps signs between thousands."""
    digits = "".join(letter for letter in text if letter not in ",'’ \u00a0\u2009\u202f")
    return exact(digits.replace("\u2212", "-"))

def same(text, value):
    """Whether a cell is a certain category: the same text, the same number, or true (1) and false (0)."""
    value = value["number"] if isinstance(value, dict) else value
    if str(value) == text or (isinstance(value, bool) and str(value).lower() == text.lower()):
        return True
    try:
        return number(str(int(value) if isinstance(value, bool) else value)) == number(text)
    except (ValueError, ZeroDivisionError):
        return False

def feature_value(rule, row):
    """The number that a feature is in one row: a column's value, or 1 or 0 for a test of it."""
    text, kind = row[rule["column"]], rule["rule"]
    if kind == "missing" or not text:
        return exact(not text if kind == "missing" else rule["if_missing"])
    if kind in ("category", "other"):
        return exact(any(same(text, value) for value in rule["values"]) == (kind == "category"))
    value = number(text)
    if kind == "value":
        return value
    demand(kind == "range", f"the rule {kind!r} is unknown")
    tests = {"at_least": value.__ge__, "above": value.__gt__, "at_most": value.__le__, "below": value.__lt__}
    return exact(all(test(exact(rule[name])) for name, test in tests.items() if name in rule))

def allowed_values(asked):
    """The points that a feature may have, in units and rising, with the penalty of each."""
    low, high = asked.get("interval", (1, 0))
    values = asked.get("set", [v for v in range(low, high + 1) if v or asked["zero"]])
    demand(values and values == sorted(set(values)), f"the points of {asked['name']!r} are not in order")
    penalties = asked.get("penalties", [asked.get("penalty") if v else 0 for v in values])
    demand(len(penalties) == len(values), f"{asked['name']!r} has not one penalty for each of its points")
    return values, [exact(penalty) for penalty in penalties]

class Program:
    """Variables, inequalities and objective, built from the question and the table alone.
    l: points. p, n: whether they are positive, negative. u: whether they are a certain value. t: totals of t
    or more are predicted positive (or b: the intercept). z: whether a row is wrong. M is so large that an
    inequality with M·z says nothing about a row that is wrong."""
    def __init__(self, question, rows, is_positive, weights):
        self.names, self.rows, self.variables, cost = [], [], [], {}
        mode, asked, variables = question["intercept"], question["features"], self.variables
        table = [[feature_value(one, row) for row in rows] for one in asked]
        # scores as whole numbers: multiply all columns by one number
        common = lcm(*(x.denominator for column in table for x in column))
        whole = [[int(x * common) for x in column] for column in table]
        divisor = gcd(common * (mode in ("range", "paper")), *(x for column in whole for x in column)) or 1
        step = common // divisor
        # equal rows of a class are wrong together: one z, whose cost is the sum of their weights
        weight = {}
        for r, w in enumerate(weights):
            key = (is_positive[r], tuple(column[r] // divisor for column in whole))
            weight[key] = weight.get(key, 0) + w
        points = sorted(weight)
        columns = [[x[f] for _, x in points] for f in range(len(asked))]
        if mode == "paper":  # b is the coefficient of a column of ones
            asked, columns = [*asked, question["b"]], [*columns, [step] * len(points)]
        self.sets = sets = [allowed_values(one) for one in asked]
        # how low and how high a score can be
        ends = [[v * x for v in (s[0], s[-1]) for x in c] for (s, _), c in zip(sets, columns)]
        ends += [[b * step for b in question["range"]]] if mode == "range" else []
        least, most = sum(min(0, *e) for e in ends), sum(max(0, *e) for e in ends)
        M, self.constant = most - least + 1, exact(0)
        for f, (values, penalties) in enumerate(sets):
            unused = penalties[values.index(0)] if 0 in values else exact(0)
            self.constant += unused  # paid for a feature without points; u below adds the difference
            low, high = min(0, values[0]), max(0, values[-1])
            own = {"l": self.variable(f"l{f}", low, high), "u": {}}
            own |= {sign: self.variable(f"{sign}{f}", 0, 1) for sign, end in (("p", high), ("n", low)) if end}
            variables.append(own)
            used = {p for v, p in zip(values, penalties) if v}
            if high - low == len(values) - (0 in values) and len(used) < 2 and not unused:
                cost |= {own[sign]: used.copy().pop() for sign in "pn" if sign in own}
            else:
                own["u"] = {v: self.variable(f"u{f}_{k}", 0, 1) for k, v in enumerate(values) if v}
                cost |= {own["u"][v]: penalty - unused for v, penalty in zip(values, penalties) if v}
        same_sign = [(self.variable(f"s{k}", 0, 1), fs) for k, fs in enumerate(question["same_sign"])]
        at = ("t", least, most + 1) if mode == "free" else ("b", *(question["range"] or ()))
        threshold = self.variable(*at) if mode in ("free", "range") else None
        wrong = [self.variable(f"z{r}", 0, 1) for r in range(len(points))]
        price, N = [exact(w) for w in question["class_weights"]], sum(weights)
        cost |= {z: weight[key] * price[key[0]] / N for z, key in zip(wrong, points)}
        self.n_bounds = len(self.rows)
        for f, ((values, _), own) in enumerate(zip(sets, variables)):
            up, down = [v for v in values if v > 0], [v for v in values if v < 0]
            l, signs = own["l"], {own[sign]: 1 for sign in "pn" if sign in own}
            below, above = {l: -1}, {l: 1}
            for sign, part in (("p", up), ("n", down)):
                if part:  # p = 1 puts l between the smallest and the largest positive value
                    below[own[sign]], above[own[sign]] = part[-1], -part[0]
            self.row(f"below{f}", "G", 0, below)
            self.row(f"above{f}", "G", 0, above)
            self.row(f"sign{f}", "L", 1, signs)
            if 0 not in values:
                self.row(f"used{f}", "G", 1, signs)
            if own["u"]:
                self.row(f"value{f}", "E", 0, {l: 1} | {u: -v for v, u in own["u"].items()})
                for label, sign, part in (("up", "p", up), ("down", "n", down)):
                    if part:
                        self.row(f"{label}{f}", "E", 0, {own[sign]: 1} | {own["u"][v]: -1 for v in part})
        for k, (texts, most) in enumerate(question["limits"]):  # what the features in use take up, at most
            scale = lcm(*(exact(w).denominator for w in (most, *texts)))
            limit, *amounts = (int(exact(w) * scale) for w in (most, *texts))
            total = {own[s]: w for own, w in zip(variables, amounts) for s in "pn" if s in own}
            self.row(f"limit{k}", "L", limit, total)
        for k, (s, features) in enumerate(same_sign):  # all p are 0, or all n are
            for f in features:
                for sign, label, *ends, c in (("p", "plus", "G", 0, -1), ("n", "minus", "L", 1, 1)):
                    if sign in variables[f]:
                        self.row(f"{label}{k}_{f}", *ends, {s: 1, variables[f][sign]: c})
        for r, (positive, _) in enumerate(points):
            sign = 1 if positive else -1
            inequality = {own["l"]: sign * c[r] for own, c in zip(variables, columns)} | {wrong[r]: M}
            if threshold is not None:
                inequality[threshold] = -sign if mode == "free" else sign * step
            self.row(f"r{r}", "G", 0 if mode == "free" and positive else 1, inequality)
        cost = {v: c for v, c in sorted(cost.items()) if c}
        scale = lcm(*(c.denominator for c in cost.values()))
        shared = gcd(*(int(c * scale) for c in cost.values())) or 1
        self.objective = {v: int(c * scale) // shared for v, c in cost.items()}
        self.unit = exact(shared, scale)  # F is the objective times this, plus the constant
    def variable(self, name, low, high):
        self.names.append(name)
        for label, sense, end in (("L", "G", low), ("U", "L", high)):
            self.row(label + name, sense, end, {len(self.names) - 1: 1})
        return len(self.names) - 1
    def row(self, label, sense, right, coefficients):
        self.rows.append((label, sense, right, {v: c for v, c in coefficients.items() if c}))
    def text(self):
        n = len(self.names)
        yield from ("VER 1.1", f"VAR {n}", " ".join(self.names), f"INT {n}", " ".join(map(str, range(n))))
        yield from ("OBJ min", sparse(self.objective), f"CON {len(self.rows)} {self.n_bounds}")
        yield from (f"{label} {sense} {right} {sparse(row)}" for label, sense, right, row in self.rows)

def sparse(coefficients):
    return " ".join([str(len(coefficients)), *(f"{v} {c}" for v, c in sorted(coefficients.items()))])

def read_vector(words, at):
    """A vector as the proof writes it, "count index value index value ...", and where it ends."""
    end = at + 1 + 2 * int(words[at])
    found = dict(zip(map(int, words[at + 1 : end : 2]), map(int, words[at + 2 : end : 2])))
    demand(2 * len(found) == end - at - 1, "a vector is cut short, or names a variable twice")
    return {v: c for v, c in found.items() if c}, end

class Proof:
    """The inequalities known so far, by number: (sense, right side, coefficients, assumptions)."""
    def __init__(self, program, best):
        self.objective, self.best, self.n = program.objective, best, len(program.names)
        self.known = {k: (*row[1:], frozenset()) for k, row in enumerate(program.rows)}
    def check(self, k, words):
        """Check line k; return whether it says, without assumptions, that nothing is better."""
        sense, right = words[1], int(words[2])
        demand(sense in ("G", "L"), "an inequality must be G (at least) or L (at most)")
        if words[3] == "OBJ":
            coefficients, at = self.objective, 4
        else:
            coefficients, at = read_vector(words, 3)
            demand(all(0 <= v < self.n for v in coefficients), "a variable does not exist")
        demand(words[at] == "{" and words[-2] == "}", "the reason is not in braces")
        kind, reason = words[at + 1], words[at + 2 : -2]
        if kind == "asm":  # assume it; whatever rests on it carries the assumption along
            assumptions = frozenset([k])
        elif kind == "sol":  # only solutions better than the card matter: objective <= best - 1
            assumptions, fair = frozenset(), coefficients is self.objective and sense == "L"
            demand(fair and right >= self.best - 1, "sol claims too much")
        elif kind in ("lin", "rnd"):
            assumptions = self.combination(sense, right, coefficients, reason, rounded=kind == "rnd")
        else:
            demand(kind == "uns", f"the rule {kind!r} is unknown")
            assumptions = self.both_cases(sense, right, coefficients, reason)
        self.known[k] = (sense, right, coefficients, assumptions)
        return sense == "G" and right >= self.best and coefficients is self.objective and not assumptions
    def combination(self, sense, right, coefficients, reason, rounded):
        """A sum of known inequalities times multipliers; with rnd, the right side is then rounded.
        To get "at least", an "at least" may be multiplied by 0 or more, an "at most" by 0 or less, and an
        equation by anything. Rounding is right as all variables and, checked here, coefficients are whole."""
        demand(reason and len(reason) == 1 + 2 * int(reason[0]), "a combination is cut short")
        lines, parts = [int(w) for w in reason[1::2]], [w.partition("/") for w in reason[2::2]]
        terms = [(line, int(top), int(bottom or 1)) for line, (top, _, bottom) in zip(lines, parts)]
        sound = all(bottom > 0 for *_, bottom in terms) and len(set(lines)) == len(lines)
        demand(sound, "a combination uses a line twice, or a multiplier has no valid denominator")
        over = lcm(*(bottom for *_, bottom in terms))
        total, sum_right, assumptions = {}, 0, set()
        for line, top, bottom in terms:
            demand(line in self.known, f"line {line} is not known here")
            its_sense, its_right, its_coefficients, its_assumptions = self.known[line]
            factor = top * (over // bottom)
            right_way = its_sense == "E" or not factor or (factor > 0) == (its_sense == sense)
            demand(right_way, f"line {line} is multiplied by a number of the wrong sign")
            sum_right += factor * its_right
            for v, c in its_coefficients.items():
                total[v] = total.get(v, 0) + factor * c
            assumptions |= its_assumptions
        wanted = {v: c * over for v, c in coefficients.items()}
        demand({v: c for v, c in total.items() if c} == wanted, "the coefficients do not add up")
        reached = exact(sum_right, over)
        reached = (ceil(reached) if sense == "G" else floor(reached)) if rounded else reached
        demand(reached >= right if sense == "G" else reached <= right, f"it reaches {reached}, not {right}")
        return frozenset(assumptions)
    def both_cases(self, sense, right, coefficients, reason):
        """Two lines say the same, one assuming a·x <= k, the other a·x >= k + 1: one of the two is true."""
        demand(len(reason) == 4 and all(int(w) in self.known for w in reason), "a case is not known here")
        first, case1, second, case2 = (int(w) for w in reason)
        for line in (first, second):
            stronger = self.known[line][1] >= right if sense == "G" else self.known[line][1] <= right
            says_so = self.known[line][0] == sense and self.known[line][2] == coefficients and stronger
            demand(says_so, f"line {line} does not say what is concluded")
        one, two = sorted((self.known[case1], self.known[case2]), key=lambda case: case[0], reverse=True)
        cover = (one[0], two[0]) == ("L", "G") and one[2] == two[2] and one[1] + 1 == two[1]
        demand(cover, "the two cases do not cover everything")
        return (self.known[first][3] - {case1}) | (self.known[second][3] - {case2})

def rule_of(item):
    """What an item of the card or a feature of the question asks, without its points."""
    keys = ("rule", "column", "values", "at_least", "above", "at_most", "below")
    return json.dumps({key: item[key] for key in keys if key in item})

def score(items, row):
    """The points of a row. An item says what a missing value gives."""
    total = exact(0)
    for item in items:
        there = row[item["column"]] or item["rule"] == "missing"
        total += exact(item["points"]) * feature_value(item, row) if there else exact(item["missing"])
    return total

def points_at(items, text):
    """What the items on a column give where it holds a text; None where they refuse it."""
    try:
        return score(items, {item["column"]: text for item in items})
    except (ValueError, ZeroDivisionError, KeyError):
        return None

def named(values):
    """Categories as texts; true is 1 and false is 0."""
    plain = [value["number"] if isinstance(value, dict) else value for value in values]
    return [value if isinstance(value, str) else str(int(value)) for value in plain]

def stated(items):
    """The categories and ends of ranges that items name, as texts."""
    ends = {str(exact(item[end])) for item in items for end in ENDS if end in item}
    return ends | {text for item in items for text in named(item.get("values", ()))}

def stand_ins(items):
    """Texts for all that a column may hold, as far as items tell it apart: what they name, numbers between
    and beyond, and any other text."""
    texts = sorted(stated(items))
    numbers = sorted({points_at([VALUE], text) for text in texts} - {None} | {exact(0)})
    between = [(low + high) / 2 for low, high in itertools.pairwise(numbers)]
    return [*texts, *map(str, [numbers[0] - 1, *between, numbers[-1] + 1]), "".join(texts) + "?"]

def check_lines(card, learned, rows):
    """The printed lines are the learned ones, or give the same answers put another way: one line for each
    answer, none below 0, the lowest 0. Whatever a column holds, both then differ by the same amount, and the
    thresholds by the sum of these amounts."""
    for model in (card, learned):
        numbers = [model.get("intercept", 0), model.get("threshold", 0)]
        known = fits(numbers, [(*NUMBER, {"above": NUMBER})]) and fits(model["items"], ITEMS)
        demand(known, "a line or the threshold of the card is not as this program knows it")
        demand(all(exact(item["points"]) for item in model["items"]), "a line of the card gives 0 points")
        demand(len(set(map(rule_of, model["items"]))) == len(model["items"]), "two lines ask the same")
    domains, shift = {one["column"]: one for one in card["domains"]}, exact(0)
    known = fits(card["domains"], DOMAINS) and len(domains) == len(card["domains"])
    demand(known, "what the columns of the card may hold is not as this program knows it")
    for column in dict.fromkeys(item["column"] for model in (learned, card) for item in model["items"]):
        own, shown = ([i for i in model["items"] if i["column"] == column] for model in (learned, card))
        domain, held = domains.get(column, {}), {row[column] for row in rows} - {""}
        known = named(domain.get("values", ())) if domain.get("outside") == "refuse" else []
        seen = named(domain.get("values", ())) if domain.get("outside") == "near" else known
        accepted = not seen or all(any(same(text, value) for value in seen) for text in held)
        if domain.get("outside") == "near" and None not in (ends := (domain.get("low"), domain.get("high"))):
            low, high = map(exact, ends)  # what lies further outside than this is wide is refused
            numbers = {points_at([VALUE | {"column": column}], text) for text in held} - {None}
            accepted = all(2 * low - high <= one <= 2 * high - low for one in numbers)
        demand(accepted, f"the card refuses values of {column!r} that the table has")
        lines, learnt = ({(rule_of(i), exact(i["points"]), str(i.get("missing"))) for i in items}
                         for items in (shown, own))
        if lines == learnt:
            continue
        what = f"the printed lines on {column!r} are not those that were learned"
        demand(known or all(item["rule"] != "value" for item in [*own, *shown]), what)
        demand(stated(shown) <= stated(own) | set(known), what)
        texts = ["", *(known or stand_ins([*own, *shown]))]
        cells = [(points_at(own, text), points_at(shown, text), text) for text in texts]
        demand(all((a is None) == (b is None) for a, b, _ in cells) or not shown, what)
        cells = [cell for cell in cells if cell[0] is not None]
        each = [[points_at([item], text) for item in shown] for *_, text in cells]  # what each line gives
        apart = all(min(points, default=0) >= 0 and sum(map(bool, points)) < 2 for points in each)
        needed, amounts = all(map(any, zip(*each))), {a - b for a, b, _ in cells}
        demand(len(amounts) == 1 and apart and needed and min(b for _, b, _ in cells) == 0, what)
        shift += amounts.pop()
    moved = limit_of(learned) - shift
    demand(limit_of(card) == moved, f"the printed threshold must be {moved} by what was learned")

def threshold_of(model):
    """The printed threshold, and whether it must be exceeded: up to version 2 of a card's file, always."""
    printed = model["threshold"]
    above = isinstance(printed, dict) or "intercept" not in model
    return exact(printed["above"] if isinstance(printed, dict) else printed), above

def limit_of(model):
    """The total of which the scores are above 0, or below it."""
    return -exact(model["intercept"]) if "intercept" in model else threshold_of(model)[0]

def check_threshold(card, rows, is_free):
    """The printed threshold says what the intercept does. Whole totals above 3, or 3.5, are 4 or more; totals
    are whole where points and all that they multiply are, in the table and by what the card says of it."""
    domains, given = {one["column"]: one for one in card["domains"]}, []
    for item in card["items"]:
        given += [n for n in (item["points"], item.get("missing", 0)) if n != "refuse"]
        known = domains.get(item["column"], {})
        if item["rule"] == "value" and not known.get("whole"):  # 1/2 stands for what is no whole number
            given += ["1/2" if isinstance(v, str) else v for v in known.get("values") or ["1/2"]]
        if item["rule"] == "value":
            given += {str(number(row[item["column"]])) for row in rows if row[item["column"]]}
    numbers = [exact(n["number"] if isinstance(n, dict) else n) for n in given]
    is_whole, limit = all(n.denominator == 1 for n in numbers), limit_of(card)
    least, above = (floor(limit) + 1, False) if is_whole else (limit, not is_free)
    demand("intercept" not in card or threshold_of(card) == (least, above),
           f"the printed threshold must be {'above ' * above}{least} by the card's intercept")

def check_classes(card, question, labels):
    """The classes of the card are those of the table, and its words for them do not swap or join them."""
    demand(fits(card["classes"], {"positive": LABEL, "negative": LABEL}), "a class of the card is no label")
    positive, negative = (card["classes"][name] for name in ("positive", "negative"))
    demand(same(question["positive"], positive), "the card has another positive class")
    fair = not same(question["positive"], negative) and str(negative) != str(positive)
    fair = fair and (negative == f"not {positive}" or all(same(text, negative) for text in labels))
    demand(fair, "the card has another negative class")
    words = card.get("wording", {}).get("classes", {})
    one, other = (str(words.get(name, card["classes"][name])) for name in ("positive", "negative"))
    fair = one != other and one != str(negative) and other != str(positive)
    demand(fair, "the card's words for its classes take one for the other")

def check_card(card, question, program, solution, best, people, sha256):
    """The card has the points of the solution, and its errors and penalties add up to the objective."""
    rows, is_positive, weights = people
    learned = card.get("learned") or card
    points = {rule_of(item): exact(item["points"]) for item in learned["items"]}
    points = {rule: value for rule, value in points.items() if value}
    check_lines(card, learned, people[0])
    gaps = {rule_of(one): one.get("if_missing") for one in question["features"] if one["rule"] != "missing"}
    for item in learned["items"]:  # a gap gives what the feature's value in its place gives
        gap = gaps.get(rule_of(item))
        gives = "refuse" if gap is None else exact(gap) * exact(item["points"])
        given = item.get("missing", "refuse")
        demand(given == gives or (given != "refuse" != gives and exact(given) == gives),
               f"the card gives {given} points for a gap in {item['column']!r}; by the proof: {gives}")
    features, unit = question["features"], question["unit"]
    values = [exact(solution.get(own["l"], 0), unit) for own in program.variables]
    proven = {rule_of(one): v for one, v in zip(features, values) if v}
    demand(points == proven, "the card has other points than the solution of the proof")
    check_threshold(card, rows, question["intercept"] == "free")
    scores, shown = ([score(model["items"], row) - limit_of(model) for row in rows]
                     for model in (learned, card))
    demand(scores == shown, "the printed points give other totals")
    wrong = [score <= 0 if positive else score >= 0 for score, positive in zip(scores, is_positive)]
    b = -limit_of(learned) * unit
    if question["intercept"] == "range":
        demand(question["range"][0] <= b <= question["range"][1] and b.denominator == 1, "b is not allowed")
    elif question["intercept"] != "free":
        demand(b == (values[-1] * unit if question["b"] else 0), "the card has another intercept")
    errors = sum(w for w, is_wrong in zip(weights, wrong) if is_wrong)
    price = [exact(text) for text in question["class_weights"]]
    loss = sum(w * price[p] for w, p, is_wrong in zip(weights, is_positive, wrong) if is_wrong)
    penalty = sum(costs[s.index(v * unit)] for (s, costs), v in zip(program.sets, values) if v or 0 in s)
    objective = best * program.unit + program.constant
    demand(loss / sum(weights) + penalty == objective, "the card's errors are not those of the proof")
    size, made = sum(map(bool, values)), card["provenance"]
    claims = {"objective": objective, "lower_bound": objective, "training_errors": errors,
              "n_rows": len(rows), "total_weight": sum(weights), "size": size}
    for name, value in claims.items():
        demand(exact(made[name]) == value, f"the card claims {name} = {made[name]}, but it is {value}")
    named = made.get("certificate", {"sha256": sha256})["sha256"]
    demand(named == sha256, "the card names another certificate: its sha256 differs")
    return errors, size, objective

def feature_in_words(one):
    """The column and the test that make a feature. Its name is left out: it may say anything."""
    values = ", ".join(repr(v["number"] if isinstance(v, dict) else v) for v in one.get("values", ()))
    ends = " and".join(f" {sign} {exact(one[end])}" for end, sign in ENDS.items() if end in one)
    tests = {"value": "", "missing": " is missing", "range": ends or " is a number",
             "category": f" is one of {values}", "other": f" is none of {values}"}
    gap = f" ({exact(one['if_missing'])} where missing)" if "if_missing" in one else ""
    return repr(one["column"]) + tests[one["rule"]] + gap * (one["rule"] != "missing")

def card_in_words(card):
    """The printed lines, threshold and classes. The card's own words are left out: they may say anything."""
    yield "  the card as printed, without its own words:"
    for item in card["items"]:
        times, gap = ("times" if item["rule"] == "value" else "if"), item.get("missing", "refuse")
        gap = "" if gap == "refuse" or not exact(gap) else f" ({exact(gap)} where missing)"
        yield f"    {exact(item['points'])} points {times} {feature_in_words(item)}{gap}"
    classes, (least, above) = card["classes"], threshold_of(card)
    rule = f"above {least}" if above else f"of {least} or more"
    yield f"    {classes['positive']!r} with a total {rule}, else {classes['negative']!r}"

def runs(values, unit):
    """Rising points in short, such as -3 to 3, 5, 6."""
    starts = [k for k, v in enumerate(values) if not k or values[k - 1] + 1 < v]
    parts = [values[first:after] for first, after in zip(starts, [*starts[1:], len(values)])]
    short = [(part, ", ") if len(part) < 3 else (part[:: len(part) - 1], " to ") for part in parts]
    return ", ".join(between.join(str(exact(v, unit)) for v in part) for part, between in short)

def points_in_words(one, unit):
    """The points that a feature may have, and what they cost."""
    (values, penalties), by_penalty = allowed_values(one), {}
    for v, penalty in zip(values, penalties):
        by_penalty.setdefault(penalty, []).append(v)
    costs = "; ".join(f"{penalty} for {runs(own, unit)}" for penalty, own in by_penalty.items())
    costs = f"{exact(one['penalty'])} unless 0" if "penalty" in one else costs
    return f"{runs(values, unit)}{'' if 0 in values else ' (0 is not allowed)'}, penalty {costs}"

def in_words(question, target):
    """The question in plain words, all of it. Texts of the files stand in quotes, and what cannot be printed
    as a code, so that none of them passes for a line or a word of this program's own."""
    unit, b, features = question["unit"], question["b"], question["features"]
    names = [feature_in_words(one) for one in features]
    weight = f"its {question['weights']!r}" if question["weights"] else "1"
    steps = f"in steps of 1/{unit}" if unit > 1 else "whole"
    yield f"  positive: {question['positive']!r} in the column {target!r}, all else there is negative"
    negative, positive = (exact(price) for price in question["class_weights"])
    yield f"  weight of a row: {weight}; a wrong one costs {negative} if negative, {positive} if positive"
    yield "  objective: cost of the errors by weight, over the weight of all rows, plus the penalties"
    yield f"  features, with the points they may have (points and b {steps}):"
    yield from (f"    {name}: {points_in_words(one, unit)}" for name, one in zip(names, features))
    low, high = (exact(end, unit) for end in question["range"] or (0, 0))
    above = "above 0 (0 is wrong for both classes)"
    yield "  predicted positive: " + {
        "free": "a total of t or more, t free", "none": f"a total {above}",
        "range": f"a total plus b {above}, b from {low} to {high}",
        "paper": f"a total plus b {above}, b of {b and points_in_words(b, unit)}"}[question["intercept"]]
    for amounts, most in question["limits"]:
        used = [(exact(w), name) for name, w in zip([*names, "b"] if b else names, amounts)]
        sign = -1 if all(w <= 0 for w, _ in used) else 1  # at most -2 of -1 each: at least 2
        counted = ", ".join(f"{name} (counts {sign * w})" if sign * w != 1 else name for w, name in used if w)
        counted = counted if any(sign * w != 1 for w, _ in used) else "all features" + " and b" * bool(b)
        yield f"  used: {'at most' if sign > 0 else 'at least'} {sign * exact(most)} of {counted}"
    for features in question["same_sign"]:
        yield f"  no opposite signs among {', '.join(names[f] for f in features)}"
    separator = repr(question["separator"]) if question["separator"] else "the most frequent of , ; tab |"
    yield f"  the file: encoding {question['encoding']!r}, separator {separator}"
    yield f"  missing: {', '.join(['blank cells', *map(repr, question['missing'])])}"
    for name, how in question["columns"].items():
        said = ["a decimal comma"] if "decimal" in how else []
        said += [f"{old!r} is {new!r}" for old, new in how.get("spellings", {}).items()]
        said += [f"{code!r} is missing" for code in how.get("missing", ())]
        yield f"  in the column {name!r}: {', '.join(said)}"
    complete = ", ".join(map(repr, question["complete"]))
    yield f"  left out: rows without a class or of weight 0{complete and ', or with a gap in ' + complete}"

def check_claim(data, card_file, lines, sha256):
    """Steps 1 to 3; return the program, its best value, the solution, and what is claimed in words."""
    with opened(card_file)[0] as file:
        card = json.load(file, object_pairs_hook=once)
    known = (card["format"], card["version"]) == ("supersparse-card", 2 + ("intercept" in card))
    demand(known, "the card is of an unknown format")
    _, _, statement, line = (next(lines) for _ in range(4))
    question = read_question(statement)
    rows, target, fingerprint = read_table(data, question)
    positive = [same(row[target], question["positive"]) for row in rows]
    demand(0 < sum(positive) < len(rows), "there are not two classes")
    weights = [number(row[question["weights"]] if question["weights"] else "1") for row in rows]
    program = Program(question, rows, positive, weights)
    for expected in program.text():
        demand(line == expected + "\n", f"the proof is about another program than yours: {line[:50]}")
        line = next(lines)
    best = int(line.split()[2])
    demand(line + next(lines) == f"RTP range {best} {best}\nSOL 1\n", "one solution has one value")
    solution, _ = read_vector(next(lines).split(), 1)
    for label, sense, right, row in [*program.rows, ("the objective", "E", best, program.objective)]:
        total = sum(c * solution.get(v, 0) for v, c in row.items())
        within = (sense == "L" or total >= right) and (sense == "G" or total <= right)
        demand(within, f"the solution breaks {label}")
    check_classes(card, question, {row[target] for row, yes in zip(rows, positive) if not yes})
    errors, size, F = check_card(card, question, program, solution, best, (rows, positive, weights), sha256)
    return program, best, solution, [
        f"PROVEN: no allowed scoring system has an objective below {F} (about {float(F):.6g}), the card's.",
        f"  N = {len(rows)} rows ({sum(positive)} positive), P = {len(question['features'])} features",
        f"  the card: {errors} errors (by weight), {size} features used", *card_in_words(card),
        *in_words(question, target),
        f"  table sha256 {fingerprint}"]

def check(data, card_file, proof_file):
    """Check everything; return what was proven, in words, or raise Refused."""
    lines, sha256 = opened(proof_file)
    with lines:
        program, best, _, words = check_claim(data, card_file, lines, sha256)
        count = int(next(lines).split()[1])
        proof, uses, done = Proof(program, best), {}, False
        for k in range(len(program.rows), len(program.rows) + count):
            line = next(lines, "").split()
            try:
                done |= proof.check(k, line)
            except (Refused, ValueError, IndexError) as problem:
                raise Refused(f"line d{k} of the proof fails: {problem}") from None
            uses.setdefault(int(line[-1]), []).append(k)  # the line will not be used after that one
            for old in uses.pop(k, ()):
                del proof.known[old]
        demand(done and not next(lines, ""), "the proof does not conclude, or goes on, after its last line")
    words += [f"  proof sha256 {sha256}, {count} lines checked"]
    words += ["  not proven: that no other points with this objective are smaller"]
    words += ["  not checked: texts, risks, rates and counts on the card, and how it reads other tables"]
    return "\n".join(words)

def main():
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # where names have letters that it cannot write
    try:
        demand(len(sys.argv) == 4, "call it as: supersparse-check data.csv card.json proof.vipr.gz")
        print(check(*sys.argv[1:]), flush=True)
    except Exception as problem:  # whatever goes wrong, nothing is proven
        sys.stdout = sys.stderr if isinstance(problem, BrokenPipeError) else sys.stdout
        print(f"NOT PROVEN: {problem if isinstance(problem, Refused) else repr(problem)}")
        return 1

if __name__ == "__main__":
    sys.exit(main())
