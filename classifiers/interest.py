"""Learns from a few papers that people wanted which of many others they would want.

A team votes for some papers; of the rest nobody knows whether they were disliked or not seen. So
the rest counts as background, not as refused: all of it together weighs a few times what the votes
weigh, however large it is. Four learners judge a paper, each in standard deviations above the mean
of the background, and their scores are added:

- two ridge regressions on words, titles and authors (`Vectors.parts`), which find the terms that
  set the wanted apart. A strict one is fitted twice: after the first time the background that
  ranks highest is taken for half wanted, since among it are the papers that nobody got round to
  voting for (pseudo-relevance feedback as in Rocchio 1971, here as soft labels). A loose one
  follows the votes closer, and counts the more the more of them there are;
- linear discriminant analysis on themes (`Vectors.themes`), which needs few examples because what
  is common in the library was learnt without any (Hariharan, Malik and Ramanan 2012);
- the log odds of the fields (`Vectors.fields`), as naive Bayes adds them, smoothed towards the
  library's own shares.

The settings were chosen on teams other than those of the figures in `docs/digest.md`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from classifiers.solver import conjugate_gradients
from classifiers.subjects import Floats, Ids, Matrix, Vectors

Doubles = NDArray[np.float64]

WANTED_SHARE: Final = 0.2
STRICT: Final = 0.003
LOOSE: Final = 0.001
THEME_SHRINKAGE: Final = 0.5
# What themes add where 8 papers were wanted, and where 64 or more were; between, by the logarithm.
THEME_WEIGHTS: Final = (0.45, 0.2)
FIELD_WEIGHT: Final = 0.3
FIELD_PRIOR: Final = 4.0
SOFT_AT_EIGHT: Final = 8
SOFT_WEIGHT: Final = 0.5
DROPPED_WEIGHT: Final = 0.5
# Chosen so that of two random papers of one day fewer than one in a thousand are as like.
LIKE: Final = 0.12
LIKELY: Final = 1.5
_STEPS: Final = 15


@dataclass(frozen=True, slots=True)
class Likeness:
    """The wanted paper that a paper is likest: its place among those learnt from, and how like.

    `likeness` is the cosine of their words, 0 to 1.
    """

    row: int
    likeness: float


class Interest:
    """What one team wants to read, learnt by `Interest.of`."""

    def __init__(self, learners: "_Learners", background: "_Scale", wanted: "_Wanted") -> None:
        self._learners = learners
        self._background = background
        self._wanted = wanted

    @classmethod
    def of(
        cls, papers: Vectors, wanted: Mapping[int, float], dropped: Sequence[int] = ()
    ) -> "Interest":
        """Learns from the rows of `papers` that were wanted, with a weight above 0 for each.

        `dropped` are rows that were put away unread; all other rows are background. Raises
        ValueError where nothing is wanted, or nothing else is there to tell it from.
        """
        likes = np.zeros(len(papers))
        likes[list(wanted)] = list(wanted.values())
        chosen = likes > 0
        if not chosen.any() or chosen.all():
            raise ValueError("interest is learnt from wanted papers among others")
        refused = np.zeros(len(papers), dtype=bool)
        refused[list(dropped)] = True
        refused &= ~chosen
        learners = _Learners(
            loose=_ridge(papers.parts, likes, refused, LOOSE),
            strict=_twice(papers.parts, likes, refused),
            themes=_theme_direction(papers.themes, likes, refused),
            fields=_field_odds(papers.fields, likes),
            many=float(np.clip(np.log2(chosen.sum() / 8) / 3, 0, 1)),
        )
        background = learners.raw(papers)[:, ~chosen]
        spread = background.std(axis=1)
        scale = _Scale(background.mean(axis=1), np.where(spread > 0, spread, 1.0))
        rows = np.flatnonzero(chosen)
        return cls(learners, scale, _Wanted(papers.words[rows], rows))

    def scores(self, papers: Vectors) -> Doubles:
        """How much the team would want each paper; the background's mean is near 0.

        In standard deviations of the background; papers of the same space as those learnt from.
        """
        raw = self._learners.raw(papers)
        scaled = (raw - self._background.mean[:, None]) / self._background.spread[:, None]
        return self._learners.weights() @ scaled

    def likenesses(self, papers: Vectors) -> list[Likeness | None]:
        """The wanted paper that each is likest; None where the likeness is slight.

        It is true to the scores: a paper that they do not put above the background has none.
        """
        alike = (papers.words @ self._wanted.words.T).toarray()
        nearest = alike.argmax(axis=1)
        best = alike[np.arange(len(alike)), nearest]
        scores = self.scores(papers)
        return [
            Likeness(int(self._wanted.rows[place]), float(likeness))
            if likeness >= LIKE and score >= LIKELY
            else None
            for place, likeness, score in zip(nearest, best, scores, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class _Learners:
    """A direction for each learner; `many` is 0 for 8 wanted papers or fewer, 1 for 64 or more."""

    loose: Floats
    strict: Floats
    themes: Floats
    fields: Floats
    many: float

    def raw(self, papers: Vectors) -> Doubles:
        """The scores as (learners, papers), each in a measure of its own."""
        return np.stack(
            [
                papers.parts @ self.loose,
                papers.parts @ self.strict,
                papers.themes @ self.themes,
                papers.fields @ self.fields,
            ]
        ).astype(np.float64)

    def weights(self) -> Doubles:
        """How much each learner counts."""
        few_themes, many_themes = THEME_WEIGHTS
        themes = few_themes + self.many * (many_themes - few_themes)
        loose = 0.5 + 0.5 * self.many
        return np.array([loose, 1 - loose, themes, FIELD_WEIGHT])


@dataclass(frozen=True, slots=True)
class _Scale:
    mean: Doubles
    spread: Doubles


@dataclass(frozen=True, slots=True)
class _Wanted:
    words: Matrix
    rows: Ids


def _twice(parts: Matrix, likes: Doubles, refused: NDArray[np.bool_]) -> Floats:
    """The direction in which wanted papers lie, fitted twice."""
    first = _ridge(parts, likes, refused, STRICT)
    scores = np.asarray(parts @ first)
    scores[(likes > 0) | refused] = -np.inf
    count = round(SOFT_AT_EIGHT * np.sqrt((likes > 0).sum() / 8))
    softly = np.argsort(-scores, kind="stable")[:count]
    softly = softly[np.isfinite(scores[softly])]
    if len(softly) == np.isfinite(scores).sum():  # they would be the whole background
        return first
    raised = likes.copy()
    raised[softly] = SOFT_WEIGHT * likes[likes > 0].mean()
    return _ridge(parts, raised, refused, STRICT)


def _ridge(parts: Matrix, likes: Doubles, refused: NDArray[np.bool_], penalty: float) -> Floats:
    """Weighted ridge regression of +1 for wanted and -1 for the rest, by conjugate gradients.

    With W the weights, adding up to 1, and X centred by them, it solves
    (X'WX + penalty I) b = X'W(y - mean y); a few steps are enough for an order.
    """
    wanted = likes > 0
    weights = np.where(wanted, WANTED_SHARE * likes / likes.sum(), 0.0)
    rest = ~wanted
    weights[rest] = (1 - WANTED_SHARE) / rest.sum()
    weights[refused] += DROPPED_WEIGHT * WANTED_SHARE / wanted.sum()
    weights = (weights / weights.sum()).astype(np.float32)
    target = np.where(wanted, 1, -1).astype(np.float32)
    mean = parts.T @ weights
    residue = weights * (target - weights @ target)

    def normal(direction: Floats) -> Floats:
        moved = parts @ direction - mean @ direction
        return parts.T @ (weights * moved) - mean * (weights @ moved) + penalty * direction

    start = parts.T @ residue - mean * residue.sum()
    return conjugate_gradients(normal, start, _STEPS)


def _theme_direction(themes: Floats, likes: Doubles, refused: NDArray[np.bool_]) -> Floats:
    """(S + shrinkage)⁻¹ (mean of the wanted − mean of all), S the covariance of all papers."""
    count = themes.shape[1]
    if not count:
        return np.zeros(0, dtype=np.float32)
    mean = themes.mean(axis=0)
    spread = themes.T @ themes / len(themes) - np.outer(mean, mean)
    spread += THEME_SHRINKAGE * (np.trace(spread) / count + 1e-6) * np.eye(count)
    towards = likes @ themes / likes.sum() - mean
    if refused.any():
        towards -= DROPPED_WEIGHT * (themes[refused].mean(axis=0) - mean) * _share(likes, refused)
    found = cast("Doubles", np.linalg.solve(spread, towards))
    return found.astype(np.float32)


def _field_odds(fields: Matrix, likes: Doubles) -> Floats:
    """How much likelier each field is among the wanted than in the library, as log odds."""
    total = len(likes)
    wanted = likes / likes[likes > 0].mean()
    usual = (np.asarray(fields.sum(axis=0)).ravel() + 0.5) / (total + 1)
    among = (fields.T @ wanted + FIELD_PRIOR * usual) / (wanted.sum() + FIELD_PRIOR)
    odds = np.log(among / (1 - among)) - np.log(usual / (1 - usual))
    return np.asarray(odds, dtype=np.float32)


def _share(likes: Doubles, refused: NDArray[np.bool_]) -> float:
    """How many papers were refused, of those that anything was said about."""
    return float(refused.sum() / (refused.sum() + (likes > 0).sum()))
