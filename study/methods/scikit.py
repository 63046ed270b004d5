"""CART, random forests and kernel machines, by scikit-learn with the settings of R's packages."""

import warnings
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from math import sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from study.methods.contract import Method, Model, Predictions, Size
from study.methods.paths import Floats, standardised
from study.setting import Setting
from study.study_data import StudyData


class Cart(Method):
    """Trees grown as rpart grows them and pruned by cost and complexity."""

    name: ClassVar[str] = "CART"
    title: ClassVar[str] = "CART decision trees"
    made_with: ClassVar[str] = "scikit-learn; splits of at least 20 rows, leaves of at least 7, as in rpart"
    tuning: ClassVar[str] = "13 pruning strengths"

    def settings(self, data: StudyData) -> tuple[Setting, ...]:
        """From no pruning to a tree of one or two leaves."""
        return tuple(Setting.of(pruning=float(v)) for v in (0.0, *np.geomspace(1e-4, 1e-1, 12).round(6)))

    def fit(self, train: StudyData, settings: Sequence[Setting], seed: int) -> Iterator[Model]:
        """Grow and prune."""
        for setting in settings:
            tree = DecisionTreeClassifier(
                min_samples_split=20, min_samples_leaf=7, ccp_alpha=setting.number("pruning"), random_state=seed
            ).fit(train.X, train.y)
            yield Model(setting=setting, predict=tree.predict, size=Size.of_parts(int(tree.get_n_leaves())))


class CartOfRpart(Method):
    """The tree that rpart returns by default: pruned by training errors, with its own cp.

    Of a tree that was grown as above, branches go while they save, for each leaf that they add, no more than
    cp times the errors of the root.
    """

    name: ClassVar[str] = "CART cp"
    title: ClassVar[str] = "CART decision trees as rpart prunes them by default"
    made_with: ClassVar[str] = "scikit-learn's tree as above, pruned by errors here"
    tuning: ClassVar[str] = "none; cp 0.01, rpart's default"

    def settings(self, data: StudyData) -> tuple[Setting, ...]:
        """There is nothing to choose."""
        return (Setting.of(cp=0.01),)

    def fit(self, train: StudyData, settings: Sequence[Setting], seed: int) -> Iterator[Model]:
        """Grow and prune."""
        for setting in settings:
            grown = DecisionTreeClassifier(min_samples_split=20, min_samples_leaf=7, random_state=seed)
            tree = PrunedByErrors(grown.fit(train.X, train.y).tree_, Fraction(str(setting.number("cp"))))
            yield Model(setting=setting, predict=tree.predict, size=Size.of_parts(tree.leaves))


class PrunedByErrors:
    """A fitted tree of two classes without its weakest branches, by whole numbers of training errors."""

    def __init__(self, tree: Any, cp: Fraction) -> None:
        self._tree = tree
        shares = tree.value[:, 0, :] / tree.value[:, 0, :].sum(axis=1, keepdims=True)
        counts = np.round(shares * tree.n_node_samples[:, None])
        self._wrong = [int(n) for n in counts.min(axis=1)]
        self._positive = counts[:, 1] > counts[:, 0]
        self._is_leaf = tree.children_left < 0
        while True:
            branches = {node: (saved, more) for node, saved, more in self._branches(0)[2]}
            weakest = min((Fraction(saved, more) for saved, more in branches.values()), default=None)
            if weakest is None or weakest > cp * self._wrong[0]:
                break
            for node, (saved, more) in branches.items():
                if Fraction(saved, more) == weakest:
                    self._is_leaf[node] = True

    @property
    def leaves(self) -> int:
        """How many there are."""
        return self._branches(0)[1]

    def _branches(self, node: int) -> tuple[int, int, list[tuple[int, int, int]]]:
        """Errors and leaves below a node, and of each branch from there on: errors saved, leaves added."""
        if self._is_leaf[node]:
            return self._wrong[node], 1, []
        left, right = (
            self._branches(int(child[node])) for child in (self._tree.children_left, self._tree.children_right)
        )
        wrong, leaves = left[0] + right[0], left[1] + right[1]
        return wrong, leaves, [(node, self._wrong[node] - wrong, leaves - 1), *left[2], *right[2]]

    def predict(self, X: NDArray[Any]) -> Predictions:
        """Go down to the leaves; as scikit-learn does, values are compared as single floats."""
        values = X.astype(np.float32)
        at = np.zeros(len(X), dtype=np.intp)
        rows = np.flatnonzero(~self._is_leaf[at])
        while len(rows):
            node = at[rows]
            left = values[rows, self._tree.feature[node]] <= self._tree.threshold[node]
            at[rows] = np.where(left, self._tree.children_left[node], self._tree.children_right[node])
            rows = rows[~self._is_leaf[at[rows]]]
        positive: Predictions = self._positive[at]
        return positive


class RandomForest(Method):
    """500 trees, as R's randomForest; its training error is that of the rows a tree did not see."""

    name: ClassVar[str] = "RF"
    title: ClassVar[str] = "Random forests"
    made_with: ClassVar[str] = "scikit-learn, 500 trees; out-of-bag training error, as from R's predict"
    tuning: ClassVar[str] = "features per split: half, once or twice the root of all; leaves of 1 or 10 rows"

    def __init__(self, trees: int = 500) -> None:
        self.trees = trees

    def settings(self, data: StudyData) -> tuple[Setting, ...]:
        """Features as tuneRF tries them, and the nodesize of randomForest."""
        n_features = data.X.shape[1]
        tried = {min(n_features, max(1, round(sqrt(n_features) * factor))) for factor in (0.5, 1, 2)}
        return tuple(
            Setting.of(features_a_split=count, rows_a_leaf=rows, trees=self.trees)
            for count in sorted(tried)
            for rows in (1, 10)
        )

    def fit(self, train: StudyData, settings: Sequence[Setting], seed: int) -> Iterator[Model]:
        """Grow the forest."""
        for setting in settings:
            forest = RandomForestClassifier(
                n_estimators=setting.whole("trees"),
                max_features=setting.whole("features_a_split"),
                min_samples_leaf=setting.whole("rows_a_leaf"),
                oob_score=True,
                random_state=seed,
            )
            with warnings.catch_warnings():
                # with few trees a row may be in every bag; it then counts as predicted negative
                warnings.filterwarnings("ignore", message="Some inputs do not have OOB scores")
                warnings.filterwarnings("ignore", message="invalid value encountered")
                forest.fit(train.X, train.y)
            yield Model(
                setting=setting,
                predict=forest.predict,
                size=Size.of_black_box(train.X.shape[1]),
                on_training_rows=forest.oob_decision_function_[:, 1] > 0.5,
            )


class KernelMachine(Method):
    """Support vectors with the radial kernel over standardised columns, as e1071 scales them."""

    name: ClassVar[str] = "SVM"
    title: ClassVar[str] = "Support vector machines, radial kernel"
    made_with: ClassVar[str] = "scikit-learn (libsvm, as in e1071), standardised columns"
    tuning: ClassVar[str] = "5 costs x 3 kernel widths"

    def settings(self, data: StudyData) -> tuple[Setting, ...]:
        """Widths around e1071's own, 1 over the number of features."""
        own = 1 / data.X.shape[1]
        return tuple(
            Setting.of(cost=cost, gamma=own * factor)
            for cost in (1000.0, 100.0, 10.0, 1.0, 0.1)
            for factor in (4.0, 1.0, 0.25)
        )

    def fit(self, train: StudyData, settings: Sequence[Setting], seed: int) -> Iterator[Model]:
        """Fit each cost and width."""
        Z, middle, spread = standardised(train.X.astype(np.float64))
        for setting in settings:
            machine = SVC(C=setting.number("cost"), gamma=setting.number("gamma")).fit(Z, train.y)
            yield Model(
                setting=setting,
                predict=partial(_of_standardised, machine, middle, spread),
                size=Size.of_black_box(train.X.shape[1]),
            )


def _of_standardised(machine: SVC, middle: Floats, spread: Floats, X: NDArray[Any]) -> Predictions:
    predicted: Predictions = machine.predict((X - middle) / spread)
    return predicted
