"""Papers as sparse rows of features: SciPy's untyped matrices behind typed methods."""

from typing import Any, cast

import numpy as np

from classifiers.features import Ids, Present
from classifiers.linear import Doubles
from classifiers.solver import Numbers


class Rows:
    """One row of unit length a paper: times the weights it is what `Model.weigh` adds up."""

    def __init__(self, matrix: Any) -> None:  # noqa: ANN401 - a SciPy matrix has no type
        self._matrix = matrix

    @classmethod
    def of(cls, present: Present, features: int) -> "Rows":
        """The rows of papers whose features were found."""
        from scipy import sparse

        counts = np.diff(present.starts)
        data: Doubles = np.repeat(1 / np.sqrt(np.maximum(counts, 1)), counts)
        shape = (len(counts), features)
        return cls(cast("Any", sparse).csr_matrix((data, present.columns, present.starts), shape))

    def take(self, papers: Numbers) -> "Rows":
        """The rows of some of the papers."""
        return Rows(self._matrix[papers])

    def columns(self) -> Ids:
        """The features that any of the papers has, in ascending order."""
        return np.unique(np.asarray(self._matrix.indices, dtype=np.int64))

    def above(self, others: "Rows", columns: Ids) -> "Rows":
        """These rows and then the others, with no more than the given features."""
        from scipy import sparse

        both = cast("Any", sparse).vstack([self._matrix, others._matrix])  # noqa: SLF001 - of its own kind
        return Rows(both.tocsc()[:, columns].tocsr())

    def times(self, weights: Doubles) -> Doubles:
        """What weights, (features, n), add up to for each paper, (papers, n)."""
        return np.asarray(self._matrix @ weights, dtype=np.float64)

    def across(self) -> "Rows":
        """The features as rows over the papers."""
        return Rows(self._matrix.T.tocsr())
