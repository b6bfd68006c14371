"""Norms, spreads, products and choices at the points where a formula divides by zero."""

import numpy as np

from tests.corpus.case import number

from .exhibit import exhibit, given

ORIGIN = given([0.0, 0.0])


def length(x):
    """NaN at the origin."""
    return np.linalg.norm(x)


exhibit(
    length, "HIPS/autograd#151 HIPS/autograd#268 HIPS/autograd#370 jax-ml/jax#3058 pytorch/pytorch#2421", ORIGIN, answer=np.zeros(2),
)


def length_squared(x):
    """NaN at the origin of a function that is smooth there."""
    return np.linalg.norm(x) ** 2


exhibit(length_squared, "HIPS/autograd#570 HIPS/autograd#586", ORIGIN, answer=np.zeros(2))


def length_squared_of_rows(x):
    """The same along an axis."""
    return np.sum(np.linalg.norm(x, axis=-1) ** 2)


exhibit(length_squared_of_rows, "HIPS/autograd#617", given([[0.0, 0.0], [3.0, 4.0]]), answer=np.array([[0.0, 0.0], [6.0, 8.0]]))


def bell(x):
    """exp(−|x|²) by way of the norm."""
    return np.exp(-1.0 * np.linalg.norm(x) ** 2)


exhibit(bell, "HIPS/autograd#183", given([[0.0], [0.0]]), answer=np.zeros((2, 1)))


def distance_to_itself(y, reference):
    """A cost at its optimum."""
    return 0.5 * np.linalg.norm(y - reference) ** 2


exhibit(distance_to_itself, "casadi/casadi#3898", given([0.3, 0.7]), given([0.3, 0.7]), answer=(np.zeros(2), np.zeros(2)))


def bell_around_a_point(x, centre):
    """The second derivative of a smooth function was no multiple of the identity, where its norm is zero."""
    return np.exp(-(np.linalg.norm(x - centre) ** 2))


exhibit(
    bell_around_a_point, "pytorch/pytorch#92075", given([0.3, 0.7]), given([0.3, 0.7]), answer=(np.zeros(2), np.zeros(2)),
    hessians=(-2 * np.eye(2), -2 * np.eye(2)),
)


def absolute_values(x):
    """NaN at 0, unless a keyword asked for a number."""
    return np.sum(np.absolute(x))


exhibit(absolute_values, "rsokl/MyGrad#378 rsokl/MyGrad#379", given([-2.0, 0.0, 2.0]), answer=np.array([-1.0, 0.0, 1.0]))


def spread_of_equals(x):
    """NaN where all entries are equal."""
    return np.std(x)


exhibit(spread_of_equals, "pytorch/pytorch#4320 jax-ml/jax#11716 keras-team/keras#2960", given([1.0, 1.0, 1.0]), answer=np.zeros(3))


def product_with_a_zero(x):
    """The product divided by each entry: NaN at the zero."""
    return np.prod(x)


exhibit(
    product_with_a_zero, "HIPS/autograd#378 HIPS/autograd#93 pytorch/pytorch#773 tracel-ai/burn#5533", given([2.0, 0.0, 3.0, 4.0]),
    answer=np.array([0.0, 24.0, 0.0, 0.0]), second=True,
)


def products_of_rows(x):
    """The same along an axis."""
    return 9.0 * np.prod(x, axis=1).sum()


exhibit(products_of_rows, "apache/mxnet#18078", given([[4.0, 0.0]]), answer=np.array([[0.0, 36.0]]), second=True)


def running_products(x):
    """NaN, or worse: a silent zero."""
    return np.sum(np.cumprod(x))


def running_products_beginning_with_zero(x):
    """0 for 9."""
    return running_products(x)


def running_products_of_two_zeros(x):
    """The first of two zeros: 0 for 2."""
    return running_products(x)


_CUMPROD = "tensorflow/tensorflow#119430 tensorflow/tensorflow#3862 Theano/Theano#5197 pymc-devs/pytensor#1911"
exhibit(running_products, _CUMPROD, given([2.0, 3.0, 0.0]), answer=np.array([4.0, 2.0, 6.0]), second=True)
exhibit(running_products_beginning_with_zero, _CUMPROD, given([0.0, 2.0, 3.0]), answer=np.array([9.0, 0.0, 0.0]), second=True)
exhibit(running_products_of_two_zeros, _CUMPROD, given([2.0, 0.0, 0.0, 3.0]), answer=np.array([1.0, 2.0, 0.0, 0.0]), second=True)


def largest_of_equals(x):
    """A one for each of four equal entries: four times the derivative. Shared, as the later releases of others do."""
    return np.sum(np.max(x, axis=0))


exhibit(
    largest_of_equals, "apache/mxnet#18563 pytorch/pytorch#43519", given([[1.0, 2.0], [1.0, 1.0]]),
    answer=np.array([[0.5, 1.0], [0.5, 0.0]]),
)


def larger_of_two_equals(x, y):
    """Both got the whole derivative. Here it is the first one's."""
    return np.sum(np.maximum(x, y))


exhibit(larger_of_two_equals, "pytorch/pytorch#56734", given([1.0, 3.0]), given([1.0, 2.0]), answer=(np.ones(2), np.zeros(2)))


def soft_plus(x):
    """0 at 0, where it is one half: the kinks of the formula inside showed."""
    return np.logaddexp(0.0, x)


exhibit(soft_plus, "jax-ml/jax#2107", number(0.0), answer=0.5, second=True)


def weighted_logarithm_of_a_sum(b):
    """A weight that is exactly zero lost its derivative: 0 for 1."""
    return np.log(np.sum(b * np.exp(np.zeros(2))))


exhibit(weighted_logarithm_of_a_sum, "jax-ml/jax#22398", given([1.0, 0.0]), answer=np.ones(2), second=True)


def angle_at_the_origin(a):
    """``where`` chose something else, and the gradient was NaN all the same."""
    b = np.arctan2(a, a)
    return np.sum(np.where(np.array([0.0, 1.0, 0.0]) > 0.5, 0.0, b))


exhibit(angle_at_the_origin, "jax-ml/jax#1052", given([3.0, 0.0, -5.0]), answer=np.zeros(3))
