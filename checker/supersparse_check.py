"""supersparse-check: does a proof show that no scoring system is better than the one on a card?

    python supersparse_check.py data.csv card.json proof

This file needs Python 3.11 and nothing else. It shares no code with the program that made the card. It reads the
claim (columns, allowed points, prices, limits) from the proof and prints all of it, to see whether it is yours. Then,
for errors: the card must solve the integer program that it builds from the table; every line of the proof is checked.
For risks: it computes the card's log loss from the table, rounded up; the leaves of a tree must hold all cards, and
none a better one. Logarithms are rounded safely, all else is in whole numbers and fractions.
The printed lines, threshold and classes must be those proven. The last line names what it did not check.
You must trust this file and Python. You need not trust supersparse.
"""

import csv
import fractions
import functools
import gzip
import hashlib
import io
import itertools
import json
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
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
def opened(path, encoding="utf-8-sig"):  # a text file, packed by gzip or not, and the sha256 of its bytes
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
MORE = {"points": NUMBER, "missing": (*NUMBER, ...), "position": (int, ...), "unit": (str, ...), "question": (str, ...)}
ITEMS = [tuple({key: one for key, one in rule.items() if key != "if_missing"} | MORE for rule in RULES)]
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
    return type(value) is shape if isinstance(shape, type) else (type(value), value) == (type(shape), shape)
def once(pairs):  # a dictionary of JSON. If a key stands in it twice, others may read the other value.
    demand(len(dict(pairs)) == len(pairs), "a key stands twice in the card or in the question")
    return dict(pairs)
def known_keys(question, shapes):  # a question with all keys that this program knows, and no others
    for key in {**shapes, **question}:
        known = fits(question.get(key, ...), shapes.get(key, ()))
        demand(known, f"{key!r} of the question is not as this program knows it: {question.get(key)!r:.300}")
    return question
def read_question(line):  # the question at the top of a proof; one in which anything is unknown is refused
    question = known_keys(json.loads(line.removeprefix("% "), object_pairs_hook=once), QUESTION)
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
def cell(text, how, missing):  # some columns have a decimal comma (1.234,5), spellings, or codes for missing
    raw = text.strip()
    text = raw.replace(".", "").replace(",", ".") if how.get("decimal") == "," else raw
    text = how.get("spellings", {}).get(text, text)
    gone = raw in missing or text in missing or any(same(text, code) for code in how.get("missing", ()))
    return "" if gone else text
def number(text):  # a number as it is written: with a decimal point, and perhaps signs between thousands
    return exact("".join(c for c in text if c not in ",'’ \u00a0\u2009\u202f").replace("\u2212", "-"))
def same(text, value):  # whether a cell is a category: the same text, the same number, or true (1) and false (0)
    value = value["number"] if isinstance(value, dict) else value
    if str(value) == text or (isinstance(value, bool) and str(value).lower() == text.lower()):
        return True
    try:
        return number(str(int(value) if isinstance(value, bool) else value)) == number(text)
    except (ValueError, ZeroDivisionError):
        return False
def feature_value(rule, row):  # the number that a feature is in a row: a column's value, or 1 or 0 for a test of it
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
def allowed_values(asked):  # the points that a feature may have, in units and rising, with the penalty of each
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
    end = at + 1 + 2 * int(words[at])  # "count index value index value ..."; return it, and where it ends
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
def rule_of(item):  # what an item of the card or a feature of the question asks, without its points
    keys = ("rule", "column", "values", "at_least", "above", "at_most", "below")
    return json.dumps({key: item[key] for key in keys if key in item})
def score(items, row):  # the points of a row. An item says what a missing value gives.
    there = [row[item["column"]] or item["rule"] == "missing" for item in items]
    return exact(0) + sum(exact(item["points"]) * feature_value(item, row) if known else exact(item["missing"])
                          for item, known in zip(items, there))
def points_at(items, text):  # what the items on a column give where it holds a text; None where they refuse it
    try:
        return score(items, {item["column"]: text for item in items})
    except (ValueError, ZeroDivisionError, KeyError):
        return None
def named(values):  # categories as texts; true is 1 and false is 0
    plain = (value["number"] if isinstance(value, dict) else value for value in values)
    return [value if isinstance(value, str) else str(int(value)) for value in plain]
def stated(items):  # the categories and ends of ranges that items name, as texts
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
def limit_of(model):  # the total of which the scores are above 0, or below it
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
    fair = "intercept" not in card or threshold_of(card) == (least, above)
    demand(fair, f"the printed threshold must be {'above ' * above}{least} by the card's intercept")
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
    (rows, is_positive, weights), learned = people, card.get("learned") or card
    points = {rule_of(item): exact(item["points"]) for item in learned["items"]}
    points = {rule: value for rule, value in points.items() if value}
    check_lines(card, learned, people[0])
    gaps = {rule_of(one): one.get("if_missing") for one in question["features"] if one["rule"] != "missing"}
    for item in learned["items"]:  # a gap gives what the feature's value in its place gives
        gap = gaps.get(rule_of(item))
        check_gap(item, "refuse" if gap is None else exact(gap) * exact(item["points"]))
    features, unit = question["features"], question["unit"]
    values = [exact(solution.get(own["l"], 0), unit) for own in program.variables]
    proven = {rule_of(one): v for one, v in zip(features, values) if v}
    demand(points == proven, "the card has other points than the solution of the proof")
    check_threshold(card, rows, question["intercept"] == "free")
    scores, shown = ([score(model["items"], row) - limit_of(model) for row in rows] for model in (learned, card))
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
    check_claims(made, claims, sha256)
    return errors, size, objective
def check_gap(item, gives):  # a line of the card gives so much for a missing value, or refuses it
    given = item.get("missing", "refuse")
    fair = given == gives or (given != "refuse" != gives and exact(given) == gives)
    demand(fair, f"the card gives {given} points for a gap in {item['column']!r}; by the proof: {gives}")
def check_claims(made, claims, sha256):
    """Numbers on the card are those of the proof, which is the one that it names."""
    for name, value in claims.items():
        demand(fits(made[name], NUMBER) and exact(made[name]) == value, f"by the proof {name} is {value}")
    named = made.get("certificate", {"sha256": sha256})["sha256"]
    demand(named == sha256, "the card names another certificate: its sha256 differs")
def feature_in_words(one):  # the column and the test that make a feature; its name may say anything
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
def runs(values, unit):  # rising points in short, such as -3 to 3, 5, 6
    starts = [k for k, v in enumerate(values) if not k or values[k - 1] + 1 < v]
    parts = [values[first:after] for first, after in zip(starts, [*starts[1:], len(values)])]
    short = [(part, ", ") if len(part) < 3 else (part[:: len(part) - 1], " to ") for part in parts]
    return ", ".join(between.join(str(exact(v, unit)) for v in part) for part, between in short)
def points_in_words(one, unit):  # the points that a feature may have, and what they cost
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
    steps = f"in steps of 1/{unit}" if unit > 1 else "whole"
    yield from people_in_words(question, target, "a wrong one costs {} if negative, {} if positive")
    yield "  objective: cost of the errors by weight, over the weight of all rows, plus the penalties"
    yield f"  features, with the points they may have (points and b {steps}):"
    yield from (f"    {name}: {points_in_words(one, unit)}" for name, one in zip(names, features))
    low, high = (exact(end, unit) for end in question["range"] or (0, 0))
    above = "above 0 (0 is wrong for both classes)"
    yield "  predicted positive: " + {
        "free": "a total of t or more, t free", "none": f"a total {above}",
        "range": f"a total plus b {above}, b from {low} to {high}",
        "paper": f"a total plus b {above}, b of {b and points_in_words(b, unit)}"}[question["intercept"]]
    yield from limits_in_words(question["limits"], [*names, "b"] if b else names)
    for features in question["same_sign"]:
        yield f"  no opposite signs among {', '.join(names[f] for f in features)}"
def limits_in_words(limits, names):  # limits on what is used: weights by name, and their most
    for amounts, most in limits:
        used = [(exact(w), name) for name, w in zip(names, amounts)]
        sign = -1 if all(w <= 0 for w, _ in used) else 1  # at most -2 of -1 each: at least 2
        counted = ", ".join(f"{name} (counts {sign * w})" if sign * w != 1 else name for w, name in used if w)
        counted = counted if any(sign * w != 1 for w, _ in used) else "all features" + " and b" * ("b" in names)
        yield f"  used: {'at most' if sign > 0 else 'at least'} {sign * exact(most)} of {counted}"
def people_in_words(question, target, costs):  # the classes and weights of the rows, and how the file is read
    weight = f"its {question['weights']!r}" if question["weights"] else "1"
    yield f"  positive: {question['positive']!r} in the column {target!r}, all else there is negative"
    yield f"  weight of a row: {weight}; {costs.format(*map(exact, question['class_weights']))}"
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
def read_card(card_file):
    with opened(card_file)[0] as file:
        card = json.loads(file.read(2**27), object_pairs_hook=once)  # what is longer is cut, and then no JSON
    demand(fits([card["format"], card["version"]], ["supersparse-card", 2 + ("intercept" in card)]), "unknown format")
    return card
def two_classes(rows, target, question):  # which rows are positive, and their weights
    positive = [same(row[target], question["positive"]) for row in rows]
    demand(0 < sum(positive) < len(rows), "there are not two classes")
    return positive, [number(row[question["weights"]] if question["weights"] else "1") for row in rows]
def check_claim(data, card_file, lines, sha256):
    """Steps 1 to 3; return the program, its best value, the solution, and what is claimed in words."""
    card = read_card(card_file)
    _, _, statement, line = (next(lines) for _ in range(4))
    question = read_question(statement)
    rows, target, fingerprint = read_table(data, question)
    positive, weights = two_classes(rows, target, question)
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

# Risk cards of questions. For all θ in [0, 1], log(1 + e^s) >= θ·s + H(θ), H(θ) = -θ ln θ - (1 - θ) ln(1 - θ).
# A leaf of the tree is a set of cards. θ by pattern of answers closes it if (1) the residuals w(θ - p) add up
# to 0, (2) they favour no card of the leaf, (3) the mean of H(θ) plus the least price is as much as claimed.
UNIT, FINE, TOLERANCE = 10**38, 2**40, fractions.Fraction(1, 10**9)  # of logarithms; of θ from effects; of all
NEAREST, ROUGH = Context(60, ROUND_HALF_EVEN), Context(25, ROUND_HALF_EVEN)
ASKED = {"column": str, "answers": [tuple({k: s for k, s in rule.items() if k != "if_missing"} for rule in RULES)],
         "missing": (int, None), "ordered": int, "shape": ("up", "down", "either", "free"), "equal_steps": bool,
         "points": [int], "price": NUMBER}
CLAIM = {k: QUESTION[k] for k in QUESTION.keys() - {"unit", "same_sign", "intercept", "range", "b", "features"}} | {
    "format": "supersparse-risk-proof", "version": 1, "risk_threshold": NUMBER, "change_price": NUMBER,
    "labels": ({"unit": int, "blend": NUMBER, "values": [int]}, None), "questions": [ASKED],
    "min_questions": int, "max_questions": int, "limits": [[[int], int]], "alike": [[int]], "tree": list}
@functools.cache
def ln(n, up):
    """ln n in UNIT, from above or below. Not by an operator: these round to 28 digits, in no safe direction."""
    near = NEAREST.ln(Decimal(n))
    end, way = (near.next_plus, ROUND_CEILING) if up else (near.next_minus, ROUND_FLOOR)
    return int(NEAREST.scaleb(end(NEAREST), 38).to_integral_value(way))
@functools.cache
def entropy(k, n):  # H(k/n) in UNIT, from below
    return ln(n, False) - -(-(k * ln(k, True) + (n - k) * ln(n - k, True)) // n) if 0 < k < n else 0
def entropies(shares, grid):
    """The sum of w·H(s/n) over (s, n, w), from below: H is concave, so it lies above its chords."""
    total = 0
    for s, n, w in shares:
        j, rest = divmod(s * grid, n)
        low = entropy(j, grid)
        total += w * (low + (entropy(j + 1, grid) - low) * rest // n if rest else low)
    return total
@functools.cache
def softplus(s):  # log(1 + e^s) of a fraction in UNIT, from above
    size = NEAREST.divide(Decimal(-abs(s.numerator)), Decimal(s.denominator)).next_plus(NEAREST)
    more = NEAREST.add(Decimal(1), NEAREST.exp(size).next_plus(NEAREST)).next_plus(NEAREST)
    return ln(more, True) + ceil(max(s, 0) * UNIT)
def logistic(parts):  # 2^40 / (1 + product of e^-x), near enough: what comes of it is checked, however it was made
    small = functools.reduce(ROUGH.multiply, parts)
    return int(ROUGH.divide(Decimal(FINE), ROUGH.add(Decimal(1), small)).to_integral_value(ROUND_HALF_EVEN))

class Asked:
    """A question. A box is a set of points: the ways that they run along the order, least and most by answer."""
    def __init__(self, one):
        self.rules, self.missing, self.n = one["answers"], one["missing"], len(one["answers"])
        self.column, self.points, self.ordered = one["column"], one["points"], one["ordered"]
        self.ways = ("up", "down") if one["shape"] == "either" else (one["shape"],)
        self.equal_steps, self.price, self.known, self.hulls = one["equal_steps"], exact(one["price"]), {}, {}
        fair = all(rule["column"] == self.column and rule["rule"] != "value" for rule in self.rules)
        fair = fair and self.ordered in (0, *range(2, self.n + 1)) and self.n > 1 and self.price >= 0
        gaps = [k for k, rule in enumerate(self.rules) if rule["rule"] == "missing"]
        fair = fair and self.missing in (None, *range(self.n)) and gaps in ([], [self.missing])
        fair = fair and self.points == sorted(set(self.points)) and self.points[0] == 0
        demand(fair, f"the question about {self.column!r} is not as this program knows it")
        self.box = self.hull(self.ways, (0,) * self.n, (self.points[-1],) * self.n)
    def answers(self, rows):  # the one answer of each row
        for text in {row[self.column] for row in rows}:
            row, rules = {self.column: text}, enumerate(self.rules)
            fit = [k for k, rule in rules if feature_value(rule, row)] if text else [self.missing]
            demand(len(fit) == 1 and fit != [None], f"{text!r} in {self.column!r} does not give one answer")
            self.known[text] = fit[0]
        return [self.known[row[self.column]] for row in rows]
    def least(self, box, g, change=0):
        """The least sum of g·points, plus `change` for each change along the order, over the points of a box
        that a card may have: the smallest is 0, and not all are. None if there are none."""
        (ways, low, high), ends = box, []
        for way in ways:
            states = {(None, None, False, False): 0}  # last points and step in the order; was there 0? more?
            for b in range(self.n):
                allowed, after = [v for v in self.points if low[b] <= v <= high[b]], {}
                for ((last, step, zero, more), cost), v in itertools.product(states.items(), allowed):
                    rise = 0 if last is None else v - last
                    wrong = (way == "up" and rise < 0) or (way == "down" and rise > 0)
                    if wrong or (self.equal_steps and last is not None and step not in (None, rise)):
                        continue
                    step = rise if self.equal_steps and last is not None else None
                    key = (v if b + 1 < self.ordered else None, step, zero or v == 0, more or v > 0)
                    now = cost + g[b] * v + change * (rise != 0)
                    after[key] = min(now, after.get(key, now))
                states = after
            ends += [cost for (*_, zero, more), cost in states.items() if zero and more]
        return min(ends, default=None)
    def hull(self, *box):
        """The same box with ranges as narrow as the points in it allow; None if there are none."""
        if box not in self.hulls:
            units = [[int(a == b) for a in range(self.n)] for b in range(self.n)]
            low = tuple(self.least(box, unit) for unit in units)
            high = () if None in low else tuple(-self.least(box, [-x for x in unit]) for unit in units)
            self.hulls[box] = (box[0], low, high) if high else None
        return self.hulls[box]

class Cards:
    """The set of cards that a claim is about, the masses of its rows, and the proof for all of them."""
    def __init__(self, claim, asked, answers, is_positive, weights):
        self.asked, n, labels = asked, len(asked), claim["labels"]
        self.most, self.fewest, self.limits = min(n, claim["max_questions"]), claim["min_questions"], claim["limits"]
        self.change_price, blend = exact(claim["change_price"]), exact(labels["blend"] if labels else 0)
        unit, values = (labels["unit"], labels["values"]) if labels else (1, [int(yes) for yes in is_positive])
        minus, plus = (exact(text) for text in claim["class_weights"])
        self.alike, places = claim["alike"], [0, *itertools.chain(*claim["alike"])]
        fair = min(self.most, self.fewest, self.change_price, *places) >= 0 and max(places) < n
        fair = fair and min(minus, plus, unit, *weights) > 0 and 0 <= blend <= 1
        fair = fair and all(len(ws) == n for ws, _ in self.limits) and len(values) == len(weights)
        for p, yes in zip(values, is_positive):  # a label of this blend; it may be rounded by one unit
            fair = fair and 0 <= p <= unit and 0 <= p + 1 - (1 - blend) * yes * unit <= blend * unit + 2
        demand(fair, "limits, weights or labels are not as this program knows them")
        masses = [(w * plus * exact(p, unit), w * minus * exact(unit - p, unit)) for p, w in zip(values, weights)]
        self.N, self.D = sum(weights), lcm(*(mass.denominator for both in masses for mass in both))
        merged = {}  # rows that answer all questions alike, in the order of their first
        for key, (p, q) in zip(zip(*answers), masses):
            P, W = merged.get(key, (0, 0))
            merged[key] = P + int(p * self.D), W + int((p + q) * self.D)
        self.columns, (self.P, self.W) = list(zip(*merged)), zip(*merged.values())
    def totals(self, points):  # the total of each merged row
        each = (map(f.__getitem__, self.columns[j]) for j, f in points.items())
        return list(map(sum, zip([0] * len(self.P), *each)))
    def price(self, boxes, others=(), more=0):
        """The least price of a card with these boxes and so many more questions."""
        places = [*boxes.items(), *((j, self.asked[j].box) for j in others)]
        prices = [self.asked[j].price + (self.change_price and self.change_price * self.asked[j].least(
            box, [0] * self.asked[j].n, change=1)) for j, box in places]
        return sum(prices[: len(boxes)]) + sum(sorted(prices[len(boxes) :])[:more])
    def objective(self, points, slope, offset):
        """The objective of a card, from above. It must be a card of the set."""
        boxes = {j: self.asked[j].hull(self.asked[j].ways, f, f) for j, f in points.items()}
        fair = slope >= 0 and self.fewest <= len(points) <= self.most and None not in boxes.values()
        demand(fair and not self.beyond(boxes, ()), "the card is none of those that the proof is about")
        scores = [slope * total + offset for total in self.totals(points)]
        loss = sum(w * softplus(s) - p * s * UNIT for s, p, w in zip(scores, self.P, self.W))
        return exact(ceil(loss / (self.N * self.D)), UNIT) + self.price(boxes)
    def beyond(self, inside, opened):
        """Whether a limit is broken by all cards with these boxes, and any of the open questions."""
        least = [(sum(ws[j] for j in inside) + sum(min(0, ws[j]) for j in opened), most) for ws, most in self.limits]
        ends = [(j, low, high, self.asked[j].ordered - 1) for j, (_, low, high) in inside.items()]
        ends = {(j, (low[last] > high[0]) - (low[0] > high[last])) for j, low, high, last in ends}  # 1: it rises
        both = any(all(ends & {(j, way) for j in together} for way in (1, -1)) for together in self.alike)
        return both or any(amount > most for amount, most in least)
    def cover(self, tree, bound):
        """Every card of the set is in a leaf, and no leaf has one with an objective below the bound. A node is
        the boxes of the questions that are in, those that are open (all others are out), and the least size.
        These follow from the claim and the way to the node alone. Return the number of leaves."""
        stack, leaves = [({}, [j for j, one in enumerate(self.asked) if one.box], self.fewest)], 0
        for node in tree:
            demand(stack and isinstance(node, list) and node, "a node is left over, or is none")
            boxes, opened, least = stack.pop()
            opened, (kind, *rest) = opened if len(boxes) < self.most else [], node
            (j, *more), numbers = rest or [None], all(type(x) is int for x in rest)
            if kind == "q" and numbers and j in opened and not more:  # question j is in, or out
                left, now = [i for i in opened if i != j], boxes | {j: self.asked[j].box}
                stack += [(boxes, left, least), (now, left, max(least, len(now)))]
            elif kind == "x" and not rest:  # exactly these questions, or at least one more
                stack += [(boxes, opened, max(least, len(boxes) + 1)), (boxes, [], least)]
            elif kind == "p" and numbers and set(rest) <= set(opened) and len(boxes) >= self.most - 1:
                left = [i for i in opened if i not in rest]  # one more can come: one of these, or of the rest
                stack += [(boxes, left, least), (boxes, sorted(set(rest)), least)]
            elif kind == "d" and numbers and boxes.get(j) and not more:  # the points of j rise, or fall
                ways, *ends = boxes[j]
                demand(len(ways) == 2, "a direction is known already")
                up, down = (boxes | {j: self.asked[j].hull((way,), *ends)} for way in ways)
                stack += [(down, opened, least), (up, opened, least)]
            elif kind == "r" and numbers and boxes.get(j) and len(more) == 2:  # points of answer b of j: <= k, > k
                (b, k), (ways, low, high) = more, boxes[j]
                demand(0 <= b < len(low), "an answer does not exist")
                above = self.asked[j].hull(ways, (*low[:b], max(low[b], k + 1), *low[b + 1 :]), high)
                below = self.asked[j].hull(ways, low, (*high[:b], min(high[b], k), *high[b + 1 :]))
                stack += [(boxes | {j: above}, opened, least), (boxes | {j: below}, opened, least)]
            elif kind == "e" and not rest:
                none = None in boxes.values() or max(least, len(boxes)) > min(self.most, len(boxes) + len(opened))
                demand(none or self.beyond(boxes, opened), "cards are left in an empty leaf")
            else:
                self.leaf(kind, rest, boxes, opened, least, bound)
                leaves += 1
        demand(not stack, "a leaf is missing")
        return leaves
    def leaf(self, kind, rest, boxes, opened, least, bound):
        """No card of the leaf has an objective below the bound, whatever its slope and offset. A pattern is the total
        of the questions whose points are decided (none in a leaf "l"), and the other answers."""
        demand(kind in ("l", "t", "c") and None not in boxes.values(), "a node is unknown, or its leaf has no cards")
        decided = {j: box[1] for j, box in boxes.items() if box[1] == box[2] and kind != "l"}
        kept, P, W = [j for j in (*sorted(boxes), *opened) if j not in decided], {}, {}
        for key, p, w in zip(zip(self.totals(decided), *(self.columns[j] for j in kept)), self.P, self.W):
            P[key], W[key] = P.get(key, 0) + p, W.get(key, 0) + w
        unit, finer, t = (1, FINE, self.residuals(rest, kept, P, W)) if kind == "c" else rest
        fair = all(type(x) is int for x in (unit, finer, *t)) and min(unit, finer) > 0
        demand(fair and len(t) == len(P) and sum(t) == 0, "(1) of a leaf fails")
        totals, *columns = zip(*P)
        favour, gains = sum(x * total for x, total in zip(t, totals)), []
        for j, column in zip(kept, columns):
            g, one = [0] * self.asked[j].n, self.asked[j]
            for x, k in zip(t, column):
                g[k] += x
            if any(g) and j in boxes:
                favour += one.least(boxes[j], g)
            elif any(g):
                gains.append(min(0, one.least(one.box, g)))
        demand(favour + sum(sorted(gains)[: self.most - len(boxes)]) >= 0, "(2) of a leaf fails")
        shares = [(finer * p + unit * x, finer * w, w) for x, p, w in zip(t, P.values(), W.values())]
        demand(all(0 <= s <= n for s, n, _ in shares), "a θ of a leaf is not between 0 and 1")
        wanted = (bound - self.price(boxes, opened, least - len(boxes))) * self.N * self.D * UNIT
        closed = any(entropies(shares, grid) >= wanted for grid in (2**7, 2**11, 2**15))  # faster
        demand(closed or sum(w * entropy(s, n) for s, n, w in shares) >= wanted, "(3) of a leaf fails")
    def residuals(self, rest, kept, P, W):
        """The residuals of a logistic model in 1/(D·FINE); the pattern with most room takes what is left."""
        k, offset, slope, effects = rest
        demand(all(type(x) is int for x in (k, offset, slope, *effects)) and 0 <= k <= 60, "an effect is not whole")
        starts = list(itertools.accumulate((self.asked[j].n for j in kept), initial=0))
        demand(len(effects) == starts[-1], "a leaf has not one effect for each answer")
        power = functools.cache(lambda s: ROUGH.exp(ROUGH.divide(Decimal(-s), Decimal(2**k))))
        parts = ((power(offset + slope * total), *(power(effects[start + b]) for start, b in zip(starts, answers)))
                 for total, *answers in P)
        shares = [logistic(each) * w for each, w in zip(parts, W.values())]
        room = [min(share, FINE * w - share) for share, w in zip(shares, W.values())]
        t = [share - FINE * p for share, p in zip(shares, P.values())]
        t[room.index(max(room))] -= sum(t)
        return t
def check_risk_card(card, claim, cards, people, sha256):
    """The printed card gives the points and the risks that the proof is about; return its objective."""
    (rows, is_positive, weights), asked, points, base, moved = people, cards.asked, {}, 0, 0
    places = {rule_of(rule): (j, k) for j, one in enumerate(asked) for k, rule in enumerate(one.rules)}
    demand(len(places) == sum(one.n for one in asked), "two answers are the same")
    places |= {rule_of(VALUE | {"column": one.column}): (j, 1) for j, one in enumerate(asked)}  # of 0 and 1
    learned, risk = card.get("learned") or card, card["risk"]
    check_lines(card, learned, rows)
    for item in learned["items"]:
        demand(rule_of(item) in places, "the card has a line that is no answer of the proof")
        (j, k), worth = places[rule_of(item)], exact(item["points"])
        if item["rule"] != "missing":
            check_gap(item, "refuse" if asked[j].missing is None else worth * (k == asked[j].missing))
        demand(worth.denominator == 1, f"the points for {asked[j].column!r} are not whole")
        points[j] = tuple(int(worth) if b == k else v for b, v in enumerate(points.get(j, (0,) * asked[j].n)))
    points = {j: tuple(v - min(f) for v in f) for j, f in points.items()}  # their smallest are 0 in the proof
    for column, texts in {one.column: one.known for one in asked}.items():  # all that the table has there
        own, shown = ([i for i in model["items"] if i["column"] == column] for model in (learned, card))
        here = [(points[j], asked[j].known) for j in points if asked[j].column == column]
        given = {points_at(own, text) - sum(f[known[text]] for f, known in here) for text in texts}
        shift = {points_at(own, text) - points_at(shown, text) for text in texts}
        demand(len(given) == len(shift) == 1, f"the lines on {column!r} give other points")
        base, moved = base + given.pop(), moved + shift.pop()
    demand({item["column"] for item in card["items"]} <= {one.column for one in asked}, "a line is no answer")
    limit, odds = limit_of(learned), exact(claim["risk_threshold"])
    fair = risk["kind"] == "logistic" and fits([risk["slope"], risk["offset"]], [(int, float)])
    demand(fair and limit_of(card) == limit - moved, "the card has no logistic risk")
    check_threshold(card, rows, is_free=True)
    slope, offset = (exact(str(risk[name])) for name in ("slope", "offset"))
    limit, offset = limit - base, offset + slope * (base - moved)  # by the points of the proof
    objective, (yes, no) = cards.objective(points, slope, offset), (odds.numerator, odds.denominator - odds.numerator)
    low, high = (ln(yes, up) - ln(no, not up) if yes != no else 0 for up in (False, True))
    for total in (max(0, min(floor(limit) + k, sum(map(max, points.values())))) for k in (0, 1)):
        s = (slope * total + offset) * UNIT  # it rises with the total
        demand(s >= high if total > limit else s < low, f"the risk of a total of {total} is not as its class")
    totals = [sum(f[asked[j].known[row[asked[j].column]]] for j, f in points.items()) for row in rows]
    wrong = [w for w, total, yes in zip(weights, totals, is_positive) if (total > limit) != yes]
    claims = {"training_errors": sum(wrong), "total_weight": sum(weights), "n_rows": len(rows), "size": len(points)}
    check_claims(made := card["provenance"], claims, sha256)
    for name in ("objective", "lower_bound"):
        near = fits(made[name], NUMBER) and abs(exact(made[name]) - objective) <= 2 * TOLERANCE
        demand(near, f"the card claims another {name}")
    return objective
def risk_in_words(claim, cards, card, target):  # the claim of a risk card in plain words, all of it
    yield f"  the risk of a total: 1/(1 + e^-({card['risk']['offset']} + {card['risk']['slope']}·total))"
    yield from card_in_words(card)
    yield from people_in_words(claim, target, "its loss counts {} as negative, {} as positive")
    digest, labels = hashlib.sha256(json.dumps(claim["labels"]).encode()).hexdigest(), claim["labels"]
    label = labels and f"in the proof (sha256 {digest}), {exact(labels['blend'])} of it the risk of a teacher"
    yield f"  label p of a row: {label or '1 if it is positive, else 0'}"
    yield "  objective: p·log(1 + e^-s) + (1 - p)·log(1 + e^s), s = a·total + b, a >= 0, by weight over N, plus prices"
    yield f"  cards that ask {cards.fewest} to {cards.most} of these; their smallest points are 0, and not all are:"
    change = f", {cards.change_price} for each change of points along the order" * bool(cards.change_price)
    names = [f"{k} {one.column!r}" for k, one in enumerate(cards.asked, 1)]
    for name, one, given in zip(names, cards.asked, claim["questions"]):
        order = f"{given['shape']} along the first {one.ordered} answers" if one.ordered else "free"
        steps = " in equal steps" * one.equal_steps
        yield f"    {name}: points {runs(one.points, 1)}, {order}{steps}, price {one.price}{change}"
        answers = (feature_in_words(rule) + " (or missing)" * (k == one.missing) for k, rule in enumerate(one.rules))
        yield f"      {'; '.join(answers)}"
    yield from limits_in_words(cards.limits, names)
    for own in cards.alike:
        yield f"  from the first to the last answer in order all rise or all fall: {', '.join(names[j] for j in own)}"
    yield f"  predicted positive: a risk of {exact(claim['risk_threshold'])} or more"
def check_risk(data, card_file, text, sha256):
    """Check a risk card of questions and its proof; return what was proven, in words."""
    claim = known_keys(json.loads(text, object_pairs_hook=once), CLAIM)
    card, (rows, target, fingerprint) = read_card(card_file), read_table(data, claim)
    positive, weights = two_classes(rows, target, claim)
    asked = [Asked(one) for one in claim["questions"]]
    cards = Cards(claim, asked, [one.answers(rows) for one in asked], positive, weights)
    check_classes(card, claim, {row[target] for row, yes in zip(rows, positive) if not yes})
    objective = check_risk_card(card, claim, cards, (rows, positive, weights), sha256)
    leaves = cards.cover(claim["tree"], objective - TOLERANCE)
    return "\n".join([
        f"PROVEN: no allowed card has an objective below {float(objective):.12f}, the card's, by more than 1e-9.",
        f"  {len(rows)} rows ({sum(positive)} positive) of weight N = {cards.N}, {len(asked)} questions",
        *risk_in_words(claim, cards, card, target), f"  table sha256 {fingerprint}",
        f"  proof sha256 {sha256}, {leaves} leaves checked",
        "  not proven: that no other card is as good, that labels or teacher are right, how it does elsewhere",
        "  not checked: texts, rates, intervals and counts on the card, and how it reads other tables"])
def check(data, card_file, proof_file):  # check everything; return what was proven, in words, or raise Refused
    lines, sha256 = opened(proof_file)
    with lines:
        if (first := lines.read(1)) == "{":  # the proof of a risk card
            return check_risk(data, card_file, first + lines.read(2**30), sha256)
        lines = itertools.chain([first + lines.readline()], lines)
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
    return "\n".join([*words, f"  proof sha256 {sha256}, {count} lines checked",
                      "  not proven: that no other points with this objective are smaller",
                      "  not checked: texts, risks, rates and counts on the card, and how it reads other tables"])
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
