"""Random draws by parameters that are differentiated: the pathwise derivative at the noise of the plain call, which is drawn once."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

GENERATORS = {"Generator": lambda: np.random.default_rng(3), "RandomState": lambda: np.random.RandomState(3)}
PAIR, COLUMN = np.array([0.5, 1.0]), np.array([[1.0], [2.0], [0.5]])
CASES = [
    (name, parameters, size)
    for name in ("normal", "laplace", "logistic", "gumbel")
    for parameters, size in [((0.5, 2.0), None), ((0.5, 2.0), 3), ((PAIR, 2.0), None), ((PAIR, COLUMN), None), ((PAIR, PAIR), (3, 2))]
] + [
    ("uniform", (0.5, 2.0), None), ("uniform", (0.5, 2.0), 3), ("uniform", (-PAIR, PAIR), (3, 2)),
    ("lognormal", (0.1, 0.5), 3), ("lognormal", (0.1, PAIR), None),
    ("exponential", (2.0,), None), ("exponential", (PAIR,), (3, 2)), ("rayleigh", (2.0,), 3), ("weibull", (1.5,), 3), ("pareto", (2.5,), 3),
]


def weighed(name):
    def loss(parameters, size, rng):
        if size is None:
            z = getattr(rng, name)(*parameters)
        else:
            z = getattr(rng, name)(*parameters, size=size)
        return np.sum(z**2 * np.cos(1.0 + np.arange(np.size(z)).reshape(np.shape(z))))

    return loss


def moved(parameters, position, index, step):
    parts = [np.array(part, float) for part in parameters]
    parts[position][index] += step
    return [part if part.ndim else float(part) for part in parts]


@pytest.mark.parametrize("kind", GENERATORS)
@pytest.mark.parametrize(("name", "parameters", "size"), CASES)
def test_the_derivative_is_that_of_the_draw_at_its_noise(name, parameters, size, kind):
    loss, made = weighed(name), GENERATORS[kind]
    used, plain = made(), made()
    value, gradients = sourcediff.value_and_grad(loss, mode="eager")(list(parameters), size, used)
    np.testing.assert_allclose(value, loss(parameters, size, plain), rtol=1e-13)
    assert used.standard_normal() == plain.standard_normal()
    for position, gradient in enumerate(gradients):
        slopes = np.zeros(np.shape(gradient))
        for index in np.ndindex(slopes.shape):
            high, low = (loss(moved(parameters, position, index, step), size, made()) for step in (1e-6, -1e-6))
            slopes[index] = (high - low) / 2e-6
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-8)


def autoencoder(w, x, rng):
    mean, deviation = x @ w[0], np.exp(x @ w[1])
    z = rng.normal(mean, deviation)
    return np.sum((x - z @ w[2]) ** 2)


def by_hand(w, x, rng):
    mean, deviation = x @ w[0], np.exp(x @ w[1])
    z = mean + deviation * rng.standard_normal(np.shape(mean))
    return np.sum((x - z @ w[2]) ** 2)


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["auto", "eager"])
def test_a_variational_autoencoder(mode):
    rng = np.random.default_rng(0)
    w, x = [0.1 * rng.standard_normal(shape) for shape in [(4, 2), (4, 2), (2, 4)]], rng.standard_normal((5, 4))
    found = sourcediff.grad(autoencoder, mode=mode)(w, x, np.random.default_rng(7))
    wanted = sourcediff.grad(by_hand, mode="compiled")(w, x, np.random.default_rng(7))
    for one, other in zip(found, wanted):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def by_module(mean, deviation):
    np.random.seed(5)  # noqa: NPY002
    return np.sum(np.random.normal(mean, deviation, 3) ** 2)  # noqa: NPY002


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["auto", "eager"])
def test_the_functions_of_the_module_draw_in_the_same_way(mode):
    value, (mean, deviation) = sourcediff.value_and_grad(by_module, (0, 1), mode=mode)(0.5, 2.0)
    noise = np.random.RandomState(5).standard_normal(3)
    np.testing.assert_allclose(value, by_module(0.5, 2.0))
    np.testing.assert_allclose([mean, deviation], [np.sum(2 * (0.5 + 2 * noise)), np.sum(2 * (0.5 + 2 * noise) * noise)])


def test_second_derivatives_and_tangents():
    def loss(p, rng):
        return np.sum(rng.normal(p[0], p[1], 4) ** 3)

    noise = np.random.default_rng(2).standard_normal(4)
    z = 0.5 + 2 * noise
    wanted = 6 * np.array([[np.sum(z), np.sum(z * noise)], [np.sum(z * noise), np.sum(z * noise**2)]])
    p = np.array([0.5, 2.0])
    np.testing.assert_allclose(sourcediff.hessian(loss, mode="eager")(p, np.random.default_rng(2)), wanted)
    tangent = sourcediff.jvp(loss, (p, np.random.default_rng(2)), (np.array([1.0, 3.0]), None), mode="eager")[1]
    np.testing.assert_allclose(tangent, np.sum(3 * z**2 * (1 + 3 * noise)))


def test_what_is_linear_in_one_parameter_is_differentiated_by_that_one():
    cov = np.array([[2.0, 0.3], [0.3, 1.0]])
    mean = sourcediff.grad(lambda m, rng: np.sum(rng.multivariate_normal(m, cov) ** 2), mode="eager")(PAIR, np.random.default_rng(1))
    np.testing.assert_allclose(mean, 2 * np.random.default_rng(1).multivariate_normal(PAIR, cov))
    scale = sourcediff.grad(lambda s, rng: np.sum(rng.gamma(2.0, s, 3)), mode="eager")(1.5, np.random.default_rng(1))
    np.testing.assert_allclose(scale, np.sum(np.random.default_rng(1).gamma(2.0, 1.0, 3)))


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["auto", "eager", "compiled"])
@pytest.mark.parametrize("draw", [
    lambda p, rng: rng.poisson(p) * p,
    lambda p, rng: rng.beta(p, 2.0),
    lambda p, rng: rng.gamma(p, 2.0),
    lambda p, rng: rng.standard_t(p),
    lambda p, rng: rng.multivariate_normal(np.zeros(2), p * np.eye(2))[0],
])
def test_draws_that_are_no_functions_of_their_noise_are_refused(draw, mode):
    with pytest.raises(SourcediffError):
        sourcediff.grad(draw, mode=mode)(2.0, np.random.default_rng(0))


def test_the_compiler_says_what_to_write():
    for function in (by_module, lambda mean, deviation, rng: np.sum(rng.normal(mean, deviation, 3))):
        with pytest.raises(SourcediffError, match="standard_normal"):
            sourcediff.grad(function, mode="compiled")(0.5, 2.0, *[np.random.default_rng(0)] * (function is not by_module))


@pytest.mark.parametrize("arguments", [(0.5, -2.0), (0.5, PAIR, 3)])
def test_what_the_plain_call_raises_is_raised(arguments):
    def loss(mean, deviation, size=None):
        return np.sum(np.random.default_rng(0).normal(mean, deviation, size))

    with pytest.raises(ValueError) as plain:
        loss(*arguments)
    with pytest.raises(ValueError) as caught:
        sourcediff.grad(loss, mode="eager")(*arguments)
    assert str(caught.value) == str(plain.value)
