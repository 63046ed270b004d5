"""Prepare: any mixed table becomes features that a card can name."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from supersparse.card.card import Card
from supersparse.card.checks import check_table
from supersparse.card.tables import read_every_column, read_table
from supersparse.prepare.feature import Recorded, card_on_raw_columns, holds_text, unit_card, with_preparation
from supersparse.prepare.fitting import PreparedColumns, complete_rows, prepare_columns, usable_columns
from supersparse.prepare.raw import is_array, stack
from supersparse.prepare.settings import read_settings
from supersparse.problem.limits import Constraint


class Prepare(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn raw columns into conditions such as "age >= 60", "smoker = yes" and "bmi missing".

    Numbers are cut at round points, categories become one feature each, and what a missing value does
    is said by every feature. The features know their raw columns: `raw_card` turns a card over
    features into one over the raw table.

    Inside a classifier, ``SLIMClassifier(prepare=Prepare(...))``, what it learns stays within the training
    rows, and `constraints_` and `bounds_` hold. As a step of a scikit-learn Pipeline it makes the
    same features, but the step after it does not hear of the constraints.

    Parameters
    ----------
    cuts : {"optimal", "quantile", "tree", "none"}, default="optimal"
        How numbers are cut. "optimal": the best single cut, the best pair, the best three and so on, by the
        entropy of the class, exactly. "tree": those of a decision tree on the column. "quantile":
        shares of the rows, without looking at the class. "none": numbers stay as they are and
        points multiply them.
    cut_points : dict of lists, default=None
        Cut points by column, such as ``{"age": [45, 60]}``; they take the place of all others there.
    max_cuts : int, default=6
        The most cut points of one column.
    per_variable : int or None, default=2
        The most of them that one scoring system may use; None is no limit.
    intervals : bool, default=False
        Whether "45 <= age < 60" is offered too, for the most telling pairs of cut points.
    rare : float, default=0.01
        A category in a smaller share of the rows has no item of its own, and no feature separates a smaller
        share from the others. A feature can save no more errors than that; so with ``C0 >= rare``
        nothing is lost.
    missing : {"item", "drop", "median", "mode"}, default="item"
        "item": a feature of its own, and 0 in the others. "median", "mode": taken for that value (categories
        for their mode). "drop": refused; the classifiers leave such rows out when they learn.
    directions : dict, default=None
        ``{"age": "up"}``: points of thresholds on age are not negative; "down": not positive.
    keep : list of str, default=()
        Columns of numbers that stay as they are.
    categorical : list of str, default=()
        Columns whose numbers are names of categories.
    ordered : dict of lists, default=None
        Categories in their order, the lowest first; features are "this level or a higher one".
    units : dict of str, default=None
        Units by column, for the questions of the card.
    max_candidates : "auto", int or None, default="auto"
        The most features: the best of each column first, then the second of each, and so on; those that tell
        nothing come last. "auto" is 60, and fewer for more than 300,000 rows (20 for a million), so
        that a scoring system is proven optimal, or nearly, within a minute. None is no limit.

    Attributes
    ----------
    features_ : tuple of Feature
        The features, each with its rule on a raw column.
    constraints_ : tuple of constraints
        At most `per_variable` thresholds for each column, for `Problem.of`.
    bounds_ : list
        The limits of each feature's points, for `Problem.of`; None where there is none.
    notes_ : list of str
        What was done to each column, in sentences.
    n_features_in_ : int
        Number of raw columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, where the table has names.

    Examples
    --------
    >>> from supersparse import Prepare
    >>> table = {"age": [31, 45, 52, 67, 70, 81], "smoker": ["no", "yes", None, "no", "yes", "yes"]}
    >>> prepared = Prepare(rare=0.1).fit(table, [0, 0, 0, 1, 1, 1])
    >>> list(prepared.get_feature_names_out())
    ['age >= 60', 'smoker = yes', 'smoker = no', 'smoker missing']
    >>> print(*prepared.notes_, sep="\\n")
    age: cut at 60, by the class
    smoker: 2 categories; 1 of 6 missing: an item of its own
    """

    def __init__(
        self,
        *,
        cuts: str = "optimal",
        cut_points: Mapping[str, Sequence[float]] | None = None,
        max_cuts: int = 6,
        per_variable: int | None = 2,
        intervals: bool = False,
        rare: float = 0.01,
        missing: str = "item",
        directions: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        categorical: Sequence[str] = (),
        ordered: Mapping[str, Sequence[object]] | None = None,
        units: Mapping[str, str] | None = None,
        max_candidates: int | str | None = "auto",
    ) -> None:
        self.cuts = cuts
        self.cut_points = cut_points
        self.max_cuts = max_cuts
        self.per_variable = per_variable
        self.intervals = intervals
        self.rare = rare
        self.missing = missing
        self.directions = directions
        self.keep = keep
        self.categorical = categorical
        self.ordered = ordered
        self.units = units
        self.max_candidates = max_candidates

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn cut points and categories.

        Parameters
        ----------
        X : frame, mapping of columns, or array
            The raw table: any eager frame that narwhals reads, a mapping from names to arrays or lists,
            or an array, whose columns are called x0, x1, ...
        y : array-like of shape (n_samples,), default=None
            Labels of two values; "quantile" and "none" do without.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight k is the same as k copies of a row, weight 0 as leaving it out.

        Returns
        -------
        self
        """
        settings = read_settings(self.get_params(deep=False))
        X = self._as_table(X, reset=True)
        table = read_every_column(X)
        found = prepare_columns(table, y, sample_weight, settings)
        self.n_features_in_ = len(table.columns)
        self._columns = tuple(table.columns)
        self._text_columns = tuple(name for name, cells in table.columns.items() if holds_text(cells))
        if hasattr(self, "feature_names_in_"):
            delattr(self, "feature_names_in_")
        if not is_array(X):
            self.feature_names_in_ = np.array(list(table.columns), dtype=object)
        self._keep(found)
        return self

    def _keep(self, found: PreparedColumns) -> None:
        self.features_ = found.features
        self.constraints_: tuple[Constraint, ...] = found.constraints
        self.bounds_ = [feature.bounds for feature in found.features]
        self.notes_ = list(found.notes)
        self._card = unit_card(found.features, found.domains, self.n_features_in_)

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the features of each row, a column each, in the order of `features_`.

        Parameters
        ----------
        X : frame, mapping of columns, or array
            Raw rows; columns that no feature uses may be absent.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            0 or 1, or the value itself for columns that stay as they are.
        """
        check_is_fitted(self)
        X = self._as_table(X, reset=False)
        table = read_table(self._card, X)
        check_table(self._card, table)
        return stack([feature.of_cells(table.columns[feature.column]) for feature in self.features_])

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> NDArray[Any]:
        """Learn and transform the same rows, as a Pipeline does.

        Parameters
        ----------
        X : frame, mapping of columns, or array
            The raw table.
        y : array-like of shape (n_samples,), default=None
            Labels of two values.
        **fit_params : dict
            Further arguments of `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The features of each row.
        """
        self.fit(X, y, **fit_params)
        if self.constraints_ or any(self.bounds_):
            self.notes_.append(
                "per_variable and directions hold inside SLIMClassifier(prepare=...); "
                "a step after this one does not hear of them"
            )
        return self.transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the features, such as "age >= 60".

        Parameters
        ----------
        input_features : array-like of str, default=None
            Ignored; the raw columns have the names that `fit` saw.

        Returns
        -------
        ndarray of str
            The names.
        """
        check_is_fitted(self)
        return np.array([feature.name for feature in self.features_], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.string = tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        tags.target_tags.required = self.cuts in ("optimal", "tree")
        return tags

    def complete_rows(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows have a value in every column that can be used; needs no fit.

        Parameters
        ----------
        X : frame, mapping of columns, or array
            Raw rows.

        Returns
        -------
        ndarray of bool
            The rows from which ``missing="drop"`` learns.
        """
        return complete_rows(usable_columns(read_every_column(X)))

    def _as_table(self, X: Any, *, reset: bool) -> Any:
        """Return arrays checked as scikit-learn does, other tables as they are."""
        if not is_array(X):
            return X
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csc",
            dtype=None,
            ensure_all_finite=False,
            ensure_min_samples=2 if reset else 1,
        )

    def raw_card(self, card: Card) -> Card:
        """Return a card over these features as one over the raw columns, which scores the same.

        Parameters
        ----------
        card : Card
            A card whose items multiply features, such as that of a `Solution`.

        Returns
        -------
        Card
            The same points, threshold and provenance, with rules on raw columns.
        """
        check_is_fitted(self)
        raw = card_on_raw_columns(card, self.features_, self._card)
        recorded = Recorded(
            parameters=self.get_params(deep=False), columns=self._columns, texts=self._text_columns
        )
        defaults = type(self)().get_params(deep=False)
        return with_preparation(raw, recorded, defaults, self.features_, self.constraints_)
