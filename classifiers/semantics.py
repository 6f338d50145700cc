"""Latent semantic analysis: words that keep the same company share what is learnt of them.

Labelled papers are few, and most words and pairs of words are in a handful of them. Texts that
nobody labelled show which ones occur together. Their main directions (Deerwester et al., 1990)
become further features in training; since these are sums over the words, their weights are added
to those of the words afterwards, and the model that tags knows nothing of them.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from classifiers.linear import Doubles
from classifiers.solver import Numbers, leading_axes, stacked

if TYPE_CHECKING:
    from scipy import sparse

_AXES: Final = 100
# A feature that fewer texts have says little about the company it keeps.
_LEAST_TEXTS: Final = 5
# The usual length of a paper's place along the axes, where its row of words has length 1.
_LENGTH: Final = 0.5
_TINY: Final = 1e-9


@dataclass(frozen=True, slots=True)
class LatentSemantics:
    """`axes`, (features, axes), of unit rows of features, and their mean place, (axes,)."""

    axes: Doubles
    centre: Doubles

    def widen(self, rows: "sparse.csr_matrix") -> "sparse.csr_matrix":
        """The rows with their places along the axes as further columns."""
        places = cast("Doubles", rows @ self.axes) - self.centre
        return stacked([rows, places], down=False)

    def fold(self, weights: Doubles, intercepts: Doubles) -> tuple[Doubles, Doubles]:
        """Weights, (features, 3), and intercepts for plain rows that score as the wide ones did."""
        words, places = weights[: len(self.axes)], weights[len(self.axes) :]
        return words + self.axes @ places, intercepts - self.centre @ places


def learn_semantics(rows: "sparse.csr_matrix") -> LatentSemantics:
    """The main directions of texts, given as unit rows of the features that they have."""
    # SciPy ships no types.
    matrix = cast("Any", rows)
    texts, features = cast("tuple[int, int]", matrix.shape)
    columns, starts = cast("Numbers", matrix.indices), cast("Numbers", matrix.indptr)
    found = np.bincount(columns, minlength=features)
    rarity = np.where(found >= _LEAST_TEXTS, np.log((texts + 1) / (found + 1)), 0.0)
    lengths = np.sqrt(np.add.reduceat(np.append(rarity[columns] ** 2, 0.0), starts[:-1]))
    counts = np.diff(starts)
    weighed = matrix.astype(np.float32)
    weighed.data = np.float32(rarity[columns] / np.repeat(np.maximum(lengths, _TINY), counts))
    axes = leading_axes(weighed, min(_AXES, texts, features)).astype(np.float64)
    axes *= rarity[:, None]
    places = cast("Doubles", matrix @ axes)
    centre = cast("Doubles", places.mean(axis=0))
    spread = float(np.sqrt(((places - centre) ** 2).sum(axis=1).mean()))
    scale = _LENGTH / max(spread, _TINY)
    return LatentSemantics(axes * scale, centre * scale)
