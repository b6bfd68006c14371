"""What was not chosen has no derivative, however steep it is."""

import numpy as np

from tests.corpus.case import number

from .exhibit import exhibit, given


def root_beyond_one(x):
    """At 0 the first case is chosen, and the second one's infinite slope came through: NaN for 1."""
    return np.where(x < 1.0, x, np.sqrt(x))


exhibit(root_beyond_one, "jax-ml/jax#5798", number(0.0), answer=1.0)


def lengths_of_rows_where_large(x):
    """A zero row, left out by ``where``: NaN."""
    lengths = np.sqrt(np.sum(x**2, axis=1))
    return np.sum(np.where(lengths > 0.5, lengths, np.ones_like(lengths)))


_ROWS = given([[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]])
exhibit(
    lengths_of_rows_where_large, "jax-ml/jax#347 jax-ml/jax#383", _ROWS,
    answer=np.array([[1 / 5**0.5, 2 / 5**0.5], [0.6, 0.8], [0.0, 0.0]]),
)


def root_of_what_is_positive(x):
    """Left and at the edge: NaN for 0, for one kind of symbol, and in second order for the other."""
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


exhibit(root_of_what_is_positive, "casadi/casadi#1805 casadi/casadi#1878", given([-1.0, 0.0, 1.0]), answer=np.array([0.0, 0.0, 0.5]))


def distance_not_too_small(x, y):
    """``maximum`` chose the constant: NaN."""
    return np.maximum(1e-10, np.sqrt(x * x + y * y))


exhibit(distance_not_too_small, "ml-explore/mlx#3692 tinygrad/tinygrad#15806", number(0.0), number(0.0), answer=(0.0, 0.0))


def energy_of_pairs(positions, charges):
    """The diagonal of a matrix of distances is left out; reverse mode gave NaN, forward mode the right numbers."""
    apart = positions[None, :, :] - positions[:, None, :]
    distances = np.linalg.norm(apart, axis=-1)
    keep = 1 - np.eye(3)
    products = np.where(keep, charges[None, :] * charges[:, None], 0.0)
    distances = np.where(keep, distances, 1.0)
    return np.sum(np.where(keep, products / distances, 0.0))


exhibit(energy_of_pairs, "jax-ml/jax#654", given([[0.1, 0.0, 0.2], [1.1, -0.2, 1.3], [2.4, 1.2, -0.2]]), given([1.3, 0.3, 0.4]))


def logarithm_of_the_chosen(x):
    """A large entry that is left out: NaN for 0."""
    chosen = np.array([True, False])
    return np.log(np.sum(np.where(chosen, np.exp(np.where(chosen, x, 0.0)), 0.0)))


exhibit(logarithm_of_the_chosen, "jax-ml/jax#23842", given([0.0, 100.0]), answer=np.array([1.0, 0.0]))


def rest_after_a_division(x):
    """An index left the zero out, after a division by it."""
    y = 1.0 / x
    return np.sum(y[1:])


exhibit(rest_after_a_division, "casadi/casadi#2115", given([0.0, 2.0]), answer=np.array([0.0, -0.25]))
