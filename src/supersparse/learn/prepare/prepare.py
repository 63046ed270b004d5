"""Prepare: turn raw columns into features that a card can name."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from supersparse.base.schema.setting import constructor, keywords_of
from supersparse.card.card import Card
from supersparse.card.checks import check_table
from supersparse.card.export.estimator import PlainState
from supersparse.card.printed import printed
from supersparse.card.raw_values import read_card_table
from supersparse.learn.prepare.answers import prepare_questions
from supersparse.learn.prepare.bands import ColumnQuestion
from supersparse.learn.prepare.feature import Recorded, card_on_raw_columns, holds_text, unit_card, with_preparation
from supersparse.learn.prepare.fitting import PreparedColumns, as_copies, complete_rows, prepare_columns, usable_columns
from supersparse.learn.prepare.raw import stack
from supersparse.learn.prepare.sample import Most
from supersparse.learn.prepare.settings import CardForm, PrepareSettings, with_orders
from supersparse.problem.limits import Constraint
from supersparse.problem.rows import read_weights
from supersparse.table.orders import orders_among
from supersparse.table.sources import CellTable, is_array, orders_of, read_every_column

if TYPE_CHECKING:
    from supersparse.learn.prepare.keywords import PrepareParameters
else:
    PrepareParameters = constructor("PrepareParameters", keywords_of(PrepareSettings))


class Prepare(PlainState, PrepareParameters, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn raw columns into conditions such as "age >= 60", "smoker = yes" and "bmi missing".

    Numbers are cut at round values, each category becomes a feature, and each feature defines how missing
    values count. Features remember their raw columns: `raw_card` converts a card on features to one on
    raw columns.

    Use it inside a classifier, ``SLIMClassifier(prepare=Prepare(...))``, to learn from training rows only
    and to apply `constraints_` and `bounds_`. A scikit-learn Pipeline makes the same features, but does
    not apply these constraints.

    Parameters
    ----------

    Attributes
    ----------
    features_ : tuple of Feature
        The features, each with its rule on a raw column.
    constraints_ : tuple of constraints
        At most `per_variable` cut points for each column, and points of one sign for those of a column that
        rises or falls, for `Problem.of`.
    bounds_ : list
        The bounds on each feature's points, for `Problem.of`; None for no bound.
    n_candidates_ : int
        How many features there were to choose from; those beyond the limit are not in `features_`.
    notes_ : list of str
        What was done to each column, in words.
    codes_ : dict of lists
        Numbers that stand apart in their column like codes for missing values, such as -99; they count.
    unreadable_ : dict of str
        Columns that were left out because of what they contain, such as dates, and what that is.
    n_features_in_ : int
        Number of raw columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the raw columns, if the table has names.

    Examples
    --------
    >>> from supersparse import Prepare
    >>> table = {"age": [31, 45, 52, 67, 70, 81], "smoker": ["no", "yes", None, "no", "yes", "yes"]}
    >>> prepared = Prepare(rare=0.1).fit(table, [0, 0, 0, 1, 1, 1])
    >>> list(prepared.get_feature_names_out())
    ['age >= 60', 'smoker = yes', 'smoker = no', 'smoker missing']
    >>> print(*prepared.notes_, sep="\\n")
    age: cut at 60, optimal for the class
    smoker: 2 categories; 1 of 6 missing: a question of their own
    """

    __module__ = "supersparse"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn cut points and categories.

        Parameters
        ----------
        X : frame, mapping of columns, or array
            The raw table: a data frame, a mapping from names to arrays or lists, or an array, whose columns
            are named x0, x1, ...
        y : array-like of shape (n_samples,), default=None
            Labels, of two classes. Optional for "quantile" and "none".
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights. Weight k equals k copies of a row; weight 0 leaves it out.

        Returns
        -------
        self
        """
        return self.fit_within(X, y, sample_weight, None)

    def fit_within(self, X: Any, y: Any, sample_weight: Any, most: Most | None) -> Self:
        """Learn the features as `fit` does, looking at `most` values and columns; None for all."""
        settings, table = self._read(X)
        settings.refuse_update()
        self._keep(prepare_columns(table, y, sample_weight, settings, most))
        return self

    def fit_questions(self, X: Any, labels: Any, guide: Any, sample_weight: Any = None) -> Self:
        """Learn a question for each column in place of features, with answers chosen on soft labels.

        `guide` are the risks of a teacher, by which columns are chosen where they are many.
        """
        settings, table = self._read(X)
        weights = as_copies(*read_weights(sample_weight, table.n_rows))
        self._keep(prepare_questions(table, np.asarray(labels, float), np.asarray(guide, float), weights, settings))
        return self

    def _read(self, X: Any) -> tuple[PrepareSettings, CellTable]:
        """Check the parameters, read the table, and keep what fit learns of it."""
        settings = with_orders(PrepareSettings.of(self.get_params(deep=False)), orders_of(X))
        X = self._as_table(X, reset=True)
        table = read_every_column(X)
        settings = with_orders(settings, orders_among(table.columns))
        self.n_features_in_ = len(table.columns)
        self._columns = tuple(table.columns)
        self._text_columns = tuple(name for name, cells in table.columns.items() if holds_text(cells))
        if hasattr(self, "feature_names_in_"):
            delattr(self, "feature_names_in_")
        if not is_array(X):
            self.feature_names_in_ = np.array(list(table.columns), dtype=object)
        ordered = self.ordered or {}
        brought = {name: list(levels) for name, levels in settings.ordered.items() if name not in ordered}
        self._ordered = {**ordered, **brought} if brought else self.ordered
        return settings, table

    def _keep(self, prepared: PreparedColumns) -> None:
        self.features_, self.questions_ = prepared.features, prepared.questions
        self.constraints_: tuple[Constraint, ...] = prepared.constraints
        self.bounds_ = [feature.bounds for feature in prepared.features]
        self.n_candidates_ = prepared.n_candidates
        self.notes_ = list(prepared.notes)
        self.codes_ = {name: list(codes) for name, codes in prepared.codes.items()}
        self.unreadable_ = dict(prepared.unreadable)
        self._updated = prepared.update
        items = [feature.item(Fraction(1)) for feature in prepared.features]
        items += [make(Fraction(1)) for question in prepared.questions for make in question.items_by_name.values()]
        self._card = unit_card(items, prepared.domains, self.n_features_in_)

    @classmethod
    def of_prepared(cls, recorded: Recorded, prepared: PreparedColumns) -> Self:
        """Return a fitted preparation with features, or questions, that are known already."""
        made = cls(**dict(recorded.parameters))
        made.n_features_in_ = len(recorded.columns)
        made._columns, made._text_columns = recorded.columns, recorded.texts
        made.feature_names_in_ = np.array(recorded.columns, dtype=object)
        made._ordered = made.ordered
        made._keep(prepared)
        return made

    @property
    def recorded(self) -> Recorded:
        """How the features were made."""
        check_is_fitted(self)
        parameters = {**self.get_params(deep=False), "ordered": self._ordered}
        if self._updated is not None:
            parameters["update"] = CardForm().write(self._updated)
        return Recorded(parameters=parameters, columns=self._columns, texts=self._text_columns)

    def with_questions(self, recut: Sequence[ColumnQuestion]) -> "Prepare":
        """Return the same preparation with other answers of some questions."""
        check_is_fitted(self)
        of_column = {question.column: question for question in recut}
        kept = PreparedColumns(
            questions=tuple(of_column.get(question.column, question) for question in self.questions_),
            constraints=self.constraints_, notes=tuple(self.notes_),
            domains={domain.column: domain for domain in self._card.domains}, n_candidates=self.n_candidates_,
            update=self._updated,
        )  # fmt: skip
        return type(self).of_prepared(self.recorded, kept)

    @property
    def updated(self) -> Card | None:
        """The card in use whose questions these are; None of a new card."""
        return self._updated

    @property
    def raw_questions(self) -> Card:
        """The features as a card on raw columns, with one point for each."""
        check_is_fitted(self)
        return self._card

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the features of each row, in the order of `features_`.

        Parameters
        ----------
        X : frame, mapping of columns, or array
            Raw rows. Columns that no feature uses may be missing.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            0 or 1, or the value itself for columns that stay as they are.
        """
        check_is_fitted(self)
        X = self._as_table(X, reset=False)
        table = read_card_table(self._card, X)
        check_table(self._card, table)
        if self.questions_:
            return np.column_stack([question.of_cells(table.columns[question.column]) for question in self.questions_])
        return stack([feature.of_cells(table.columns[feature.column]) for feature in self.features_])

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> NDArray[Any]:
        """Learn and transform the same rows, as a Pipeline does.

        Parameters
        ----------
        X : frame, mapping of columns, or array
            The raw table.
        y : array-like of shape (n_samples,), default=None
            Labels, of two classes.
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
                "per_variable, direction and shape apply only inside SLIMClassifier(prepare=...), "
                "not to later steps of a pipeline"
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
        names = [q.column for q in self.questions_] or [feature.name for feature in self.features_]
        return np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.string = tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        tags.target_tags.required = self.cuts in ("optimal", "tree")
        return tags

    def complete_rows(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows have a value in every column that can be used, from which ``missing="drop"`` learns."""
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
            A card over the features, learned or printed.

        Returns
        -------
        Card
            The same points, threshold and provenance, with rules on raw columns.
        """
        check_is_fitted(self)
        of_name: dict[str, Any] = {feature.name: feature.item for feature in self.features_}
        for question in self.questions_:
            of_name |= question.items_by_name
        raw = card_on_raw_columns(card.as_learned, of_name, self._card)
        defaults = type(self)().get_params(deep=False)
        made = with_preparation(raw, self.recorded, defaults, self.features_, self.constraints_, self.n_candidates_)
        return made if card.learned is None else printed(made)
