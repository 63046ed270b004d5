"""supersparse-check: does a proof show that no scoring system is better than the one on a card?

    python supersparse_check.py data.csv card.json proof.vipr.gz

This file needs Python 3.11 and nothing else. It shares no code with the program that made the card. It

1. reads the question (columns, allowed points, penalties, limits) from the top of the proof, and prints it;
2. builds the integer program of that question from the table, and compares it with the one in the proof;
3. checks that the card is a solution of it, with the objective and the errors that the card claims;
4. checks every line of the proof, in whole numbers, until one says: no solution has a smaller objective.

You must trust this file and Python. You need not trust supersparse.
"""

import csv
import gzip
import hashlib
import io
import json
import sys
from fractions import Fraction
from math import gcd, lcm


class Refused(Exception):
    """The first thing that is not as it should be."""


def demand(condition, message):
    if not condition:
        raise Refused(message)


# ---------------------------------------------------------------- the table

def read_bytes(path):
    with open(path, "rb") as file:
        content = file.read()
    return content, gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def read_table(path):
    """The rows of a CSV file as dictionaries of texts, and the sha256 of the file."""
    content, plain = read_bytes(path)
    text = plain.decode("utf-8-sig")
    comma = max(",;\t", key=text.partition("\n")[0].count)
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=comma) if row]
    demand(len(rows) > 1, "the table has no rows")
    header = [name.strip() for name in rows[0]]
    demand(all(len(row) == len(header) for row in rows), "the rows of the table have different lengths")
    return [dict(zip(header, map(str.strip, row))) for row in rows[1:]], hashlib.sha256(content).hexdigest()


def number(text, what):
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError, TypeError):
        raise Refused(f"{what} is {text!r}, which is not a number") from None


def same(text, value):
    """Whether a cell is a certain category: the same text, the same number, or true and false."""
    if isinstance(value, dict):
        value = value["number"]
    if str(value).lower() == text.lower() if isinstance(value, bool) else str(value) == text:
        return True
    try:
        return not isinstance(value, bool) and Fraction(str(value)) == Fraction(text)
    except (ValueError, ZeroDivisionError):
        return False


def feature_value(rule, row, missing):
    """The number that a feature is in one row: a column's value, or 1 or 0 for a test of it."""
    demand(rule["column"] in row, f"the table has no column {rule['column']!r}")
    text, kind = row[rule["column"]], rule["rule"]
    if text == "" or text in missing:
        if kind == "missing":
            return Fraction(1)
        demand(rule.get("if_missing") is not None, f"a value of {rule['column']!r} is missing")
        return Fraction(rule["if_missing"])
    if kind == "missing":
        return Fraction(0)
    if kind in ("category", "other"):
        return Fraction(any(same(text, value) for value in rule["values"]) == (kind == "category"))
    value = number(text, f"a value of {rule['column']!r}")
    if kind == "value":
        return value
    demand(kind == "range", f"the rule {kind!r} is unknown")
    return Fraction(
        ("at_least" not in rule or value >= Fraction(rule["at_least"]))
        and ("above" not in rule or value > Fraction(rule["above"]))
        and ("at_most" not in rule or value <= Fraction(rule["at_most"]))
        and ("below" not in rule or value < Fraction(rule["below"]))
    )


def allowed_values(asked):
    """The points that a feature may have, in units and rising, with the penalty of each."""
    if "interval" in asked:
        low, high = asked["interval"]
        values = [v for v in range(low, high + 1) if v or asked["zero"]]
    else:
        values = asked["set"]
    demand(values == sorted(set(values)), f"the points of {asked['name']!r} are not in order")
    if "penalty" in asked:
        return values, [Fraction(asked["penalty"]) if v else Fraction(0) for v in values]
    return values, [Fraction(p) for p in asked["penalties"]]


# ---------------------------------------------------------------- the integer program

class Program:
    """Variables, inequalities and objective, built from the question and the table alone.

    l: points. p, n: whether they are positive, negative. u: whether they are a certain value. t: totals of t or
    more are predicted positive (or b: the intercept). z: whether a row is wrong. M is so large that an
    inequality with M·z says nothing about a row that is wrong.
    """

    def __init__(self, question, rows, is_positive, weights):
        self.names, self.rows, self.bounds, cost = [], [], [], {}
        free = question["intercept"] == "free"
        asked = question["features"]
        missing = set(question["missing"])
        table = [[feature_value(one, row, missing) for row in rows] for one in asked]
        # scores as whole numbers: multiply all columns by one number
        common = lcm(*(x.denominator for column in table for x in column))
        whole = [[int(x * common) for x in column] for column in table]
        counts_b = question["intercept"] in ("range", "paper")
        divisor = gcd(common if counts_b else 0, *(x for column in whole for x in column)) or 1
        step = common // divisor
        # equal rows of a class are wrong together: one z, whose cost is the sum of their weights
        weight = {}
        for r, w in enumerate(weights):
            key = (is_positive[r], tuple(column[r] // divisor for column in whole))
            weight[key] = weight.get(key, 0) + w
        points = sorted(weight)
        columns = [[x[f] for _, x in points] for f in range(len(asked))]
        if question["intercept"] == "paper":
            asked = [*asked, question["b"]]
            columns.append([step] * len(points))
        sets = [allowed_values(one) for one in asked]
        # how low and how high a score can be
        ends = [[v * x for v in (s[0], s[-1]) for x in c] for (s, _), c in zip(sets, columns)]
        if question["intercept"] == "range":
            ends.append([b * step for b in question["range"]])
        least, most = sum(min(0, *e) for e in ends), sum(max(0, *e) for e in ends)
        M = most - least + 1
        self.constant = Fraction(0)
        variables = []
        for f, (values, penalties) in enumerate(sets):
            unused = penalties[values.index(0)] if 0 in values else Fraction(0)
            self.constant += unused
            low, high = min(0, values[0]), max(0, values[-1])
            own = {"l": self.variable(f"l{f}", low, high)}
            if high > 0:
                own["p"] = self.variable(f"p{f}", 0, 1)
            if low < 0:
                own["n"] = self.variable(f"n{f}", 0, 1)
            variables.append(own)
            used = {p for v, p in zip(values, penalties) if v}
            gapless = high - low == len(values) - (0 in values)
            own["u"] = {}
            if gapless and len(used) < 2 and not unused:
                cost |= {own[sign]: used.copy().pop() for sign in "pn" if sign in own}
            else:
                for k, (v, penalty) in enumerate(zip(values, penalties)):
                    if v:
                        own["u"][v] = self.variable(f"u{f}_{k}", 0, 1)
                        cost[own["u"][v]] = penalty - unused
        self.variables, self.sets, self.asked = variables, sets, asked
        same_sign = [(self.variable(f"s{k}", 0, 1), fs) for k, fs in enumerate(question["same_sign"])]
        threshold = None
        if free:
            threshold = self.variable("t", least, most + 1)
        elif question["intercept"] == "range":
            threshold = self.variable("b", *question["range"])
        wrong = [self.variable(f"z{r}", 0, 1) for r in range(len(points))]
        price = [Fraction(w) for w in question["class_weights"]]
        for z, key in zip(wrong, points):
            cost[z] = weight[key] * price[key[0]] / sum(weights)
        self.n_bounds = len(self.rows)
        for f, ((values, _), own) in enumerate(zip(sets, variables)):
            up, down = [v for v in values if v > 0], [v for v in values if v < 0]
            l, signs = own["l"], {own[sign]: 1 for sign in "pn" if sign in own}
            below, above = {l: -1}, {l: 1}
            if up:  # p = 1 puts l between the smallest and the largest positive value
                below[own["p"]], above[own["p"]] = up[-1], -up[0]
            if down:
                below[own["n"]], above[own["n"]] = down[-1], -down[0]
            self.row(f"below{f}", "G", 0, below)
            self.row(f"above{f}", "G", 0, above)
            self.row(f"sign{f}", "L", 1, signs)
            if 0 not in values:
                self.row(f"used{f}", "G", 1, signs)
            if own["u"]:
                self.row(f"value{f}", "E", 0, {l: 1} | {u: -v for v, u in own["u"].items()})
                if up:
                    self.row(f"up{f}", "E", 0, {own["p"]: 1} | {own["u"][v]: -1 for v in up})
                if down:
                    self.row(f"down{f}", "E", 0, {own["n"]: 1} | {own["u"][v]: -1 for v in down})
        if question["max_features"] is not None:
            self.row("size", "L", question["max_features"], self.counting([1] * len(variables)))
        for k, (texts, most_text) in enumerate(question["limits"]):
            amounts, limit = [Fraction(w) for w in texts], Fraction(most_text)
            scale = lcm(limit.denominator, *(w.denominator for w in amounts))
            self.row(f"limit{k}", "L", int(limit * scale), self.counting([int(w * scale) for w in amounts]))
        for k, (s, features) in enumerate(same_sign):  # all p are 0, or all n are
            for f in features:
                if "p" in variables[f]:
                    self.row(f"plus{k}_{f}", "G", 0, {s: 1, variables[f]["p"]: -1})
                if "n" in variables[f]:
                    self.row(f"minus{k}_{f}", "L", 1, {s: 1, variables[f]["n"]: 1})
        for r, (positive, x) in enumerate(points):
            sign = 1 if positive else -1
            inequality = {own["l"]: sign * column[r] for own, column in zip(variables, columns)}
            inequality[wrong[r]] = M
            if threshold is not None:
                inequality[threshold] = -sign if free else sign * step
            self.row(f"r{r}", "G", 0 if free and positive else 1, inequality)
        cost = {v: c for v, c in sorted(cost.items()) if c}
        scale = lcm(*(c.denominator for c in cost.values()))
        shared = gcd(*(int(c * scale) for c in cost.values())) or 1
        self.objective = {v: int(c * scale) // shared for v, c in cost.items()}
        self.unit = Fraction(shared, scale)  # F is the objective times this, plus the constant

    def variable(self, name, low, high):
        at = len(self.names)
        self.names.append(name)
        self.row(f"L{name}", "G", low, {at: 1})
        self.row(f"U{name}", "L", high, {at: 1})
        return at

    def row(self, label, sense, right, coefficients):
        self.rows.append((label, sense, right, {v: c for v, c in coefficients.items() if c}))

    def counting(self, amounts):
        """How much of a limit the features in use take up."""
        return {own[s]: w for own, w in zip(self.variables, amounts) for s in "pn" if s in own}

    def text(self):
        """The lines of the proof that state the program."""
        n = len(self.names)
        yield "VER 1.1"
        yield f"VAR {n}"
        yield " ".join(self.names)
        yield f"INT {n}"
        yield " ".join(map(str, range(n)))
        yield "OBJ min"
        yield sparse(self.objective)
        yield f"CON {len(self.rows)} {self.n_bounds}"
        for label, sense, right, coefficients in self.rows:
            yield f"{label} {sense} {right} {sparse(coefficients)}"


def sparse(coefficients):
    return " ".join([str(len(coefficients)), *(f"{v} {c}" for v, c in sorted(coefficients.items()))])


# ---------------------------------------------------------------- the proof

def read_vector(words, at):
    """A vector as the proof writes it, "count index value index value ...", and where it ends."""
    end = at + 1 + 2 * int(words[at])
    demand(0 < end - at and end <= len(words), "a vector is cut short")
    found = dict(zip(map(int, words[at + 1 : end : 2]), map(int, words[at + 2 : end : 2])))
    demand(2 * len(found) == end - at - 1, "a vector names a variable twice")
    return {v: c for v, c in found.items() if c}, end


def holds(row, solution):
    _, sense, right, coefficients = row
    total = sum(c * solution.get(v, 0) for v, c in coefficients.items())
    return total == right if sense == "E" else (total >= right if sense == "G" else total <= right)


class Proof:
    """The inequalities known so far, by number: (sense, right side, coefficients, assumptions)."""

    def __init__(self, program, best):
        self.objective, self.best, self.n = program.objective, best, len(program.names)
        nothing = frozenset()
        self.known = {k: (row[1], row[2], row[3], nothing) for k, row in enumerate(program.rows)}

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
            demand(not reason, "an assumption has no reason")
            assumptions = frozenset([k])
        elif kind == "sol":  # only solutions better than the card matter: objective <= best - 1
            demand(coefficients is self.objective and sense == "L", "sol is about the objective")
            demand(right >= self.best - 1 and not reason, "sol claims too much")
            assumptions = frozenset()
        elif kind in ("lin", "rnd"):
            assumptions = self.combination(sense, right, coefficients, reason, rounded=kind == "rnd")
        elif kind == "uns":
            assumptions = self.both_cases(sense, right, coefficients, reason)
        else:
            raise Refused(f"the rule {kind!r} is unknown")
        self.known[k] = (sense, right, coefficients, assumptions)
        proven = sense == "G" and right >= self.best and coefficients is self.objective
        return proven and not assumptions

    def combination(self, sense, right, coefficients, reason, rounded):
        """A sum of known inequalities times multipliers; with rnd, the right side is then rounded.

        To get "at least", an "at least" may be multiplied by 0 or more, an "at most" by 0 or less, and an
        equation by anything. Rounding is right as all variables and, checked here, coefficients are whole.
        """
        demand(reason and len(reason) == 1 + 2 * int(reason[0]), "a combination is cut short")
        terms = []
        for line, text in zip(map(int, reason[1::2]), reason[2::2]):
            top, _, bottom = text.partition("/")
            terms.append((line, int(top), int(bottom or 1)))
        demand(all(bottom > 0 for *_, bottom in terms), "a multiplier has no valid denominator")
        demand(len({line for line, *_ in terms}) == len(terms), "a combination uses a line twice")
        over = lcm(*(bottom for *_, bottom in terms))
        total, sum_right, assumptions = {}, 0, set()
        for line, top, bottom in terms:
            demand(line in self.known, f"line {line} is not known here")
            its_sense, its_right, its_coefficients, its_assumptions = self.known[line]
            factor = top * (over // bottom)
            demand(its_sense == "E" or (factor >= 0) == (its_sense == sense) or not factor,
                   f"line {line} is multiplied by a number of the wrong sign")
            sum_right += factor * its_right
            for v, c in its_coefficients.items():
                total[v] = total.get(v, 0) + factor * c
            if its_assumptions:
                assumptions |= its_assumptions
        demand({v: c for v, c in total.items() if c} == {v: c * over for v, c in coefficients.items()},
               "the combination has other coefficients than the line")
        if sense == "G":
            reached = -(-sum_right // over) if rounded else Fraction(sum_right, over)
            demand(reached >= right, f"the combination reaches {reached}, not {right}")
        else:
            reached = sum_right // over if rounded else Fraction(sum_right, over)
            demand(reached <= right, f"the combination reaches {reached}, not {right}")
        return frozenset(assumptions)

    def both_cases(self, sense, right, coefficients, reason):
        """Two lines say the same, one assuming a·x <= k, the other a·x >= k + 1: one of the two is true."""
        demand(len(reason) == 4 and all(int(w) in self.known for w in reason), "a case is not known here")
        first, case1, second, case2 = (int(w) for w in reason)
        for line in (first, second):
            its_sense, its_right, its_coefficients, _ = self.known[line]
            stronger = its_right >= right if sense == "G" else its_right <= right
            demand(its_sense == sense and stronger and its_coefficients == coefficients,
                   f"line {line} does not say what is concluded")
        one, two = self.known[case1], self.known[case2]
        if one[0] == "G":
            one, two = two, one
        demand(one[0] == "L" and two[0] == "G" and one[2] == two[2] and one[1] + 1 == two[1],
               "the two cases do not cover everything")
        return (self.known[first][3] - {case1}) | (self.known[second][3] - {case2})


# ---------------------------------------------------------------- the card

RULE = ("rule", "column", "values", "at_least", "above", "at_most", "below")


def rule_of(item):
    return json.dumps({key: item[key] for key in RULE if key in item}, sort_keys=True)


def check_card(card, question, program, solution, best, rows, is_positive, weights, sha256):
    """The card has the points of the solution, and its errors and penalties add up to the objective."""
    learned = card.get("learned") or card
    points = {rule_of(item): Fraction(item["points"]) for item in learned["items"] if Fraction(item["points"])}
    features, unit = question["features"], question["unit"]
    values = [Fraction(solution.get(own["l"], 0), unit) for own in program.variables]
    proven = {rule_of(one): v for one, v in zip(features, values) if v}
    demand(points == proven, "the card has other points than the solution of the proof")
    demand(same(question["positive"], card["classes"]["positive"]), "the card has another positive class")
    threshold, missing, wrong = Fraction(learned["threshold"]), set(question["missing"]), [False] * len(rows)
    for r, row in enumerate(rows):
        score = sum(v * feature_value(one, row, missing) for one, v in zip(features, values) if v) - threshold
        wrong[r] = score <= 0 if is_positive[r] else score >= 0
    b = -threshold * unit
    if question["intercept"] == "range":
        demand(question["range"][0] <= b <= question["range"][1] and b.denominator == 1, "b is not allowed")
    elif question["intercept"] != "free":
        demand(b == (values[-1] * unit if question["b"] else 0), "the card has another intercept")
    errors = sum(w for w, is_wrong in zip(weights, wrong) if is_wrong)
    price = [Fraction(w) for w in question["class_weights"]]
    loss = sum(w * price[p] for w, p, is_wrong in zip(weights, is_positive, wrong) if is_wrong)
    penalty = sum(costs[s.index(v * unit)] for (s, costs), v in zip(program.sets, values) if v or 0 in s)
    objective = best * program.unit + program.constant
    demand(loss / sum(weights) + penalty == objective, "the card's errors on the table are not those of the proof")
    size, made = sum(1 for v in values if v), card["provenance"]
    demand(made, "the card has no provenance")
    claims = {"objective": objective, "lower_bound": objective, "training_errors": errors, "n_rows": len(rows),
              "total_weight": sum(weights), "size": size}
    for name, value in claims.items():
        demand(Fraction(made[name]) == value, f"the card claims {name} = {made[name]}, but it is {value}")
    named = made.get("certificate")
    demand(not named or named["sha256"] == sha256, "the card names another certificate: its sha256 differs")
    return errors, size, objective


def in_words(question):
    """The question in plain words: what the proof is about."""
    sets = {}
    for one in question["features"]:
        values, costs = allowed_values(one)
        shown = f"{values[0]} to {values[-1]}" if "interval" in one else ", ".join(map(str, values))
        price = f"{costs[0] or costs[-1]}" if "penalty" in one else "by value"
        sets.setdefault((shown, price), []).append(one["name"])
    for (shown, price), names in sets.items():
        listed = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        yield f"  points {shown} in units of 1/{question['unit']}, penalty {price}: {len(names)} features ({listed})"
    yield f"  intercept: {question['intercept']} {question['range'] or ''}"
    yield f"  most features: {question['max_features'] or 'no limit'}; other limits: {question['limits'] or 'none'}; of one sign: {question['same_sign'] or 'none'}"
    yield f"  positive class: {question['positive']}; weights of an error (negative, positive): " + ", ".join(
        question["class_weights"])


def check(data, card_file, proof_file):
    """Check everything; return what was proven, in words, or raise Refused."""
    card = json.loads(read_bytes(card_file)[1])
    rows, fingerprint = read_table(data)
    with open(proof_file, "rb") as file:
        sha256, packed = hashlib.file_digest(file, "sha256").hexdigest(), None
        file.seek(0)
        packed = file.read(2) == b"\x1f\x8b"
    with (gzip.open if packed else open)(proof_file, "rt", encoding="ascii") as lines:
        line = next(lines)
        while line.startswith("%"):
            if line.startswith("% {"):
                question = json.loads(line[2:])
            line = next(lines)
        demand(question["table"] in (None, fingerprint), "the proof is about another file: its sha256 differs")
        rows = [row for row in rows if not question["weights"] or Fraction(row[question["weights"]])]
        target = question["target"] or next(iter(rows[0]))
        demand(target in rows[0], f"the table has no column {target!r}")
        is_positive = [same(row[target], question["positive"]) for row in rows]
        demand(len({row[target] for row, p in zip(rows, is_positive) if not p}) == 1, "there are not two classes")
        weights = [number(row[question["weights"]], "a weight") if question["weights"] else Fraction(1) for row in rows]
        program = Program(question, rows, is_positive, weights)
        for expected in program.text():
            demand(line.rstrip("\n") == expected, f"the program in the proof is not that of the table, at: {line[:60]}")
            line = next(lines)
        words = line.split()
        demand(words[:2] == ["RTP", "range"] and words[2] == words[3], "the proof must give one value")
        best = int(words[2])
        demand(next(lines).split() == ["SOL", "1"], "the proof must have one solution")
        solution, _ = read_vector(next(lines).split(), 1)
        for row in program.rows:
            demand(holds(row, solution), f"the solution breaks {row[0]}")
        value = sum(c * solution.get(v, 0) for v, c in program.objective.items())
        demand(value == best, f"the solution has the objective {value}, not {best}")
        errors, size, objective = check_card(
            card, question, program, solution, best, rows, is_positive, weights, sha256)
        count = int(next(lines).split()[1])
        proof, uses, done = Proof(program, best), {}, False
        for k in range(len(program.rows), len(program.rows) + count):
            words = next(lines, "").split()
            try:
                demand(len(words) > 6, "the line is cut short")
                done |= proof.check(k, words)
            except (Refused, ValueError, IndexError, ZeroDivisionError) as problem:
                raise Refused(f"line d{k} of the proof fails: {problem}") from None
            if int(words[-1]) > k:  # the line will not be used after that one
                uses.setdefault(int(words[-1]), []).append(k)
            for old in uses.pop(k, ()):
                del proof.known[old]
        demand(not next(lines, ""), "the proof goes on after its end")
        demand(done, "the proof does not conclude that nothing is better")
    return "\n".join([
        f"PROVEN: no scoring system has an objective below {objective} (about {float(objective):.6g}), which this card has.",
        f"  {len(rows)} rows ({sum(is_positive)} of the positive class), {len(question['features'])} features offered,"
        f" {errors} errors (weight), {size} features used",
        *in_words(question),
        f"  table sha256 {fingerprint}",
        f"  proof sha256 {sha256}, {count} lines checked",
        "  not proven: that the points are the smallest of all that reach this objective",
    ])


def main():
    if len(sys.argv) != 4:
        print("usage: supersparse-check data.csv card.json proof.vipr.gz")
        return 2
    try:
        print(check(*sys.argv[1:]))
        return 0
    except Refused as reason:
        print(f"NOT PROVEN: {reason}")
    except (OSError, EOFError, ValueError, KeyError, TypeError, IndexError, StopIteration, AttributeError,
            ZeroDivisionError, OverflowError, csv.Error, RecursionError, UnboundLocalError) as error:
        print(f"NOT PROVEN: a file cannot be read as it should: {type(error).__name__}: {error}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
