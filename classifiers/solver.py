"""Scikit-learn and SciPy, which ship no types, behind typed functions."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from classifiers.linear import Doubles

if TYPE_CHECKING:
    from scipy import sparse

Numbers = NDArray[np.int64]

_SEED: Final = 20261201


def fit_against_rest(
    rows: "sparse.csr_matrix", chosen: NDArray[np.bool_], weights: Doubles, strength: float
) -> tuple[Doubles, float]:
    """Weights and intercept of a logistic regression that tells the chosen rows from the others.

    `strength` is the inverse of the L2 penalty, `weights` how much each row counts.
    """
    from sklearn.linear_model import LogisticRegression

    model = cast(
        "Any",
        LogisticRegression(C=strength, solver="liblinear", dual=True, tol=0.01, random_state=_SEED),
    )
    model.fit(rows, chosen, sample_weight=weights)
    return np.asarray(model.coef_[0], dtype=np.float64), float(model.intercept_[0])


def stratified_folds(truth: Numbers, most: int) -> list[tuple[Numbers, Numbers]]:
    """Folds as (learnt, judged) numbers of papers, each with its share of every class.

    There are `most` folds, or as many as the rarest class has papers.
    """
    from sklearn.model_selection import StratifiedKFold

    count = min(most, int(np.bincount(truth).min()))
    splitter = cast("Any", StratifiedKFold(count, shuffle=True, random_state=_SEED))
    split = cast("list[tuple[Numbers, Numbers]]", list(splitter.split(np.zeros(len(truth)), truth)))
    return [(learnt.astype(np.int64), judged.astype(np.int64)) for learnt, judged in split]


def minimise(loss: Callable[[Doubles], float], start: Doubles) -> Doubles:
    """Where a smooth function of a few numbers is least (Nelder and Mead, 1965)."""
    from scipy import optimize

    search = cast("Any", optimize).minimize
    return cast("Doubles", search(loss, start, method="Nelder-Mead").x)


def descend(
    loss_and_gradient: Callable[[Doubles], tuple[float, Doubles]], start: Doubles
) -> Doubles:
    """Where a smooth function of many numbers is least (L-BFGS; Liu and Nocedal, 1989)."""
    from scipy import optimize

    search = cast("Any", optimize).minimize
    found = search(loss_and_gradient, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return cast("Doubles", found.x)


def conjugate_gradients(
    product: Callable[[NDArray[np.float32]], NDArray[np.float32]],
    target: NDArray[np.float32],
    steps: int,
) -> NDArray[np.float32]:
    """An x of which a symmetric, positive product is nearly the target, after a few steps."""
    from scipy.sparse import linalg

    size = len(target)
    operator = cast("Any", linalg).LinearOperator((size, size), matvec=product, dtype=np.float32)
    found, _ = cast("Any", linalg).cg(operator, target, maxiter=steps, rtol=1e-3)
    return np.asarray(found, dtype=np.float32)


def stacked(blocks: Sequence[Any], *, down: bool, single: bool = False) -> "sparse.csr_matrix":
    """Sparse matrices in one, one below another or side by side; in `single` precision if so."""
    from scipy import sparse

    join = cast("Any", sparse.vstack if down else sparse.hstack)
    found = join(blocks, format="csr", dtype=np.float32 if single else None)
    return cast("sparse.csr_matrix", found)


def leading_axes(rows: "sparse.csr_matrix", count: int) -> NDArray[np.float32]:
    """The first right singular vectors of a matrix, as (columns, count).

    Halko, Martinsson and Tropp (2011), with two power iterations.
    """
    from sklearn.utils import extmath

    decompose = cast("Any", extmath).randomized_svd
    axes = decompose(rows, count, n_iter=2, random_state=_SEED)[2]
    return np.ascontiguousarray(axes.T, dtype=np.float32)
