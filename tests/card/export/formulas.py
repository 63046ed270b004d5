"""A small spreadsheet: calculates the formulas of a workbook, where no spreadsheet program is installed.

It knows the functions that the exported workbook needs, as Excel documents them; what it does not know is an
error. Booleans are numbers in N, an empty cell equals the empty text, and any text is above any number.
"""

import math
import operator
import re

TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?)|"(?P<text>(?:[^"]|"")*)"|(?P<name>[A-Z]+)\(|"""
    r"""(?P<cell>(?:(?P<sheet>\w+)!)?\$?(?P<column>[A-Z]+)\$?(?P<row>\d+))|(?P<word>TRUE|FALSE)|"""
    r"""(?P<sign><=|>=|<>|[-+*/=<>(),:]))"""
)
COMPARE = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip
EMPTY = None


class Workbook:
    """The values of the cells of an openpyxl workbook, formulas calculated."""

    def __init__(self, book):
        self.book, self.known = book, {}

    def value(self, sheet, address):
        key = sheet, address
        if key not in self.known:
            given = self.book[sheet][address].value
            is_formula = self.book[sheet][address].data_type == "f"
            self.known[key] = Formula(self, sheet, given[1:]).result() if is_formula else given
        return self.known[key]


class Formula:
    """One formula, read from left to right; every part is calculated as it is read."""

    def __init__(self, book, sheet, text):
        self.book, self.sheet, self.tokens, self.at = book, sheet, [], 0
        while text:
            found = TOKEN.match(text)
            assert found, text[:60]
            self.tokens.append(found)
            text = text[found.end() :]

    def result(self):
        found = self.comparison()
        assert self.at == len(self.tokens)
        return found

    def next_sign(self, *signs):
        if self.at < len(self.tokens) and self.tokens[self.at]["sign"] in signs:
            self.at += 1
            return self.tokens[self.at - 1]["sign"]
        return None

    def comparison(self):
        left = self.sum()
        while sign := self.next_sign(*COMPARE):
            left = COMPARE[sign](*map(_rank, _same_empty(left, self.sum())))
        return left

    def sum(self):
        left = self.product()
        while sign := self.next_sign("+", "-"):
            right = self.product()
            left = _number(left) + _number(right) if sign == "+" else _number(left) - _number(right)
        return left

    def product(self):
        left = self.single()
        while sign := self.next_sign("*", "/"):
            right = self.single()
            try:
                left = _number(left) * _number(right) if sign == "*" else _number(left) / _number(right)
            except TypeError:
                left = "#VALUE!"
        return left

    def single(self):
        if self.next_sign("-"):
            return -_number(self.single())
        if self.next_sign("("):
            found = self.comparison()
            assert self.next_sign(")")
            return found
        token = self.tokens[self.at]
        self.at += 1
        if token["number"] is not None:
            return float(token["number"])
        if token["text"] is not None:
            return token["text"].replace('""', '"')
        if token["word"] is not None:
            return token["word"] == "TRUE"
        if token["name"] is not None:
            return self.function(token["name"])
        assert token["cell"], token
        if self.next_sign(":"):
            return self.column(token)
        return self.book.value(token["sheet"] or self.sheet, token["column"] + token["row"])

    def column(self, first):
        last = self.tokens[self.at]
        self.at += 1
        assert first["column"] == last["column"]
        rows = range(int(first["row"]), int(last["row"]) + 1)
        return [self.book.value(first["sheet"] or self.sheet, f"{first['column']}{row}") for row in rows]

    def function(self, name):
        given = []
        while not self.next_sign(")"):
            given.append(self.comparison())
            self.next_sign(",")
        return FUNCTIONS[name](*given)


def _same_empty(left, right):
    if left is EMPTY:
        left = "" if isinstance(right, str) else 0
    if right is EMPTY:
        right = "" if isinstance(left, str) else 0
    return left, right


def _rank(value):
    """Numbers below texts below booleans; texts are compared without regard to case."""
    if isinstance(value, bool):
        return 2, value
    return (1, value.casefold()) if isinstance(value, str) else (0, value)


def _number(value):
    if isinstance(value, str):
        return math.nan  # an error in a spreadsheet: it may stand where it does not matter
    return 0 if value is EMPTY else value


def _match(wanted, column, kind):
    assert kind == 1
    return sum(value <= wanted for value in column)


FUNCTIONS = {
    "IF": lambda test, yes, no: yes if test else no,
    "OR": lambda *tests: any(tests),
    "AND": lambda *tests: all(tests),
    "NOT": operator.not_,
    "EXACT": lambda a, b: _as_text(a) == _as_text(b),
    "ISTEXT": lambda x: isinstance(x, str),
    "N": lambda x: 0 if x is EMPTY or isinstance(x, str) else x,
    "ROUND": lambda x, places: math.copysign(math.floor(abs(x) + 0.5), x),
    "INT": lambda x: math.floor(x),
    "COUNT": lambda x: int(isinstance(x, int | float)),
    "EXP": lambda x: math.exp(x) if x < 709 else math.nan,
    "MATCH": lambda wanted, column, kind: _match(wanted, column, kind) if not isinstance(wanted, str) else 0,
    "INDEX": lambda column, row: column[int(row) - 1],
}


def _as_text(value):
    if value is EMPTY:
        return ""
    if isinstance(value, str):
        return value
    return f"{value:.15g}"
