"""Powers of zero."""

import numpy as np

from tests.corpus.case import number

from .exhibit import exhibit, given


def exponent_over_zero(b):
    """d/db 0ᵇ is 0: NaN."""
    return np.sum(np.array([0.0, 2.0]) ** b)


exhibit(exponent_over_zero, "pytorch/pytorch#27134 tensorflow/tfjs#346", given([1.0, 1.0]), answer=np.array([0.0, 2 * np.log(2)]))


def power_by_several_exponents(x):
    """The derivative at base 0 depends on the exponent: 0, 1, infinite, 0."""
    return np.sum(x ** np.array([3.0, 1.0, 0.5, 0.0]))


exhibit(power_by_several_exponents, "stan-dev/math#3031", given([0.0] * 4), answer=np.array([0.0, 1.0, np.inf, 0.0]))


def zeroth_power_of_a_fraction(value):
    """A power of zero that an exponent of zero makes constant: NaN."""
    return np.sum(np.power(value - np.floor(value), np.array([0.0])))


exhibit(zeroth_power_of_a_fraction, "jax-ml/jax#12409", given([1.0]), answer=np.zeros(1))


def power_and_a_half(x):
    """x to the power 1.5, in one step and in two."""
    return x**1.5


exhibit(power_and_a_half, "HIPS/autograd#581", number(0.0), answer=0.0)


def root_of_a_python_number(x):
    """``0.0 cannot be raised to a negative power``: Python's own floats raise where NumPy's are infinite."""
    return x**0.5


exhibit(root_of_a_python_number, "HIPS/autograd#570", number(0.0), answer=np.inf)


def bell_by_a_square(x):
    """The third derivative was NaN at 0; with x * x it was not."""
    return np.exp(-(x**2))


exhibit(bell_by_a_square, "HIPS/autograd#116", number(0.0))


def mean_of_squares_with_gaps(x):
    """``nanmean`` left the gap out, and a power before it brought NaN back."""
    return np.nanmean(x**2)


exhibit(
    mean_of_squares_with_gaps, "jax-ml/jax#9040 jax-ml/jax#8128", given([np.nan, 1.0, 2.0, 3.0, 4.0]),
    answer=np.array([0.0, 0.5, 1.0, 1.5, 2.0]),
)
