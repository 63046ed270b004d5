"""Every key of settings, with its form: the names are those of `Problem.of`, of `solve`, and of
the functions of `supersparse.constraints`. One vocabulary serves Python, files and messages.
"""

from typing import Any

from supersparse.settings.forms.constraints import KINDS, ConstraintForm
from supersparse.settings.forms.scalars import (
    Either,
    Form,
    Label,
    Null,
    Number,
    Real,
    Schema,
    Text,
    Truth,
    Whole,
    Word,
)
from supersparse.settings.forms.sets import LevelsForm, SetForm
from supersparse.settings.forms.shapes import Field, ListOf, Names, Pair, Record, TableOf

SOLVERS = ("auto", "exact", "exhaustive", "highs", "scip", "cpsat", "gurobi", "cplex")

_OPEN_PAIR = Pair(Either(Number(), Null()), "a pair such as [0, 10], or [0, null] for an open end")


def _or_by_name(form: Form[Any], entry: Form[Any] | None = None) -> Either:
    return Either(form, TableOf(entry or form, "a mapping by feature name or pattern"))


SOLVE = Record(
    {
        "solver": Field(form=Word(*SOLVERS), help="which solver"),
        "time_limit": Field(form=Either(Real(0), Null()), help="seconds; null for no limit"),
        "node_limit": Field(
            form=Either(Whole(0), Null()), help="units of work, the same on every machine; null for no limit"
        ),
        "memory_limit": Field(form=Either(Real(1), Null()), help="megabytes; null for no limit"),
        "gap": Field(form=Real(0), help="stop within this share of the best possible"),
        "absolute_gap": Field(form=Real(0), help="stop within this distance of the best possible"),
        "n_jobs": Field(form=Whole(-1), help="threads of one solve; -1 for one a core"),
        "random_state": Field(form=Whole(0), help="random seed"),
        "formulation": Field(form=Word("bigm", "indicator"), help="how a MIP back end writes the loss"),
        "branching_priorities": Field(
            form=TableOf(Whole(), "a mapping by feature name"), help="by feature name; higher first"
        ),
        "pair_covers": Field(form=Truth(), help="give a MIP back end the exact engine's inequalities"),
        "checkpoint": Field(form=Text("a path"), help="file to save the open tree to and to resume from"),
        "solver_options": Field(
            form=TableOf(Either(Truth(), Whole(), Real(), Text()), "a mapping by the solver's own names"),
            help="by the solver's own names",
        ),
    }
)

_AT_THE_TOP = {
    **{name: f"it is an option of the solver; write it under 'solve': {name}: ..." for name in SOLVE.fields},
    **{name: f"it is a constraint; write it under 'constraints': - {name}: ..." for name in KINDS},
}

SETTINGS = Record(
    {
        "C0": Field(form=_or_by_name(Number(0)), help="cost of a feature: the error rate it must save"),
        "C1": Field(form=Either(Word("auto"), Number(0)), help="cost of the sum of absolute points"),
        "points": Field(form=_or_by_name(SetForm()), help="values that points may take"),
        "max_points": Field(form=Whole(1), help="largest magnitude of points that no set speaks of"),
        "bounds": Field(
            form=_or_by_name(_OPEN_PAIR, Either(_OPEN_PAIR, Null())),
            help="least and largest points: [0, null] for no negative ones",
        ),
        "levels": Field(
            form=_or_by_name(LevelsForm(), Either(LevelsForm(), Null())),
            help="penalties by the values of a coefficient, in place of C0 and points",
        ),
        "max_features": Field(form=Whole(0), help="most features to use"),
        "min_features": Field(form=Whole(0), help="fewest features to use"),
        "intercept": Field(
            form=Either(Word("free", "paper", "none"), Pair(Number(), "a pair such as [-100, 100]")),
            help="free, bounded, a coefficient like the others (paper), or none",
        ),
        "class_weight": Field(
            form=Either(Word("balanced"), TableOf(Number(0), "weights by class")),
            help="what an error costs in each class",
        ),
        "positive": Field(form=Label(), help="class that scores high"),
        "sample_weight": Field(form=Text("the name of a column"), help="column of sample weights"),
        "rate_groups": Field(
            form=Names("the name of a column, or a list of them"),
            help="columns that divide the rows into groups, for rates; they are not features",
        ),
        "constraints": Field(
            form=ListOf(ConstraintForm(), "a list of constraints, each after a dash"),
            help="what else the scoring system must obey",
        ),
        "solve": Field(form=SOLVE, help="options of the solver"),
    },
    synonyms={
        "coefficients": "points",
        "coef_set": "points",
        "max_coef": "max_points",
        "weights": "class_weight",
        "target": "positive",
        "groups": "rate_groups",
        "options": "solve",
    },
    elsewhere=_AT_THE_TOP,
)


def schema() -> Schema:
    """The JSON Schema (2020-12) of a settings file.

    It allows every file that can be read. What no schema can say (that the levels do not
    overlap, that a range begins below its end) is said by the reader.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "supersparse settings",
        "description": "What a scoring system must be like: everything that is asked except the data.",
        **SETTINGS.schema(),
        "$defs": {
            "set": SetForm().definition(),
            "levels": LevelsForm().definition(),
            **{name: kind.record.schema() for name, kind in KINDS.items()},
        },
    }
