"""The model itself: adds up the weights of the features that a paper has."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from classifiers.features import Paper, Present, TokenPaper, Vectoriser

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Model:
    """The learnt numbers: `weights` is (features, 3), `intercepts` (3,), types in order.

    The score of a type is its intercept and the sum of the weights of the features present,
    divided by the square root of their number, as if each paper's row had unit length.
    """

    vectoriser: Vectoriser
    weights: Floats
    intercepts: Doubles

    def score(self, papers: Sequence[Paper]) -> Doubles:
        """The scores, (papers, 3), whose softmax is the probabilities."""
        return self.weigh(self.vectoriser.find(papers))

    def score_tokens(self, papers: Sequence[TokenPaper]) -> Doubles:
        """The same for papers that were cut into tokens already."""
        return self.weigh(self.vectoriser.find_in_tokens(papers))

    def weigh(self, present: Present) -> Doubles:
        """The scores, (papers, 3), of papers whose features were found."""
        counts = np.diff(present.starts)
        # `reduceat` gives an empty slice the value at its start; the row of zeros keeps that in
        # bounds, and the mask below removes it.
        taken = np.append(self.weights[present.columns], self.weights[:1] * 0, axis=0)
        sums = np.add.reduceat(taken, present.starts[:-1], axis=0).astype(np.float64)
        sums[counts == 0] = 0
        return sums / np.sqrt(np.maximum(counts, 1))[:, None] + self.intercepts


def softmax(scores: Doubles) -> Doubles:
    """Probabilities of scores, row by row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
